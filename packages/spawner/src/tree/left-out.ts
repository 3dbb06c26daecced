import { fromText, quoted, textOf, unquoted, type BytePath } from './byte-path.ts';

/**
 * Why something that an agent left is in no ref:
 *
 * - `ignored`: a pattern excludes it, and the agent did not stage it. What only patterns of the agent's own exclude is saved
 *   where it is small, and else named with that detail;
 * - `set_up`: it was done to what set-up had made, which is not committed and is made again for the next task;
 * - `secret`: by its name it may hold secrets; a copy is kept on this machine alone;
 * - `special`: a pipe, socket or device, which has no content;
 * - `empty`: a folder without entries, which git cannot hold;
 * - `outside`: it leads out of the worktree (a link, another worktree, a git folder elsewhere), so what was done there is not saved;
 * - `large`, `unreadable`, `unreached`, `changing`, `incomplete`: it could not be saved, so its worktree is set aside.
 */
export type LeftOutReason = (typeof leftOutReasons)[number];

/** Every {@link LeftOutReason}. */
export const leftOutReasons = [
  'ignored',
  'set_up',
  'secret',
  'special',
  'empty',
  'outside',
  'large',
  'unreadable',
  'unreached',
  'changing',
  'incomplete',
] as const;

/** Something that an agent left and that is in no ref, with the reason. A folder ends in a slash. */
export interface LeftOut {
  /** Path below the worktree; one that is not UTF-8, or begins with a quote, is quoted as git does: {@link pathOf} reads it. */
  file: string;
  reason: LeftOutReason;
  /** More about it, where there is more to say. */
  detail?: string;
}

const unsaved: readonly LeftOutReason[] = ['large', 'unreadable', 'unreached', 'changing', 'incomplete'];

/** Whether it exists nowhere but in the worktree. */
export function isUnsaved({ reason }: LeftOut): boolean {
  return unsaved.includes(reason);
}

/** Notes one. */
export function leftOut(file: BytePath, reason: LeftOutReason, detail?: string): LeftOut {
  return { file: nameOf(file), reason, ...(detail === undefined ? {} : { detail }) };
}

/** A path as a list of what was left out names it: no two paths have the same name. */
export function nameOf(file: BytePath): string {
  return file.startsWith('"') ? quoted(file) : textOf(file);
}

/** The path that {@link nameOf} names. */
export function pathOf(name: string): BytePath {
  return name.startsWith('"') ? unquoted(name) : fromText(name);
}

const mark = 'Left-Out: ';
const mostLines = 500;

/** Lines of a commit message that name what is not in the commit; beyond 500 they are counted. */
export function leftOutLines(all: readonly LeftOut[]): string[] {
  const lines = all.slice(0, mostLines).map((one) => `${mark}${JSON.stringify(one)}`);
  const more = all.length - lines.length;
  if (more > 0) lines.push(`${mark}${JSON.stringify({ file: `${more} more`, reason: 'unreached' })}`);
  return lines;
}

/** Reads them back; a line that only names a file is one of a secret or large file. */
export function readLeftOut(message: string): LeftOut[] {
  return message
    .split('\n')
    .filter((line) => line.startsWith(mark))
    .map((line) => JSON.parse(line.slice(mark.length)) as LeftOut | string)
    .map((one) => (typeof one === 'string' ? { file: one, reason: 'secret' } : one));
}
