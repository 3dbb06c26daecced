import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

import type { CrashCatalogue } from './crash-points-names.ts';

/**
 * Where at a point the blow falls. `middle`: of a statement, when it was sent and its answer was not received; of a file,
 * when half of it is written (or, of a folder, deleted); of a process, while it runs.
 */
export type CrashMoment = 'before' | 'middle' | 'after';

/** Who is killed: the process itself, the database's process that serves its connection, or the whole database server. */
export type CrashVictim = 'self' | 'backend' | 'postmaster';

/** One blow. */
export interface CrashStrike {
  /** Name of the point. */
  point: string;
  /** Which passage of the point in that process, 1 is the first. */
  passage: number;
  moment: CrashMoment;
  victim: CrashVictim;
  /** How long a process may run before the blow in its middle, in milliseconds. */
  delayMs: number;
}

/** What a process under watch gets, as a JSON file. */
export interface CrashOrder {
  /** File that every passage is appended to, as lines of JSON. */
  log: string;
  catalogue: CrashCatalogue;
  strike: CrashStrike | null;
  /** Further blows to the same process, of use where the first leaves it alive. */
  more?: readonly CrashStrike[];
}

/** One line of the log. */
export interface CrashPassage {
  pid: number;
  point: string;
  passage: number;
  /** What the point can suffer in its middle; moments before and after are always possible. */
  hasMiddle: boolean;
  /** The blow fell here, at this moment. */
  struck?: CrashMoment;
  /** Who was struck. */
  victim?: CrashVictim;
}

const preload = new URL(
  import.meta.url.endsWith('.ts') ? './crash-points-preload.ts' : './crash-points-preload.js',
  import.meta.url,
);

/**
 * Arguments for a Node process that is to be watched, and killed, at its crash points: every write to the database,
 * every git command that writes, every other process started or signalled, every change of a file. Nothing in the
 * program under watch is changed; the functions it reaches the world with are wrapped before it begins.
 *
 * @param file Where the order is written.
 */
export function crashPointArguments(file: string, order: CrashOrder): string[] {
  writeFileSync(file, JSON.stringify(order));
  const url = new URL(preload);
  url.searchParams.set('order', pathToFileURL(file).href);
  // Paths of sources are in the stack's frames; deep ones stand below the plumbing of git and exec.
  return ['--stack-trace-limit=40', '--no-warnings', `--import=${url.href}`];
}

/** What a watched process passed, in order; a last line cut off by the kill is left out. */
export function readCrashLog(file: string): CrashPassage[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as CrashPassage];
    } catch {
      return [];
    }
  });
}

/** Reads the order that {@link crashPointArguments} wrote. */
export function readCrashOrder(preloadUrl: string): CrashOrder {
  const file = new URL(preloadUrl).searchParams.get('order');
  if (file === null) throw new Error('The preload of crash points needs ?order=FILE.');
  return JSON.parse(readFileSync(fileURLToPath(file), 'utf8')) as CrashOrder;
}
