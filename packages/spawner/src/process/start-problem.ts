import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { shellWord } from '@baton/contracts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Why a program that is there cannot be started. */
export interface StartProblem {
  /** Follows the name of the program: `is a folder`. */
  what: string;
  /** A sentence. */
  fix: string;
}

/**
 * Looks for the reason why a program cannot be started, as execvp(3) looks for it: along PATH unless its name holds a slash.
 * @param place.cwd the working folder of the program; left out: this process's
 * @returns null: it can be started as far as its file shows, or there is no such file
 */
export function startProblem(
  program: string,
  { env, cwd = '.' }: { env: Environment; cwd?: string },
): StartProblem | null {
  const folders = program.includes('/') ? [''] : (env['PATH'] ?? '').split(path.delimiter);
  const files = folders
    .map((folder) => path.resolve(cwd, folder, program))
    .filter((file) => existsSync(file));
  const problems = files.map((file) => problemOf(file, program));
  return problems.includes(null) ? null : (problems[0] ?? null);
}

/** Whether a program lies in the worktree: its name is a path that is not absolute. */
export const isOfWorktree = (program: string): boolean => program.includes('/') && !path.isAbsolute(program);

/** The interpreter that the first line of a script names, as Linux reads it; undefined: none, or the file cannot be read. */
export function interpreterOf(file: string): string | undefined {
  try {
    const opened = openSync(file, 'r');
    try {
      const begin = Buffer.alloc(256);
      const [first = ''] = begin.toString('latin1', 0, readSync(opened, begin)).split('\n');
      return /^#![ \t]*([^ \t\0]+)/.exec(first)?.[1];
    } finally {
      closeSync(opened);
    }
  } catch {
    return undefined; // may be run and not be read
  }
}

function problemOf(file: string, program: string): StartProblem | null {
  if (statSync(file).isDirectory()) return { what: 'is a folder', fix: 'Name a program in it.' };
  const [name, after] = isOfWorktree(program) ? [program, ' in the repository, and commit that'] : [file, ''];
  if (!isExecutable(file))
    return { what: 'is not executable', fix: `Make it so with \`chmod +x ${shellWord(name)}\`${after}.` };
  const interpreter = interpreterOf(file);
  if (interpreter === undefined || existsSync(interpreter)) return null;
  return interpreter.endsWith('\r')
    ? { what: 'has lines that end as on Windows', fix: `Save it with Unix line endings${after}.` }
    : {
        what: `names ${interpreter} in its first line, which is not there`,
        fix: 'Install that, or correct the line.',
      };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
