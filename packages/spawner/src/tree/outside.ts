import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { bytesOf, fromBytes, fromText, textOf, type BytePath } from './byte-path.ts';
import { leftOut, type LeftOut } from './left-out.ts';
import { keepLeftOut, readLeftOutOf } from './left-out-record.ts';
import { linkedTo, namesIn, textIn } from './plain-reads.ts';
import type { Workspace } from './workspace.ts';

/** Links that lead out of the worktree, with their destination: a salvage holds the link, and not what an agent did behind it. */
export async function outsideLinks(workspace: Workspace, links: readonly BytePath[]): Promise<LeftOut[]> {
  const root = fromText(realpathSync(workspace.path));
  const found: LeftOut[] = [];
  for (const file of links) {
    const place = `${root}/${file}`;
    const target = await readlink(bytesOf(place), { encoding: 'buffer' }).catch(() => null);
    if (target === null) continue;
    const real = await realpath(bytesOf(place), { encoding: 'buffer' }).catch(() => null);
    const at = real === null ? path.resolve(path.dirname(place), fromBytes(target)) : fromBytes(real);
    if (!isBelow(at, root)) found.push(leftOut(file, 'outside', `it leads to ${textOf(at)}`));
  }
  return found;
}

/**
 * Names what an agent's git folder says of places outside of the worktree, before it is neutralised: other worktrees with their uncommitted
 * changes, and a git folder, or parts of one, that lie elsewhere.
 */
export async function noteOutside(workspace: Workspace, more: readonly LeftOut[] = []): Promise<void> {
  const { owner } = workspace.state;
  if (owner === null) return;
  const found = [...more, ...outsideOf(workspace)];
  if (found.length === 0) return;
  const known = (await readLeftOutOf(workspace.clone, owner)) ?? [];
  const names = new Set(known.map(({ file }) => file));
  const added = found.filter(({ file }) => !names.has(file));
  if (added.length > 0) await keepLeftOut(workspace.clone, owner, [...known, ...added]);
}

function outsideOf({ path: tree, gitDir }: Workspace): LeftOut[] {
  const root = realpathSync(tree);
  const separate = /^gitdir: (.*)$/m.exec(textIn(gitDir))?.[1];
  if (separate !== undefined) {
    const at = path.resolve(tree, separate);
    return isBelow(at, root) ? [] : [leftOut('.git', 'outside', `its git folder is ${at}`)];
  }
  const worktrees = namesIn(path.join(gitDir, 'worktrees')).flatMap((name) => {
    const at = path.dirname(textIn(path.join(gitDir, 'worktrees', name, 'gitdir')).trim());
    const isThere = path.isAbsolute(at) && lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === true;
    if (!isThere || isBelow(realpathSync(at), root)) return [];
    const detail = `a worktree at ${at}: what is uncommitted there is not saved`;
    return [leftOut(fromText(`.git/worktrees/${name}`), 'outside', detail)];
  });
  const folders = ['.', 'objects', 'objects/pack', 'refs', 'refs/heads'];
  const links = folders.flatMap((folder) =>
    namesIn(path.join(gitDir, folder)).flatMap((name) => {
      const place = path.join(gitDir, folder, name);
      if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return [];
      const at = linkedTo(place) ?? path.resolve(path.dirname(place), readlinkSync(place));
      const file = fromText(path.relative(tree, place));
      return isBelow(at, root) ? [] : [leftOut(file, 'outside', `it leads to ${at}`)];
    }),
  );
  return [...worktrees, ...links];
}

function isBelow(file: string, root: string): boolean {
  return file === root || file.startsWith(`${root}/`);
}
