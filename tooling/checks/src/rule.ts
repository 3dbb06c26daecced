/** One rule of the repository that a machine checks. */
export interface Rule {
  /** What `pnpm check <name>` calls it. */
  name: string;
  /** What must hold, in one line. */
  what: string;
  /** What is wrong, one line each; empty when the rule holds. */
  check(): Promise<readonly string[]>;
  /** Makes it right where a machine can; returns what it changed. */
  fix?(): Promise<readonly string[]>;
}
