import type { RepoFiles } from '@baton/testkit';

/** A value as the text of a JSON file. */
export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Where a repository is made, and how programs are called there. */
export interface Ground {
  /** The repository. */
  root: string;
  /** An empty folder beside it. */
  beside: string;
  /** Runs a program in the repository; it must succeed. */
  run(...argv: [string, ...string[]]): Promise<unknown>;
  write(files: RepoFiles): Promise<void>;
}

/** Something that a stranger types, and what should come of it. */
export interface Step {
  /** Arguments of `baton`; with `git` first, those of git. */
  type: readonly [string, ...string[]];
  /** The exit code that it should have; 0 when left out. */
  exit?: number;
  /** What must stand in what it prints. */
  says?: RegExp;
  /** Whether the branch that is checked out must have moved on after it. */
  moves?: boolean;
  /** Whether work lands by it: the first one ends the first hour. */
  lands?: boolean;
  /** Done before it by an editor. */
  edits?: 'agent' | RepoFiles;
}

/** A kind of repository in which Baton is tried for the first time. */
export interface Repository {
  /** What makes it special, in a few words. */
  name: string;
  /** Programs that must be in PATH; without them it is left out by name. */
  needs?: readonly string[];
  /** Name of its folder; `repository` when left out. */
  folder?: string;
  /** Folder of it that the commands are typed in; its top when left out. */
  cwd?: string;
  files: RepoFiles;
  /** Done after the files are written and before they are committed. */
  before?(ground: Ground): Promise<unknown>;
  /** Done after they are committed. */
  after?(ground: Ground): Promise<unknown>;
  /** Nothing is committed. */
  isEmpty?: true;
  /** Names of the gates that `init` should find. */
  gates: readonly string[];
  /** The steps, when they are not those of everybody. */
  steps?: readonly Step[];
}

/** The steps of the README: a plan, then a goal. */
export const everybodysSteps: readonly Step[] = [
  { type: ['init'] },
  { type: ['doctor'] },
  { type: ['plan', 'check', 'plan.yaml'] },
  { type: ['run', 'plan.yaml'], lands: true },
  { type: ['merge'], moves: true },
  { type: ['run', 'write the file hello.txt', '--yes'], edits: 'agent', lands: true },
  { type: ['merge'], moves: true },
];
