import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { gitText } from '../git/git.ts';
import { bytesOf, fromText, linesOf, textOf } from '../tree/byte-path.ts';
import { attemptRef, ownRef, type AttemptKey, type Clone, type SalvageRef } from '../tree/clone.ts';
import { secretsFolder } from './kept-secrets.ts';
import { pathOf, readLeftOut, type LeftOut } from '../tree/left-out.ts';
import { readLeftOutOf } from '../tree/left-out-record.ts';
import { copySetAside, listSetAside } from './set-aside.ts';
import { writeTree } from './write-tree.ts';

/** What {@link listSalvage} reports of one thing that was saved. */
export interface SalvagedTree extends SalvageRef {
  /**
   * `tree`: the worktree as it was left. `commit`: a commit of the agent's own that led nowhere else, as a stash.
   * `attempt`: what was committed for an attempt at its end. `set-aside`: a worktree that could not be saved whole and was kept as it was; its commit is empty.
   */
  kind: 'tree' | 'commit' | 'attempt' | 'set-aside';
  /** When it was saved or, for the agent's own, committed; ISO 8601. */
  savedAt: string;
  /** First line of an own commit, or why a worktree was set aside. */
  title: string;
  /** Absolute path of a worktree that was set aside. */
  path?: string;
  /** What was there but is not in it, with reasons. */
  leftOut: LeftOut[];
}

/** What was saved of one task or of all: trees by fence, then the agent's own commits, then worktrees set aside. */
export async function listSalvage(clone: Clone, taskId?: string): Promise<SalvagedTree[]> {
  const trees = await Promise.all((await clone.salvageRefs(taskId)).map((one) => treeEntry(clone, one)));
  const aside = listSetAside(clone, taskId).map((one): SalvagedTree => ({
    ...{ ref: one.ref, taskId: one.taskId, fence: one.fence, commit: '', kind: 'set-aside' },
    ...{ savedAt: one.savedAt, title: one.why, path: one.path, leftOut: one.leftOut as LeftOut[] },
  }));
  return [...trees, ...(await ownCommits(clone, taskId)), ...aside];
}

/** What was committed for the attempts of one task or of all, whatever became of them; also for those of a database before it was restored. */
export async function listAttempts(clone: Clone, taskId?: string): Promise<SalvagedTree[]> {
  const root = 'refs/baton/attempts';
  const under = taskId === undefined ? root : path.posix.dirname(attemptRef({ taskId, fence: 0 }));
  const format = '--format=%(refname)%09%(objectname)%09%(committerdate:iso-strict)%09%(contents:subject)';
  const shown = await gitText(clone.git, ['for-each-ref', format, under], { cwd: clone.path });
  return linesOf(shown).flatMap((line): SalvagedTree[] => {
    const [ref = '', commit = '', savedAt = '', title = ''] = line.split('\t');
    const [, task = '', fence = ''] = /^refs\/baton\/attempts\/(.+)\/(\d+)(?:\.[0-9a-f]+)?$/.exec(ref) ?? [];
    if (task === '') return [];
    return [
      { ref, commit, taskId: task, fence: Number(fence), kind: 'attempt', savedAt, title, leftOut: [] },
    ];
  });
}

async function treeEntry(clone: Clone, one: SalvageRef): Promise<SalvagedTree> {
  const shown = await gitText(clone.git, ['show', '--no-patch', '--format=%cI%n%B', one.commit], {
    cwd: clone.path,
  });
  const [savedAt = ''] = shown.split('\n');
  const leftOut = (await readLeftOutOf(clone, one)) ?? readLeftOut(shown);
  return { ...one, kind: 'tree', savedAt, title: '', leftOut };
}

/** The parents of each commit that holds own commits together, those of an earlier one included. */
async function ownCommits(clone: Clone, taskId: string | undefined): Promise<SalvagedTree[]> {
  const at = { cwd: clone.path };
  const under = taskId === undefined ? 'refs/baton/own' : path.posix.dirname(ownRef({ taskId, fence: 0 }));
  const refs = linesOf(await gitText(clone.git, ['for-each-ref', '--format=%(refname)', under], at));
  const found: SalvagedTree[] = [];
  for (const ref of refs) {
    const [, task = '', fence = ''] = /^refs\/baton\/own\/(.+)\/(\d+)$/.exec(ref) ?? [];
    let holder = ref;
    for (let next: string | null = ref; next !== null;) {
      holder = next;
      next = null;
      const args = [
        'log',
        '--no-walk=unsorted',
        '--format=%H%x09%cI%x09%s',
        '--end-of-options',
        `${holder}^@`,
      ];
      for (const [at_, line] of linesOf(await gitText(clone.git, args, at)).entries()) {
        const [commit = '', savedAt = '', title = ''] = line.split('\t');
        if (title === `Own commits of task ${task}, fence ${fence}`) next = `${holder}^${at_ + 1}`;
        else
          found.push({
            ...{ ref: `${holder}^${at_ + 1}`, commit, taskId: task, fence: Number(fence) },
            ...{ kind: 'commit', savedAt, title, leftOut: [] },
          });
      }
    }
  }
  return found;
}

/**
 * Writes what was saved into a new or empty folder, byte for byte, with the secret-like files that this machine kept.
 * Names that git refuses are written as they are kept, as `%2egit`; a worktree that was set aside is copied.
 *
 * @returns How many files were written, and the names of what was left and was not: all but what the repository ignores.
 * @throws NOT_FOUND when there is no such ref, CONFLICT when the folder holds something
 */
export async function restoreSalvage(
  clone: Clone,
  ref: string,
  { into }: { into: string },
): Promise<{ files: number; missing: string[] }> {
  const all = [...(await listSalvage(clone)), ...(await listAttempts(clone))];
  const entry = all.find((one) => one.ref === ref);
  if (entry === undefined) {
    throw new BatonError('NOT_FOUND', `There is no salvage "${ref}".`, {
      fix: '`baton rescue <task>` lists what there is.',
    });
  }
  mkdirSync(into, { recursive: true });
  if (readdirSync(into).length > 0) {
    throw new BatonError('CONFLICT', `The folder ${into} is not empty.`, {
      fix: 'Name a new folder; nothing in it would be kept apart.',
    });
  }
  const aside = listSetAside(clone).find((one) => one.ref === ref);
  if (aside !== undefined) return copySetAside(aside, { into });
  const written = await writeTree(clone, { commit: entry.commit, into });
  const secrets = new Set(
    entry.leftOut
      .filter(({ reason, file }) => reason === 'secret' && restoreSecret(clone, entry, { file, into }))
      .map(({ file }) => file),
  );
  const missing = entry.leftOut
    .filter(({ reason, file }) => reason !== 'ignored' && !secrets.has(file))
    .map(({ file }) => file);
  return { files: written.files + secrets.size, missing: [...written.missing, ...missing] };
}

function restoreSecret(
  clone: Clone,
  attempt: AttemptKey,
  { file, into }: { file: string; into: string },
): boolean {
  const name = pathOf(file);
  const source = path.join(secretsFolder(clone, attempt), textOf(name));
  const folder = name.slice(0, name.lastIndexOf('/') + 1);
  const target = bytesOf(`${fromText(into)}/${name}`);
  if (!existsSync(source) || lstatSync(target, { throwIfNoEntry: false }) !== undefined) return false;
  mkdirSync(bytesOf(`${fromText(into)}/${folder}`), { recursive: true });
  copyFileSync(source, target);
  return true;
}
