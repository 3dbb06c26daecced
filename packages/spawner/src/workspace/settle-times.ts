import { lstatSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { readIndex } from '../git/index-file.ts';
import { bytesOf, fromText, linesOf, unquoted } from '../tree/byte-path.ts';
import { areConverted, mayBeConverted } from '../salvage/converted.ts';
import { indexFile, treeGit, type Workspace } from '../tree/workspace.ts';

const secondMs = 1_000;
/** The clock of files may be as much behind. */
const tickMs = 10;
/** Of more files git itself looks at the content. */
const mostRead = 200;

/**
 * Sees that git takes files of a fresh checkout for unchanged where they were committed in another form than attributes ask for. It reads
 * the content of a file again that was written in the same second as the index, and calls such a file changed: `git add -A` of an agent
 * would commit it. Once that second is over, the index is dated after it, so that times decide. A later write has a later time.
 */
export async function settleTimes(workspace: Workspace): Promise<void> {
  if (!mayConvert(workspace)) return;
  const args = ['-c', 'core.quotePath=true', 'diff-files', '--name-only', '--ignore-submodules=all'];
  const odd = linesOf((await treeGit(workspace, args)).stdout);
  if (odd.length === 0) return;
  const index = indexFile(workspace);
  const top = fromText(workspace.path);
  const written = odd.map((name) =>
    lstatSync(bytesOf(`${top}/${unquoted(name)}`), { throwIfNoEntry: false }),
  );
  const latestMs = Math.max(0, ...written.map((stat) => stat?.mtimeMs ?? 0));
  const nextS = Math.floor(latestMs / secondMs) + 1;
  const waitMs = nextS * secondMs - statSync(index).mtimeMs;
  if (waitMs > secondMs) return; // set-up gave it a time of its own: no clock gets there
  if (waitMs > 0) await delay(Math.ceil(waitMs) + tickMs);
  utimesSync(index, nextS, nextS);
}

/** Whether a file as young as the index may have another form than in its commit; few are looked at without git. */
function mayConvert(workspace: Workspace): boolean {
  const index = indexFile(workspace);
  const data = readFileSync(index);
  if (!data.includes('.gitattributes')) return false;
  const read = readIndex(data, workspace.clone.objectFormat === 'sha1' ? 20 : 32);
  if (read === null) return true;
  const sinceS = Math.floor(statSync(index).mtimeMs / secondMs);
  const young = [...read.entries].filter(([, { writtenS }]) => writtenS >= sinceS);
  if (young.length === 0) return false;
  if (young.length > mostRead) return areConverted(workspace, read.entries.keys());
  const isConverted = mayBeConverted(workspace, read.entries.keys());
  return young.some(([file]) => isConverted(file));
}
