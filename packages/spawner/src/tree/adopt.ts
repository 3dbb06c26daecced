import path from 'node:path';
import { gitFailure } from '../git/git.ts';
import { fullDisk } from '../process/full-disk.ts';
import type { ForeignStore } from './foreign-stores.ts';
import { leftOut } from './left-out.ts';
import { noteOutside } from './outside.ts';
import type { Workspace } from './workspace.ts';

const adoptMs = 10 * 60_000;
/** Refs of which each is tried by itself; more than an agent makes. */
const mostRefs = 200;

/** What leads to objects: options of pack-objects, and lines for its standard input. */
interface Source {
  options: readonly string[];
  lines?: readonly string[];
}

/**
 * Copies into an agent's repository what its HEAD, refs, logs and index lead to in the object folders that it borrows from elsewhere: from then
 * on its work does not depend on them. Where one of these is broken, the others are copied all the same. What cannot be copied is named; on a
 * full disk all of it waits for room.
 *
 * @throws WORKSPACE_FAILED when the disk is full
 */
export async function adopt(workspace: Workspace, stores: readonly ForeignStore[]): Promise<void> {
  let copied = await copyObjects(workspace, { options: ['--all', '--reflog', '--indexed-objects'] });
  const isOpen = stores.every(({ links }) => links !== null);
  if (copied === 'whole' && isOpen) return;
  const refs = (await refsOf(workspace)).map((ref): Source => ({ options: [], lines: [ref] }));
  const sources = [...refs, { options: ['--reflog'] }, { options: ['--indexed-objects'] }];
  for (const source of sources) {
    if (copied === 'timed out') break;
    copied = await copyObjects(workspace, source);
  }
  const detail = `not all of the objects that it borrows from ${stores.map(({ folder }) => folder).join(', ')} could be copied`;
  await noteOutside(workspace, [leftOut('.git/objects/info/alternates', 'outside', detail)]);
}

/** What became of the objects that a source leads to. @throws WORKSPACE_FAILED when the disk is full */
async function copyObjects(
  workspace: Workspace,
  { options, lines = [] }: Source,
): Promise<'whole' | 'broken' | 'timed out'> {
  const { clone, gitDir, metaDir, state } = workspace;
  const pack = path.join(gitDir, 'objects/pack/pack');
  const args = ['--git-dir', gitDir, 'pack-objects', '--quiet', '--revs', ...options, pack];
  const known = state.startCommit === null ? [] : [`^${state.startCommit}`];
  const stdin = [...lines, ...known].map((line) => `${line}\n`).join('');
  const packed = await clone.git(args, { cwd: metaDir, stdin, timeoutMs: adoptMs });
  if (packed.exitCode === 0) return 'whole';
  const full = fullDisk(gitDir, gitFailure(args, packed));
  if (full !== null) throw full;
  return packed.timedOut ? 'timed out' : 'broken';
}

/** HEAD and the refs of an agent's repository that git can list. */
async function refsOf({ clone, gitDir, metaDir }: Workspace): Promise<string[]> {
  const args = ['--git-dir', gitDir, 'for-each-ref', `--count=${mostRefs}`, '--format=%(refname)'];
  const { stdout } = await clone.git(args, { cwd: metaDir });
  return ['HEAD', ...stdout.split('\n').filter((line) => line !== '')];
}
