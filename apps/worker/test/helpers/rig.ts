import { plan, planTasks, type Clock, type Log, type Plan } from '@baton/contracts';
import {
  createRepo,
  createTestDatabase,
  fakeAgent,
  folderKey,
  tempDir,
  until,
  type FakeScript,
  type RepoFiles,
  type TestDatabase,
  type TestRepo,
} from '@baton/testkit';
import type { PluginBus } from '@baton/plugins';
import type { KeepRules } from '@baton/spawner';
import { migrate, openStore, type Run, type Store, type Task } from '@baton/task-store';
import { appendFile, glob, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import path from 'node:path';
import { systemClock, systemIds } from '@baton/service/system';
import { createWorker, type Timing, type Worker } from '../../src/index.ts';

const require = createRequire(import.meta.url);

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Stands in the operator's environment of every rig; a rig fails at its end when it is found anywhere. */
export const rigSecret = ['whsec', 'never-to-be-found-0123456789'].join('_');
const operatorEnv = { STRIPE_API_KEY: rigSecret, DATABASE_URL: `postgres://baton:${rigSecret}@nowhere/x` };
/** What the user has lying about in the checkout and does not commit. Byte for byte the same at the end of every rig. */
const usersFiles = { 'my notes.local': 'mine\n', 'ignored-by-user/cache.bin': '\0cache' };

/** Everything a story needs: a database, a repository and workers on both. */
export interface Rig extends AsyncDisposable {
  store: Store;
  database: TestDatabase;
  repo: TestRepo;
  stateDir: string;
  /** `location`: another repository of this host. `remote`: a URL that the run's target lies at, in place of the repository's path. */
  submit(
    text: unknown,
    options?: { baseCommit?: null; remote?: string; location?: string; routing?: unknown },
  ): Promise<{ run: Run; tasks: Task[] }>;
  worker(options?: {
    capacity?: number;
    runId?: string;
    timing?: Partial<Timing>;
    plugins?: PluginBus;
    /** Another state folder, host or environment than the rig's. */
    stateDir?: string;
    host?: string;
    operatorEnv?: Record<string, string | undefined>;
    isolation?: 'overlay' | 'copy';
    idleProcessors?: () => number;
    keep?: KeepRules;
    /** The rig's own, with something in its way. */
    store?: Store;
    log?: Log;
    /** What the machine of the worker believes. */
    clock?: Clock;
    /** False: the story starts it. */
    started?: boolean;
  }): Promise<Worker>;
  /** Waits until the run has one of these statuses. */
  settled(runId: string, statuses?: Run['status'][]): Promise<Run>;
  tasks(runId: string): Promise<Map<string, Task>>;
}

/** Opens a rig; everything is stopped and removed at its end. */
export async function createRig(files: RepoFiles = { 'readme.txt': 'hello\n' }): Promise<Rig> {
  const database = await createTestDatabase({
    migrate: async (url) => void (await migrate(url)),
    templateKey: await folderKey(
      path.join(require.resolve('@baton/task-store/package.json'), '../prisma/migrations'),
    ),
  });
  const repo = await createRepo(files);
  await appendFile(path.join(repo.path, '.git/info/exclude'), '\nignored-by-user/\n*.local\n');
  await repo.write(usersFiles);
  const state = await tempDir();
  const store = await openStore({ url: database.url, clock: systemClock, ids: systemIds });
  const workers: Worker[] = [];
  return {
    store,
    database,
    repo,
    stateDir: state.path,
    submit: async (text, options) => submit({ store, repo }, { parsed: plan.parse(text), ...options }),
    async worker(options = {}) {
      const worker = createWorker({
        store: options.store ?? store,
        stateDir: options.stateDir ?? state.path,
        capacity: options.capacity ?? 2,
        operatorEnv: { ...operatorEnv, ...(options.operatorEnv ?? { PATH: process.env['PATH'] }) },
        ...(options.host === undefined ? {} : { host: options.host }),
        clock: options.clock ?? systemClock,
        ids: systemIds,
        log: options.log ?? quiet,
        timing: { pollMs: 100, sweepMs: 300, renewMs: 1_000, ...options.timing },
        ...(options.runId === undefined ? {} : { runId: options.runId }),
        ...(options.plugins === undefined ? {} : { plugins: options.plugins }),
        ...(options.keep === undefined ? {} : { keep: options.keep }),
        ...(options.isolation === undefined ? {} : { isolation: options.isolation }),
        ...(options.idleProcessors === undefined ? {} : { idleProcessors: options.idleProcessors }),
      });
      workers.push(worker);
      if (options.started !== false) await worker.start();
      return worker;
    },
    settled: (runId, statuses = ['done']) =>
      until(
        async () => {
          const run = await store.runs.get(runId);
          return run !== null && statuses.includes(run.status) ? run : undefined;
        },
        { what: `run is ${statuses.join(' or ')}`, timeoutMs: 60_000 },
      ).catch(async (cause: unknown) => {
        throw new Error(`${String(cause)}\n${await story(store, runId)}`, { cause });
      }),
    async tasks(runId) {
      const { items } = await store.tasks.list({ runId, limit: 500 });
      return new Map(items.map((task) => [task.key, task]));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map((worker) => worker.stop()));
      const found = await remains({ store, repo, stateDir: state.path }).finally(async () => {
        await store.close();
        await Promise.all([
          database[Symbol.asyncDispose](),
          repo[Symbol.asyncDispose](),
          state[Symbol.asyncDispose](),
        ]);
      });
      if (found.length > 0) throw new Error(found.join('\n'));
    },
  };
}

/** What no story may leave: a changed file of the user's, or the operator's secret in the store or in a log. */
async function remains({
  store,
  repo,
  stateDir,
}: Pick<Rig, 'store' | 'repo' | 'stateDir'>): Promise<string[]> {
  const found: string[] = [];
  for (const [name, text] of Object.entries(usersFiles)) {
    const now = await readFile(path.join(repo.path, name), 'utf8').catch(() => null);
    if (now !== text) found.push(`the user's file ${name} was changed: ${String(now)}`);
  }
  for await (const line of store.transfer.exportLines())
    if (line.includes(rigSecret)) found.push(`the secret stands in the store: ${line.slice(0, 300)}`);
  for await (const name of glob('**/*.{log,1,json,txt}', { cwd: stateDir })) {
    const text = await readFile(path.join(stateDir, name), 'utf8').catch(() => '');
    if (text.includes(rigSecret)) found.push(`the secret stands in ${name}`);
  }
  return found;
}

async function submit(
  { store, repo }: { store: Store; repo: TestRepo },
  {
    parsed,
    baseCommit,
    remote,
    location,
    routing = null,
  }: { parsed: Plan; baseCommit?: null; remote?: string; location?: string; routing?: unknown },
): Promise<{ run: Run; tasks: Task[] }> {
  const slug = `${parsed.name}-${systemIds.uuid().slice(-6)}`;
  const by = { actor: 'operator:test', reason: 'a story' };
  const made = await store.runs.create(
    {
      slug,
      name: parsed.name,
      repo:
        remote === undefined
          ? { location: location ?? repo.path, host: hostname() }
          : { location: remote, host: null },
      target: parsed.target ?? `baton/${slug}`,
      baseCommit: baseCommit === null || remote !== undefined ? null : await repo.git('rev-parse', 'HEAD'),
      batchSize: parsed.batch_size,
      maxAgents: parsed.max_agents ?? null,
      trust: parsed.trust,
      review: parsed.review,
      budgetMicroUsd: parsed.budget?.usd ?? null,
      gates: parsed.gates,
      allowRed: parsed.allow_red,
      workspace: parsed.workspace ?? null,
      agents: parsed.agents,
      defaultAgent: parsed.agent ?? null,
      routing,
      plan: parsed,
      tasks: planTasks(parsed, { source: { kind: 'plan', by: 'test', trusted: true } }),
      createdBy: 'operator:test',
    },
    by,
  );
  await store.runs.approvePlan(made.run.id, by);
  return made;
}

/** The launch line of a scripted agent, as a plan names it. */
export function scripted(
  script: FakeScript,
  speaks: 'command' | 'acp' = 'command',
): { command: string[] } | { acp: string[] } {
  const { argv } = fakeAgent(script, { speaks, scriptIn: 'argv' });
  return speaks === 'acp' ? { acp: [...argv] } : { command: [...argv] };
}

/** What happened to every task of a run: for the message of a story that did not end. */
async function story(store: Store, runId: string): Promise<string> {
  const { items } = await store.tasks.list({ runId, limit: 50 });
  const lines = await Promise.all(
    items.map(async (task) => {
      const { cause, text } = await store.tasks.explain(task.id);
      const attempts = await store.tasks.attempts(task.id);
      const moves = await store.tasks.history({ machine: 'task', entityId: task.id });
      const tries = attempts.map(
        (attempt) =>
          `#${attempt.number} ${attempt.turnStatus} ${attempt.outcome ?? 'open'} ${attempt.rejections.join(' ')}`,
      );
      return [
        `${task.key}: ${task.status}, ${cause}: ${text}`,
        ...tries,
        moves.map((move) => `${move.to} (${move.reason})`).join(' → '),
      ].join('\n  ');
    }),
  );
  return lines.join('\n');
}
