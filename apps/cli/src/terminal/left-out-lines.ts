import { shellWord } from '@baton/contracts';
import type { LeftOut, LeftOutRecord } from '@baton/spawner';

import { count } from './format.ts';

/** What an attempt at a task left and no ref holds. */
export interface KeyedList extends LeftOutRecord {
  key: string;
}

const reasons: Readonly<Record<LeftOut['reason'], string>> = {
  ignored: 'ignored by the repository',
  set_up: 'in what set-up made',
  secret: 'may hold secrets; kept on this machine and written back by --into',
  special: 'a pipe, socket or device',
  empty: 'an empty folder, which git cannot hold',
  outside: 'outside of the worktree',
  large: 'larger than 200 MB',
  unreadable: 'cannot be read',
  unreached: 'not looked into',
  changing: 'changed while it was saved',
  incomplete: 'not whole',
};

/** One line for one name. */
export function leftOutLine({ file, reason, detail }: LeftOut): string {
  const isOwn = reason === 'ignored' && detail !== undefined;
  return `  ${file}: ${isOwn ? 'ignored' : reasons[reason]}${detail === undefined ? '' : ` (${detail})`}`;
}

/** The whole list of each attempt. */
export function listedLeftOut(lists: readonly KeyedList[]): string {
  if (lists.length === 0) return 'Nothing was left out: all that agents left is in a ref.';
  return lists
    .flatMap(({ key, fence, ref, leftOut }) => [
      `${key}, attempt ${fence} (${ref}):`,
      ...leftOut.map(leftOutLine),
    ])
    .join('\n');
}

/** How to see what is in no ref, where there is something. */
export function hintOf(lists: readonly KeyedList[], task: string | undefined): string[] {
  const names = lists.reduce((sum, { leftOut }) => sum + leftOut.length, 0);
  if (names === 0) return [];
  const command =
    task === undefined ? 'baton rescue --left-out' : `baton rescue ${shellWord(task)} --left-out`;
  return [`In no ref: ${count(names, 'name')}, with the reasons in \`${command}\`.`];
}
