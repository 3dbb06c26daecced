import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Played } from './play.ts';
import { git, gitLines } from './plain-git.ts';

const patienceMs = 8_000;
const everyMs = 100;

/** What is left beside the target that should not be. Upkeep gets some time to remove it. */
export async function leftovers(played: Played): Promise<string[]> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const found = await look(played);
    if (found.length === 0 || performance.now() > untilMs) return found;
    await delay(everyMs);
  }
}

async function look(played: Played): Promise<string[]> {
  const { place } = played;
  const refs = await gitLines(place.target, ['for-each-ref', '--format=%(refname)']);
  const kept = place.isRemote ? keptAttempts(played) : new Set<string>();
  const isWanted = (ref: string): boolean =>
    ref === 'refs/heads/main' ||
    ref === `refs/heads/${place.branch}` ||
    ref.startsWith('refs/baton/lane/') ||
    kept.has(ref);
  return [
    ...refs.filter((ref) => !isWanted(ref)).map((ref) => `the ref ${ref} is left`),
    ...[...kept].filter((ref) => !refs.includes(ref)).map((ref) => `the ref ${ref} is gone`),
    ...(refs.filter((ref) => ref.startsWith('refs/baton/lane/')).length > 1
      ? ['there are several lane refs']
      : []),
    ...locksIn(place.target).map((name) => `the lock ${name} is left`),
    ...(await unkept(played)),
    ...(await checkoutOf(played)),
  ];
}

/** Refs at a remote of the newest attempts of tasks that did not land. */
function keptAttempts({ tasks, attempts, doneAt }: Played): Set<string> {
  const open = new Set(tasks.filter(({ status }) => status !== 'CLOSED').map(({ id }) => id));
  const refs = attempts.flatMap(({ id, taskId, headPlace }) =>
    open.has(taskId) && doneAt.has(id) && headPlace?.at === 'repository' ? [headPlace.ref] : [],
  );
  return new Set(refs);
}

/** Attempts whose commits nothing keeps any more. */
async function unkept({ place, attempts }: Played): Promise<string[]> {
  const kept = new Set(
    await gitLines(place.author, ['for-each-ref', '--format=%(objectname)', 'refs/baton/attempts']),
  );
  return attempts.flatMap(({ headCommit, number }) =>
    headCommit === null || kept.has(headCommit) ? [] : [`no ref keeps attempt ${number} (${headCommit})`],
  );
}

function locksIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'));
}

/** The working tree is as the target says, and no operation of git is under way. */
async function checkoutOf({ place }: Played): Promise<string[]> {
  if (place.isRemote) return [];
  const trees =
    place.checkout === null || place.checkout === place.repo ? [place.repo] : [place.repo, place.checkout];
  const found: string[] = [];
  for (const tree of trees) {
    const status = await git(tree, ['status', '--porcelain', '--untracked-files=all']);
    if (status !== '')
      found.push(`${path.basename(tree)} is not as its branch: ${status.replaceAll('\n', ', ')}`);
  }
  const listed = (await gitLines(place.repo, ['worktree', 'list', '--porcelain'])).filter((line) =>
    line.startsWith('worktree '),
  );
  if (listed.length !== trees.length) found.push(`there are ${listed.length} worktrees`);
  return found;
}
