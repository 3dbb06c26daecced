import type { ReadLine } from './body.ts';

/** How a language writes what is no code. */
export interface Syntax {
  /** Beginnings of comments that end with their line. */
  line: readonly string[];
  /** Beginnings and ends of comments over several lines. */
  block: readonly (readonly [string, string])[];
  /** Characters around strings of one line. */
  quotes: string;
  /** Characters around strings that may have several lines. */
  long?: readonly string[];
  /** Everything after this line is no code. */
  end?: RegExp;
}

/** One sign, and what it means in a sentence's beginning such as "tests skipped". */
export interface Sign {
  pattern: RegExp;
  /** Read comments instead of code. */
  inComments?: true;
  /** Read the contents of strings as well. */
  inStrings?: true;
  /** Whether what the line does is harmless, by the code around it. */
  fineIn?: (code: readonly ReadLine[], line: ReadLine) => boolean;
  /** No sign where the file as it is now has this. */
  unless?: RegExp;
  /** No sign on a test that the change adds. */
  fineIfNew?: true;
}

/**
 * How tests look in a language. Patterns read one line of code without its comments, and the contents of its strings blanked; `hollow`,
 * `mocks` and `notices` read the strings, too.
 */
export interface Language {
  name: string;
  files: RegExp;
  syntax: Syntax;
  /** Names of files that its runners find; absent: they find them by other means. */
  found?: RegExp;
  /** Names of files that its runners do not run everywhere, although they look found. */
  lost?: RegExp;
  /** Tests may lie in the files that they test, from this line on. */
  inline?: RegExp;
  /** A test begins. */
  cases: RegExp;
  /** Several examples for one test begin. */
  tables: RegExp;
  /** Something is asserted. */
  assertions: RegExp;
  /** It is compared with one exact value. */
  exact: RegExp;
  /** It is compared with a part, a kind or a range; what is neither is only asked whether it is so. */
  partial: RegExp;
  /** The line before belongs to the assertion: it is the condition of failing. */
  guard?: RegExp;
  /** What joins an assertion to what its line does when it fails. */
  then?: RegExp;
  /** What passes over order, number or part of an exact value: the comparison is then one of a part. */
  forgets?: RegExp;
  /** What says the same in other words, and the words that both are read as. */
  same?: readonly (readonly [RegExp, string | ((found: string) => string)])[];
  /** True whatever the code does. */
  hollow: readonly RegExp[];
  /** Tests that are not run, are run alone, or are run until they pass. */
  skips: readonly Sign[];
  /** Failures that are swallowed, the end of a run as a success, and hooks that change results. */
  swallows: readonly Sign[];
  /** Another meaning for the words that assert. */
  redefines: readonly RegExp[];
  /** Something is replaced in a test; the first group is a name or a module. */
  mocks: readonly RegExp[];
  /** Code notices that it is tested. */
  notices: readonly RegExp[];
  /** A checker is switched off for some code; read in comments where `inComments` says so. */
  suppressions: readonly Sign[];
}
