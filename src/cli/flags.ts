/** Options that every command takes. */
export interface GlobalFlags {
  readonly profile?: string | undefined;
  readonly ignoreUserConfig?: boolean | undefined;
  readonly ignoreRules?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly debug?: boolean | undefined;
}

/** Options of `hermes` and `hermes chat`. */
export interface ChatFlags extends GlobalFlags {
  readonly oneshot?: string | undefined;
  readonly query?: string | undefined;
  readonly quiet?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  readonly source?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly toolsets?: string | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly resume?: string | undefined;
  readonly continue?: string | true | undefined;
  readonly maxTurns?: number | undefined;
  readonly yolo?: boolean | undefined;
  readonly checkpoints?: boolean | undefined;
}
