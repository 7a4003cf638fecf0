/** Where a secret stands in a text: UTF-16 offsets, `end` exclusive. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** `[a-z0-9_]{1,32}`; stands in the mask. */
  readonly kind: string;
}
