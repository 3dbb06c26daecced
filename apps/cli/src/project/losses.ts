import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { unsavedTrees } from '@baton/spawner';
import type { Run, Store } from '@baton/task-store';

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
  /** What is nowhere else, one sentence each. */
  work: string[];
}

const over = ['done', 'cancelled'];
const settled = ['CLOSED', 'CANCELLED'];

/** Asks the project's store and looks through its folders. */
export async function lossesOf(call: Call, project: KnownProject): Promise<Losses> {
  const pgHome = path.join(project.dir, 'postgres');
  const hasStore = existsSync(path.join(pgHome, 'pg', 'PG_VERSION'));
  const told = hasStore ? await ofStore(call, { dir: project.dir, pgHome }) : { atWork: [], work: [] };
  return { ...told, work: [...told.work, ...(await savedWork(call, project.dir))] };
}

async function ofStore(call: Call, { dir, pgHome }: { dir: string; pgHome: string }): Promise<Losses> {
  const state = { dir, pgHome, logsDir: path.join(dir, 'logs') };
  const env = { ...call.env, databaseUrl: undefined, postgresKeepSeconds: 0 };
  await using access = await openProjectStore({ env }, { state });
  const { store } = access;
  const workers = (await store.workers.list()).filter(isAlive);
  const work: string[] = [];
  for (const run of await runsNotOver(store)) {
    const { items } = await store.tasks.list({ runId: run.id, limit: 200 });
    const open = items.filter(({ status }) => !settled.includes(status));
    if (open.length > 0)
      work.push(
        `${run.slug} is not over: ${count(open.length, 'task')} of it did not land (${listed(open.map(({ key }) => key))}).`,
      );
  }
  return { atWork: workers.map(({ pid, host }) => ({ pid, host })), work };
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
