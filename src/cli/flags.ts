/** Options that every command takes. */
export interface GlobalFlags {
  readonly profile?: string;
  readonly ignoreUserConfig?: boolean;
  readonly json?: boolean;
  readonly debug?: boolean;
}

/** Options of `hermes` and `hermes chat`. */
export interface ChatFlags extends GlobalFlags {
  readonly oneshot?: string;
  readonly query?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly source?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly toolsets?: string;
  readonly resume?: string;
  readonly continue?: string | true;
  readonly maxTurns?: number;
  readonly yolo?: boolean;
}
