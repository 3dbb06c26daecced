/** A pull request as its host shows it. */
export interface HostedRequest {
  number: number;
  url: string;
  state: 'open' | 'merged' | 'closed';
  /** Branch that it goes into. */
  base: string;
  /** Newest commit of its branch; null: not told. */
  headCommit: string | null;
  /** Commit on the target that holds it, however it was merged; null: not merged, or not told yet. */
  mergeCommit: string | null;
  /** The host says that it cannot be merged as it is. */
  isConflicting: boolean;
  /** Newest words on it of somebody who may write in the repository, as they were written; null: there are none. */
  words: { by: string; text: string } | null;
}

/** What the checks of the host say of a pull request. */
export type HostChecks = 'none' | 'pending' | 'passed' | 'failed';

/** What is to be opened. */
export interface RequestDraft {
  /** Branch that it goes into. */
  base: string;
  /** Branch that it is of. */
  head: string;
  title: string;
  /** Markdown; the same text is in the file. */
  body: string;
  bodyFile: string;
}

/**
 * Why a host gave no answer. `missing`: its program is not installed · `login`: it is not logged in · `rate_limit`: it was asked too
 * often · `refused`: it said no · `away`: anything else.
 */
export type ForgeTrouble = 'missing' | 'login' | 'rate_limit' | 'refused' | 'away';

/** An answer, or why there is none: one line, and where a person can do something, a second one that says what. */
export type ForgeAnswer<T> = { ok: true; value: T } | { ok: false; why: ForgeTrouble; text: string };

/** A code host, reached by the program of the user that is logged in there. */
export interface Forge {
  program: 'gh' | 'glab';
  /** What it opens. */
  noun: 'pull request' | 'merge request';
  /** Whether the program can be used. */
  check(): Promise<ForgeAnswer<null>>;
  /** The command that opens one, as a line for a shell, with the body from the file. */
  typed(draft: RequestDraft): string;
  /** The command that lets one go into another branch. */
  retarget(request: { number: number; base: string }): string;
  /** Opens one and gives its address, null where none was printed. `exists`: there is one already. */
  open(draft: RequestDraft): Promise<ForgeAnswer<{ kind: 'opened' | 'exists'; url: string | null }>>;
  /** All requests of a branch of this repository, newest first, without words. */
  find(head: string): Promise<ForgeAnswer<HostedRequest[]>>;
  /** One by its number; null: there is none any more. */
  look(number: number): Promise<ForgeAnswer<HostedRequest | null>>;
  /** What the host's own checks say of one. */
  checks(number: number): Promise<ForgeAnswer<HostChecks>>;
}
