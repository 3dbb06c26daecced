import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';

import { heldTrees, livingAgents, unsavedTrees } from '@baton/spawner';
import type { Run, Store } from '@baton/task-store';

import { atWorkIn } from './at-work.ts';
import { isAlive } from './carriers.ts';
import type { Call } from '../terminal/call.ts';
import { count, listed } from '../terminal/format.ts';
import { openProjectStore } from './open-store.ts';
import { createTools } from './project.ts';
import type { KnownProject } from './known-projects.ts';

/** What would be lost with the state of a repository. */
export interface Losses {
  /** Processes at work on it: while there are any it stays. */
  atWork: { pid: number; host: string }[];
  /** Worktrees that a living process holds: as long. */
  held: string[];
  /** What is nowhere else, one sentence each. */
  work: string[];
}

const over = ['done', 'cancelled'];
const settled = ['CLOSED', 'CANCELLED'];

/** What one store knows. */
interface Told extends Pick<Losses, 'atWork' | 'work'> {
  /** Ids of the repositories of the state folder that it does not know. */
  unknown: string[];
}

/** Asks the project's store, and that of `DATABASE_URL`, and looks through its folders. */
export async function lossesOf(call: Call, project: KnownProject): Promise<Losses> {
  const pgHome = path.join(project.dir, 'postgres');
  const hasStore = existsSync(path.join(pgHome, 'pg', 'PG_VERSION'));
  const { databaseUrl } = call.env;
  const repos = await readdir(path.join(project.dir, 'repos')).catch(() => []);
  const own: Told = hasStore
    ? await ofStore(call, { project, databaseUrl: undefined, repos })
    : { atWork: [], work: [], unknown: repos };
  const shared: Told =
    databaseUrl === undefined
      ? { atWork: [], work: [], unknown: own.unknown }
      : await ofStore(call, { project, databaseUrl, repos: own.unknown });
  const here = [...atWorkIn(project.dir), ...livingAgents(project.dir)].map((pid) => ({
    pid,
    host: hostname(),
  }));
  const atWork = [...own.atWork, ...shared.atWork, ...here];
  const elsewhere =
    'Work of runs that another database records, and that it alone can tell of: name that database with DATABASE_URL.';
  return {
    atWork: atWork.filter(
      ({ pid, host }, n) => n === atWork.findIndex((one) => one.pid === pid && one.host === host),
    ),
    held: heldTrees(project.dir),
    work: [
      ...own.work,
      ...shared.work,
      ...(shared.unknown.length === 0 ? [] : [elsewhere]),
      ...(await savedWork(call, project.dir)),
    ],
  };
}

async function ofStore(
  call: Call,
  {
    project,
    databaseUrl,
    repos,
  }: { project: KnownProject; databaseUrl: string | undefined; repos: string[] },
): Promise<Told> {
  const { dir } = project;
  const state = { dir, pgHome: path.join(dir, 'postgres'), logsDir: path.join(dir, 'logs') };
  const env = { ...call.env, databaseUrl, postgresKeepSeconds: 0 };
  await using access = await openProjectStore({ env }, { state });
  const { store } = access;
  const isOwn = databaseUrl === undefined;
  const runs = (await runsNotOver(store)).filter(({ repoId }) => isOwn || repos.includes(repoId));
  // In a shared database a worker of all runs has a state folder of its own.
  const workers = (await store.workers.list())
    .filter(isAlive)
    .filter(({ runId }) => isOwn || runs.some(({ id }) => id === runId));
  const work: string[] = [];
  for (const run of runs) {
    const { items } = await store.tasks.list({ runId: run.id, limit: 200 });
    const open = items.filter(({ status }) => !settled.includes(status));
    if (open.length > 0)
      work.push(
        `${run.slug} is not over: ${count(open.length, 'task')} of it did not land (${listed(open.map(({ key }) => key))}).`,
      );
  }
  const known = await Promise.all(repos.map((id) => store.runs.repo(id).catch(() => null)));
  return {
    atWork: workers.map(({ pid, host }) => ({ pid, host })),
    work,
    unknown: repos.filter((_, n) => known[n] === null),
  };
}

async function runsNotOver(store: Store): Promise<Run[]> {
  const runs: Run[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Store['runs']['list']>> = await store.runs.list({
      limit: 100,
      ...(cursor === null ? {} : { cursor }),
    });
    runs.push(...page.items.filter(({ status }) => !over.includes(status)));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return runs;
}

/** Refs of saved work in the clones, and what was set aside beside them. What cannot be read may hold any of it, so it counts as lost. */
async function savedWork(call: Call, dir: string): Promise<string[]> {
  const { git } = createTools(call);
  const unread: string[] = [];
  const namesIn = (folder: string): Promise<string[]> =>
    readdir(folder).catch((error: unknown) => {
      if (!isMissing(error)) unread.push(folder);
      return [];
    });
  let found = 0;
  for (const repo of await namesIn(path.join(dir, 'repos'))) {
    const place = path.join(dir, 'repos', repo);
    const cwd = path.join(place, 'clone.git');
    if (existsSync(cwd)) {
      const args = ['--git-dir=.', 'for-each-ref', '--format=x', 'refs/baton/salvage', 'refs/baton/own'];
      const refs = await git(args, { cwd });
      if (refs.exitCode !== 0) unread.push(cwd);
      found += refs.stdout.split('\n').filter((line) => line !== '').length;
    }
    for (const name of ['set-aside', 'kept-files']) found += (await namesIn(path.join(place, name))).length;
  }
  const pieces = `Work that was saved of agents which ended early: ${count(found, 'piece')} (\`baton rescue\` lists them).`;
  const trees = unsavedTrees(dir).length;
  return [
    ...(found === 0 ? [] : [pieces]),
    ...(trees === 0
      ? []
      : [`Work that is in no ref yet: in ${count(trees, 'worktree')} (\`baton rescue\` names them).`]),
    ...unread.map((place) => `Saved work may lie in ${place}, which cannot be read.`),
  ];
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
