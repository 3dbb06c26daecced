import { textOf, type BytePath } from './byte-path.ts';

/**
 * Why something that an agent left is in no ref:
 *
 * - `ignored`: a pattern of the repository excludes it, and nobody staged it;
 * - `secret`: by its name it may hold secrets; a copy is kept on this machine alone;
 * - `special`: a pipe, socket or device, which has no content;
 * - `large`, `unreadable`, `unreached`, `changing`, `incomplete`: it could not be saved, so its worktree is set aside.
 */
export type LeftOutReason =
  'ignored' | 'secret' | 'special' | 'large' | 'unreadable' | 'unreached' | 'changing' | 'incomplete';

/** Something that an agent left and that is in no ref, with the reason. A folder ends in a slash. */
export interface LeftOut {
  /** Path below the worktree; quoted as git does where it is not UTF-8. */
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
  return { file: textOf(file), reason, ...(detail === undefined ? {} : { detail }) };
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
