// Static imports of CommonJS libraries stand in modules of their own, which are loaded when they are needed: a bundle that loads
// such a library by itself hands over no named exports.
import { fromIni } from "@aws-sdk/credential-provider-ini";

/** Keys of a profile: its own, those of its role, its SSO login or its program. */
export const profileKeys = fromIni;
