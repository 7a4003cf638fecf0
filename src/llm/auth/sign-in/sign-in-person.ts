/** What the person who signs in is told. Nothing of it is secret but the authorize address, which must be shown. */
export type SignInStep =
  /** The address to open. `opened` = a browser was started with it. */
  | { readonly kind: "open_address"; readonly url: string; readonly opened: boolean; readonly waitsHere: boolean }
  /** The code to enter at an address. */
  | {
      readonly kind: "enter_code";
      readonly code: string;
      readonly url: string;
      readonly opened: boolean;
      /** How long it can be entered, ms. */
      readonly lifetimeMs: number;
    }
  /** What was pasted is no answer to this sign-in. */
  | { readonly kind: "unusable_paste"; readonly why: string }
  /** The person has agreed; what is left is between the program and the provider. */
  | { readonly kind: "agreed" };

/** Who signs in: a terminal, a page of the dashboard, a test. */
export interface SignInPerson {
  tell(step: SignInStep): void;
  /**
   * Takes one line that is pasted; undefined = there is no more to come. Rejects with the signal's reason when it aborts. Absent
   * where nobody can paste.
   */
  readonly paste?: (signal: AbortSignal) => Promise<string | undefined>;
  /** Starts a browser; whether it could be started. Never throws. Absent where there is none, or none is wanted. */
  readonly openBrowser?: (url: string) => boolean;
}
