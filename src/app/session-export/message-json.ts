import type { StoredMessage } from "../../store/store.ts";

/** A message as `--json` and `sessions export` print it: as stored (masked), with its time in ISO 8601. */
export const messageJson = ({ createdAt, ...message }: StoredMessage) => ({
  ...message,
  created_at: new Date(createdAt).toISOString(),
});
