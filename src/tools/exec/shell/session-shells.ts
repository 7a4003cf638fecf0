import type { SessionId } from "../../../base/ids.ts";
import { createSessionShell } from "./session-shell.ts";
import type { SessionShell, SessionShellDeps } from "./session-shell.ts";

/** The shells of all sessions of one agent. */
export interface SessionShells {
  /** The session's shell, made at the first call; `directory` (absolute) is where a new one begins. */
  of(session: SessionId, directory?: string): SessionShell;
  /** After a rotation: the child session goes on in its parent's shell. Its variables name the new session. */
  continueAs(from: SessionId, to: SessionId): void;
  /** Lets go of an ended session's shell. */
  forget(session: SessionId): void;
}

export interface SessionShellsDeps extends Omit<SessionShellDeps, "environment"> {
  /** The environment of one session's commands (`commandEnvironment`). */
  readonly environment: (session: SessionId) => Readonly<Record<string, string>>;
}

/** Keeps one shell per session. */
export const createSessionShells = (deps: SessionShellsDeps): SessionShells => {
  const shells = new Map<SessionId, SessionShell>();
  return {
    of: (session, directory = deps.directory) => {
      const known = shells.get(session);
      if (known !== undefined) return known;
      const made = createSessionShell({ ...deps, directory, environment: deps.environment(session) });
      shells.set(session, made);
      return made;
    },
    continueAs: (from, to) => {
      const shell = shells.get(from);
      if (shell === undefined) return;
      shells.delete(from);
      shell.renameSession(deps.environment(to));
      shells.set(to, shell);
    },
    forget: (session) => {
      shells.delete(session);
    },
  };
};
