import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { plan, planTasks, type Plan } from '@baton/contracts';
import { openStore, runOfPlan, type Run, type Store } from '@baton/task-store';
import { compileCache, createRepo, tempDir, until, type TestRepo } from '@baton/testkit';
import { storeDatabase } from '../../../../../packages/task-store/test/support/database.ts';
import { endProgram, startProgram, type Program } from './programs.ts';
import { serve } from './transport.ts';

const by = { actor: 'operator:tester', reason: 'reach' };

/** Tasks of each trial. */
export const keys = ['a', 'b', 'c', 'd'];

/** A database, a repository with a remote beside it, and the programs at work on them; all of it ends with the trial. */
export interface Place extends AsyncDisposable {
  store: Store;
  url: string;
  folder: string;
  repo: TestRepo;
  /** The bare repository beside the user's. */
  remote: string;
  programs: Program[];
  start(
    app: 'cli' | 'server' | 'worker',
    options: { name: string; args?: string[]; more?: Record<string, string>; host?: string },
  ): Program;
  /** Git in the repository that work lands in. */
  git(...args: string[]): Promise<string>;
  /** The plan, on the remote where there is one. */
  submit(): Promise<Run>;
}

/** The plan as text: each task writes a file of its own, in two layers. */
export const planText = JSON.stringify({
  name: 'reach',
  batch_size: 1,
  agents: Object.fromEntries(
    keys.map((key) => [
      key,
      { command: ['bash', '-c', `cat >/dev/null; sleep 0.3; echo ${key} > ${key}.txt`] },
    ]),
  ),
  stages: [
    {
      name: 'all',
      steps: keys.map((key, at) => ({
        key,
        title: key,
        agent: key,
        ...(at > 1 && { depends_on: [keys[at - 2]] }),
      })),
    },
  ],
});

/** Opens a place: beside its repository, or on a remote that is reached by one of git's transports. */
export async function openPlace(where: 'local' | 'git' | 'http'): Promise<Place> {
  const database = await storeDatabase();
  const repo = await createRepo({ 'readme.txt': 'hello\n' });
  const folder = await tempDir();
  const store = await openStore({ url: database.url, poolSize: 3 });
  const remote = path.join(folder.path, 'remote.git');
  await repo.git('clone', '--bare', '--quiet', repo.path, remote);
  const served = where === 'local' ? null : await serve(folder.path, where);
  const location = served?.locationOf('remote.git') ?? null;
  const programs: Program[] = [];
  const place: Place = {
    ...{ store, url: database.url, folder: folder.path, repo, remote, programs },
    start(app, { name, args = [], more = {}, host }) {
      const env = {
        ...{ PATH: process.env['PATH'] ?? '', HOME: folder.path, USER: 'tester', CI: '1' },
        ...compileCache(),
        ...{ DATABASE_URL: database.url, BATON_HOME: path.join(folder.path, name) },
        ...{ BATON_DRAIN_SECONDS: '20', BATON_HEAD_WAIT_SECONDS: '8', BATON_CAPACITY: '1', ...more },
      };
      const program = startProgram(app, { name, args, env, ...(host !== undefined && { host }) });
      programs.push(program);
      return program;
    },
    git: (...args) => repo.git('-C', where === 'local' ? repo.path : remote, ...args),
    submit: () => submit(store, { parsed: plan.parse(JSON.parse(planText)), repo, location }),
    async [Symbol.asyncDispose]() {
      await Promise.all(programs.map(endProgram));
      await store.close();
      await database[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
      await served?.[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
  await mkdir(path.join(folder.path, 'plans'));
  await writeFile(path.join(folder.path, 'plans/plan.yaml'), planText);
  return place;
}

async function submit(
  store: Store,
  { parsed, repo, location }: { parsed: Plan; repo: TestRepo; location: string | null },
): Promise<Run> {
  const { run } = await store.runs.create(
    {
      ...runOfPlan(parsed),
      ...{ slug: 'reach', target: 'baton/reach', batchSize: 1, gates: [] },
      repo: location === null ? { location: repo.path, host: hostname() } : { location, host: null },
      tasks: planTasks(parsed, { source: { kind: 'plan', by: 'tester', trusted: true } }),
    },
    by,
  );
  await store.runs.approvePlan(run.id, by);
  return run;
}

/** Waits until a worker of that name is in the store. */
export async function online(place: Place, name: string): Promise<string> {
  return until(
    async () =>
      (await place.store.workers.list()).find((worker) => worker.name === name && worker.status === 'online')
        ?.id,
    { what: `${name} is online`, timeoutMs: 60_000 },
  );
}
