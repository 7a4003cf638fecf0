/** Why a held change cannot be decided. */
export const describeNotPending = (id: number, state: string | undefined): string =>
  state === undefined ? `No change of memory waits as #${id}.` : `#${id} was ${state} already.`;
