import { lstatSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import path from 'node:path';
import { nulList, treeGitText, type Workspace } from '../tree/workspace.ts';
import { timeOf } from '../tree/changed-since.ts';

/** Files that are looked at between two turns of the event loop. */
const atOnce = 2_000;

/**
 * Tracked files that were written, replaced or given other rights since a moment, whatever they hold now, and folders of tracked files that
 * were moved away and back: no program can set the time of change. A folder in which an entry was made or removed as well is not
 * named, since commands do that beside tracked files all the time.
 *
 * @param mark File of {@link markMoment}.
 * @throws GIT_FAILED
 */
export async function rewrittenSince(workspace: Workspace, mark: string): Promise<string[]> {
  const since = timeOf(mark);
  const tracked = nulList(await treeGitText(workspace, ['ls-files', '-z']));
  const folders = new Set<string>();
  const found: string[] = [];
  let seen = 0;
  for (const file of tracked) {
    const stat = lstatSync(path.join(workspace.path, file), { bigint: true, throwIfNoEntry: false });
    if (stat !== undefined && !stat.isDirectory() && stat.ctimeNs > since) found.push(file);
    for (let folder = path.dirname(file); folder !== '.'; folder = path.dirname(folder)) folders.add(folder);
    if ((seen += 1) % atOnce === 0) await breathe();
  }
  for (const folder of folders) {
    const stat = lstatSync(path.join(workspace.path, folder), { bigint: true, throwIfNoEntry: false });
    if (stat !== undefined && stat.ctimeNs > since && stat.mtimeNs <= since) found.push(`${folder}/`);
  }
  return found.sort();
}
