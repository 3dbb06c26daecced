/** One destructive act on Baton's own state, not yet done. */
export type KeepAct =
  /** A ref is deleted if it still holds `id`. */
  | { kind: 'ref'; repo: string; ref: string; id: string; reason: string }
  /** A worktree that is not held is removed. */
  | { kind: 'worktree'; path: string; reason: string }
  /** A worktree that was set aside is removed. */
  | { kind: 'set-aside'; path: string; reason: string }
  /** What set-up made for verifications is removed, unless one uses it. */
  | { kind: 'set-up'; path: string; reason: string }
  /** A file or folder is removed; a link is removed as a link. */
  | { kind: 'file'; path: string; reason: string }
  /** Refs and objects of a clone are packed; objects that nothing names any more go. */
  | { kind: 'pack'; repo: string; reason: string };

/** How long what is over stays, in milliseconds; null: without limit. */
export interface KeepRules {
  /** Heads of attempts, branches that were fetched for runs, and logs of agents. */
  attemptsMs: number | null;
  /** Work that was saved from agents that ended early: trees, their own commits, worktrees set aside. */
  salvageMs: number | null;
  /** Unused worktrees and set-ups. */
  worktreesMs: number | null;
  /** Bytes that the state folder may take; null: as many as there are. */
  maxBytes: number | null;
}

/** What an act is about, for people. */
export function placeOf(act: KeepAct): string {
  return act.kind === 'ref' ? act.ref : act.kind === 'pack' ? act.repo : act.path;
}
