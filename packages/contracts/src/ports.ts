/** The current time. Injected everywhere, so that tests decide what time it is. */
export interface Clock {
  /** The current instant. */
  now(): Date;
  /** Milliseconds that only grow, for measuring durations. */
  monotonicMs(): number;
}

/** Fresh identifiers. Injected everywhere, so that tests can predict them. */
export interface Ids {
  /** A UUID, version 7 in production so that ids sort by creation. */
  uuid(): string;
}

/** How one program is run to its end. */
export interface ExecOptions {
  /** Absolute working directory. */
  cwd: string;
  /** The complete environment of the child: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed; without it stdin is empty. */
  stdin?: string;
  /** The whole process group is ended after this time. */
  timeoutMs: number;
  /** Output beyond this many bytes a stream is dropped (its head and tail are kept) and `truncated` is set. */
  maxOutputBytes?: number;
  /** Ends the process group when aborted. */
  signal?: AbortSignal;
  /**
   * It runs to its own end when this process is killed, instead of being ended with it: for what must not stop half-way, and for a
   * question that ends by itself at once, which then needs no guard.
   */
  finishes?: boolean;
}

/** How a program ended. A non-zero exit is an outcome, not an error. */
export interface ExecResult {
  /** Exit code, or null when a signal ended it or it never started. */
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** Ended by us because `timeoutMs` was over. */
  timedOut: boolean;
  /** Ended by us because `signal` was aborted. */
  aborted: boolean;
  truncated: boolean;
  durationMs: number;
  /** Set when the program could not be started at all: ENOENT, EACCES, … */
  spawnError?: string;
}

/** Runs one program from an argument array, without a shell, in a process group of its own. Owned by the spawner. */
export type Exec = (argv: readonly [string, ...string[]], options: ExecOptions) => Promise<ExecResult>;

/** How one git command is run. */
export interface GitOptions {
  /** Repository or worktree the command runs in. */
  cwd: string;
  stdin?: string;
  /** Further variables, e.g. GIT_INDEX_FILE. */
  env?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  signal?: AbortSignal;
  /** As in {@link ExecOptions}. */
  finishes?: boolean;
  /**
   * True: the command compares or writes files of the user's checkout, so they are converted (ends of line, filters) as their own git
   * does it, not only as the repository says.
   */
  userFiles?: boolean;
}

/**
 * Runs one hardened git command (own identity, no hooks, no fsmonitor, no prompt, no signing). Owned by the spawner.
 * Any exit code is an outcome; a git that cannot be started throws GIT_MISSING.
 */
export type Git = (args: readonly string[], options: GitOptions) => Promise<ExecResult>;

/** How one command ended, and what it did to the tree that it ran on. */
export interface PlaceRun extends ExecResult {
  /** Tracked paths that it changed, deleted or replaced, sorted. */
  changed: string[];
  /** Other paths that it wrote, folders as one, sorted; they are gone. At most 20. */
  left: string[];
  /** Id of the tree with its changes to tracked files, present in the clone; null: not asked for, or nothing changed. */
  tree: string | null;
  /** Text of the file that was asked for; null or absent: the command wrote none, or one that is too large. */
  kept?: string | null;
}

/** How one command is run in a {@link CheckPlace}. */
export interface PlaceRunOptions extends Omit<ExecOptions, 'cwd'> {
  /** True: changes to tracked files are kept as a tree. */
  keepTree?: boolean;
  /** Path of a file, in the tree, whose text is kept where the command wrote it; at most 20 MB. */
  keepFile?: string;
}

/** A tree with its set-up, as checks see it: each command starts from these two alone and from nothing that another command wrote. */
export interface CheckPlace {
  /** Id of the commit that is laid. */
  readonly commit: string;
  /** Paths that set-up left beside the tracked ones, a folder as one; absent: not known. */
  readonly setUp?: readonly string[];
  /**
   * Name of the set-up that is laid, equal for equal ones; empty: there is none. Null: what it was copied from changed while it was made, so
   * that what is judged with it says nothing about a later time. Absent: not known.
   */
  readonly setUpKey?: string | null;
  /**
   * Tracked paths that had been written after each of several runs of a command, though their content is that of the commit: by the
   * command itself or by another process, and which of them is unknown. It grows with the runs. Absent: not known.
   */
  readonly rewritten?: ReadonlySet<string>;
  run(argv: readonly [string, ...string[]], options: PlaceRunOptions): Promise<PlaceRun>;
}

/** Structured log lines of a long-lived process. */
export interface Log {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
