import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { plan } from '@baton/contracts';
import type { Store } from '@baton/task-store';
import { diffSnapshots, until, type RepoSnapshot, type TestRepo } from '@baton/testkit';
import { openCourt } from '../../../../packages/task-store/test/campaigns/torture/court.ts';
import {
  runWatched,
  type Ended,
} from '../../../../packages/task-store/test/campaigns/torture/run-watched.ts';
import { parse } from 'yaml';

import { runDraftOf } from '../support/run-draft.ts';
import { judgeRun, storeOf } from './run-judge.ts';
import type { RunPlace } from './run-place.ts';
import type { StepCall } from './run-steps.ts';
import { target } from './tough-plan.ts';

const workerMain = fileURLToPath(new URL('../../../worker/src/main.ts', import.meta.url));
const longestMs = 180_000;
const by = { actor: 'operator:tester', reason: 'torture' };

/** Where the remote of a place lies, from the folder beside the user's repository. */
export const remoteIn = (folder: string): string => path.join(folder, 'remote.git');

/** Which run is carried out, and by a worker on which machine: each machine has a state folder of its own. */
export interface RemoteRun {
  name: 'plan' | 'next';
  machine: string;
}

/** One worker process: from its start until the run is done (and all that earlier workers held is free), then it is drained. */
export async function callWorker(
  place: RunPlace,
  { run, watched, signal }: StepCall & { run: RemoteRun },
): Promise<Ended & { what: string }> {
  const { home, url, compileCache } = place;
  if (url === null) throw new Error('Workers need a database that they share.');
  await using court = await openCourt(url);
  if (court === null) throw new Error('There is no store.');
  await submit(court.store, { place, run });
  const over = new AbortController();
  const ended = new AbortController();
  const heard = Promise.withResolvers<undefined>();
  const watch = heard.promise.then(async () => {
    await until(() => isOver(court.store).then((is) => is || ended.signal.aborted), {
      what: `run ${run.name} is done`,
      timeoutMs: longestMs,
    });
    over.abort();
  });
  try {
    return {
      ...(await runWatched([...watched, workerMain], {
        cwd: home,
        env: {
          HOME: home,
          USER: 'tester',
          DATABASE_URL: url,
          BATON_HOME: path.join(home, run.machine),
          NODE_COMPILE_CACHE: compileCache,
        },
        longestMs,
        signal: AbortSignal.any([over.signal, ...(signal ? [signal] : [])]),
        atInterruption: 'SIGTERM',
        onStderr: (text) => {
          if (text.includes('worker ready')) heard.resolve(undefined);
        },
      })),
      what: `the worker on machine ${run.machine}`,
    };
  } finally {
    ended.abort();
    heard.resolve(undefined);
    await watch.catch(() => undefined);
  }
}

/** Makes the run, unless an earlier call did. */
async function submit(
  store: Store,
  { place, run: { name } }: { place: RunPlace; run: RemoteRun },
): Promise<void> {
  if ((await store.runs.list({ limit: 10 })).items.some(({ slug }) => slug === name)) return;
  const text = await readFile(path.join(place.repo.path, `${name}.yaml`), 'utf8');
  const location = pathToFileURL(remoteIn(place.home)).href;
  const draft = runDraftOf(plan.parse(parse(text)), name);
  // As the server makes it: nobody knows the head of the remote yet.
  const { run } = await store.runs.create(
    { ...draft, target, baseCommit: null, repo: { location, host: null } },
    by,
  );
  await store.runs.approvePlan(run.id, by);
}

async function isOver(store: Store): Promise<boolean> {
  const runs = (await store.runs.list({ limit: 10 })).items;
  const working = (await store.workers.list()).filter(({ status }) => status !== 'offline');
  return runs.every(({ status }) => status === 'done') && working.length <= 1;
}

/** The remote as the place's repository: that is where work lands. */
async function atRemote(place: RunPlace): Promise<RunPlace> {
  const folder = remoteIn(place.home);
  const git = (...args: string[]) => place.repo.git('-C', folder, ...args);
  const repo: TestRepo = { ...place.repo, path: folder, git, snapshot: () => refsOf(git) };
  const before = Object.fromEntries(
    Object.entries(await refsOf(git)).filter(([ref]) => ref === 'HEAD' || !ref.startsWith('ref refs/baton/')),
  );
  return { ...place, repo, before: { ...before, 'ref refs/heads/main': place.base } };
}

async function refsOf(git: TestRepo['git']): Promise<RepoSnapshot> {
  const refs = (await git('for-each-ref', '--format=ref %(refname)=%(objectname)')).split('\n');
  return Object.fromEntries([
    ['HEAD', await git('symbolic-ref', 'HEAD')],
    ['config', await git('config', '--local', '--list')],
    ...refs.map((line) => line.split('=')),
  ]) as RepoSnapshot;
}

/** Refs of work that was saved when its agent ended: they stay at the remote, where every host can read them. */
async function salvageOf(place: RunPlace): Promise<Set<string>> {
  await using access = await storeOf(place);
  const attempts = access === null ? [] : await access.store.tasks.listAttempts({});
  return new Set(attempts.flatMap(({ salvageRef }) => (salvageRef === null ? [] : [salvageRef])));
}

/** The laws of every run, at the remote; besides, nothing of Baton's is there but the branch, its lane and salvage, and the user's clone is as it was. */
export async function judgeRemote(place: RunPlace): Promise<string[]> {
  const remote = await atRemote(place);
  const ours = (await remote.repo.git('for-each-ref', '--format=%(refname)', 'refs/baton')).split('\n');
  const lanes = ours.filter((ref) => /^refs\/baton\/lane\/[^/]+\/baton\/torture$/.test(ref));
  const saved = await salvageOf(place);
  const strange = ours.filter((ref) => !lanes.includes(ref) && !saved.has(ref));
  const incoming = globSync('objects/tmp_objdir-*', { cwd: remoteIn(place.home) });
  const changed = diffSnapshots(place.before, await place.repo.snapshot());
  return [
    ...(await judgeRun(remote)),
    ...(lanes.length === 1 ? strange : ours).map((ref) => `the remote has the ref ${ref}`),
    ...incoming.map(
      (folder) => `the remote still holds what came in with a push that was cut off: ${folder}`,
    ),
    ...changed.map(({ what }) => `the clone of the user changed: ${what}`),
  ];
}
