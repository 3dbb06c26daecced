import { isDeepStrictEqual } from 'node:util';

import { BatonError, requestsInto, type RepoConfig } from '@baton/contracts';
import { fetchBranch, remoteHead, remoteOf } from '@baton/janitor';
import type { Run, Store } from '@baton/task-store';

import type { Call } from '../terminal/call.ts';
import type { Project } from '../project/project.ts';
import { userPlace } from '../project/user-place.ts';
import { operator } from '../project/with-store.ts';
import { heldBy } from './held.ts';
import { lookAtBase } from './look-at-base.ts';

interface Stand {
  store: Store;
  project: Project;
  config: RepoConfig;
}

/**
 * Brings a run that was held before its work up to what the repository is now: the base is today's commit of its target
 * or of the checkout, the set-up is that of `baton.yaml`. Gates named in `allowRed` may be red from now on, in any run
 * that has not ended.
 *
 * @returns what changed, in words, empty when nothing did; and whether it chose the base
 * @throws PLAN_INVALID, REPO_INCOMPLETE
 */
export async function renewHeld(
  call: Call,
  { store, project, config }: Stand,
  { run, allowRed }: { run: Run; allowRed: readonly string[] },
): Promise<{ changed: string[]; hasBase: boolean }> {
  refuseUnknown(run, allowRed);
  const added = allowRed.filter((name) => !run.allowRed.includes(name));
  const held = heldBy(run);
  // What was merged stays merged, on whatever base the run began.
  const isHeld =
    held !== null &&
    held.code !== 'MERGED_RED' &&
    (await store.tasks.landings({ runId: run.id, newest: true })).length === 0;
  if (!isHeld && added.length === 0) return { changed: [], hasBase: false };
  if (run.status !== 'paused' && run.status !== 'failed')
    await store.runs.pause(run.id, operator(call, 'further gates may be red'));
  const base = isHeld ? await baseOfToday(call, project, run) : run.baseCommit;
  const workspace = isHeld && config.workspace !== undefined ? config.workspace : null;
  await store.runs.amend(run.id, {
    ...(base === null ? {} : { baseCommit: base }),
    ...(workspace === null ? {} : { workspace }),
    allowRed: added,
  });
  const changed = [
    ...(base === null || base === run.baseCommit ? [] : [`base ${base.slice(0, 9)}`]),
    ...(workspace === null || isDeepStrictEqual(workspace, run.workspace) ? [] : ['set-up of baton.yaml']),
    ...(added.length === 0 ? [] : [`${added.join(', ')} may be red`]),
  ];
  return { changed, hasBase: isHeld };
}

async function baseOfToday(call: Call, project: Project, run: Run): Promise<string> {
  const base = (await headOfRemote(call, project, run)) ?? (await headHere(project, run));
  const warning = await lookAtBase(project, base);
  if (warning !== undefined) call.out.warn(warning);
  return base;
}

/** Of the branch that pull requests go into; null: the run lands here. */
async function headOfRemote(call: Call, project: Project, run: Run): Promise<string | null> {
  const branch = requestsInto(run.plan);
  if (branch === null) return null;
  const place = userPlace(call, project);
  const remote = (await remoteOf(place, branch)).name;
  await fetchBranch(place, { remote, branch });
  return remoteHead(place, { remote, branch });
}

async function headHere(project: Project, run: Run): Promise<string> {
  const ref = `refs/heads/${run.target}^{commit}`;
  const head = await project.git(['rev-parse', '--verify', '--quiet', ref], { cwd: project.root });
  return head.exitCode === 0 ? head.stdout.trim() : project.headCommit;
}

function refuseUnknown(run: Run, allowRed: readonly string[]): void {
  const known = run.gates.map(({ name }) => name);
  const unknown = allowRed.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new BatonError('PLAN_INVALID', `There is no gate "${unknown}" that could be allowed to be red.`, {
    at: run.slug,
    fix: known.length > 0 ? `The gates are: ${known.join(', ')}.` : `${run.slug} has no gate.`,
  });
}
