import type { Fact } from '@baton/task-store';
import { until } from '@baton/testkit';
import { by, draft, request, runDraft } from '../../../../../packages/task-store/test/support/builders.ts';
import { base, head, passed } from '../../../../../packages/task-store/test/support/flow.ts';
import type { Step } from './format.ts';
import type { Stage } from './stage.ts';

type NameOf<S> = S extends unknown ? keyof S : never;
type Given<Name extends string> = Extract<Step, Record<Name, unknown>>[Name &
  keyof Extract<Step, Record<Name, unknown>>];
type Plays = { [Name in NameOf<Step>]: (stage: Stage, given: Given<Name>) => Promise<unknown> };

/** Plays one step: one call of the store's public API. */
export async function play(stage: Stage, step: Step): Promise<void> {
  const [[name, given]] = Object.entries(step) as [[NameOf<Step>, never]];
  await plays[name](stage, given);
}

const process = { pid: 1, pidStarted: '1' };
const leaseMs = 60_000;
const backdated = `now() - interval '1 second'`;
/** Timestamps that a case may not wait for: the one thing that is written past the store. */
const ageing = {
  leases: `UPDATE attempt SET lease_expires_at = ${backdated} WHERE lease_expires_at IS NOT NULL`,
  lanes: `UPDATE lane SET lease_expires_at = ${backdated} WHERE lease_expires_at IS NOT NULL`,
  back_offs: `UPDATE task SET not_before = ${backdated} WHERE not_before IS NOT NULL`,
  heartbeats: `UPDATE worker SET heartbeat_at = now() - interval '5 minutes'`,
  wanted_paths: `UPDATE task SET paths_wanted_since = now() - interval '11 minutes' WHERE paths_wanted_since IS NOT NULL`,
};

const plays: Plays = {
  async run(stage, { name, planned, budget_usd, max_agents, batch_size, gates, tasks }) {
    const drafts = tasks.map(({ key, ...given }) => draft(key, defined(given)));
    const made = await stage.store.runs.create(
      runDraft(drafts, {
        slug: name,
        budgetMicroUsd: budget_usd ?? null,
        maxAgents: max_agents ?? null,
        batchSize: batch_size,
        gates,
      }),
      by,
    );
    stage.runs.set(name, made.run.id);
    if (!planned) await stage.store.runs.approvePlan(made.run.id, by);
  },
  add: (stage, { run, tasks }) =>
    stage.store.tasks.add(stage.runId(run), {
      ...by,
      planned: false,
      drafts: tasks.map(({ key, ...given }) => draft(key, defined(given))),
    }),
  approve_plan: (stage, { run }) => stage.store.runs.approvePlan(stage.runId(run), by),
  async worker({ store, ...stage }, { status, run, ...worker }) {
    const runId = run === undefined ? null : stage.runId(run);
    const node = { name: worker.id, ...process, bootId: 'b', capacity: 2, version: '0.0.0', runId };
    await store.workers.register({ ...worker, ...node });
    if (status !== 'online') await store.workers.setStatus(worker.id, status, by);
  },
  ended: ({ store }, { worker }) => store.workers.setStatus(worker, 'offline', by),
  withdraw: ({ store }, { worker, agent, reason }) =>
    store.workers.setWithdrawn(worker, [{ agent, reason, until: '2999-01-01T00:00:00Z' }]),
  head_at: async (stage, { task, host }) =>
    stage.store.lanes.placeHead(await stage.holding(task), {
      at: 'clone',
      host,
      path: `/state/${host}`,
      ref: 'refs/baton/attempts/t/1',
    }),
  async claim(stage, { task, run, max, worker }) {
    const asked = request({ workerId: worker, leaseMs, maxTasks: max });
    const claim =
      task === undefined
        ? await stage.store.claims.claimBatch({ ...asked, runId: stage.runId(run) })
        : await stage.store.claims.claimTask(await stage.taskId(task), asked);
    if (claim === null) throw new Error('nothing could be claimed');
    for (const { task: claimed, attempt } of claim.tasks) {
      stage.claims.set(claimed.id, claim);
      stage.holdings.set(claimed.id, { attemptId: attempt.id, fence: attempt.fence });
    }
  },
  async launch(stage, { task }) {
    const { tasks } = await stage.claimOf(task);
    const holdings = tasks.map(({ attempt: { id, fence } }) => ({ attemptId: id, fence }));
    const agent = { adapter: 'command', model: null, workspace: '/w', deadlineAt: null, route: {} };
    await stage.tell({ fact: 'launched', holdings, ...agent, ...process });
  },
  ready: async (stage, { task }) =>
    stage.tell({ fact: 'ready', holding: await stage.holding(task), baseCommit: base, startCommit: base }),
  async done(stage, { task }) {
    const range = { baseCommit: base, startCommit: base, headCommit: head };
    await stage.tell({ fact: 'done', holding: await stage.holding(task), ...range, summary: 'did it' });
  },
  over: async (stage, { task }) =>
    stage.tell({ fact: 'batch_over', sessionId: (await stage.claimOf(task)).sessionId, exitCode: 0 }),
  async died(stage, { task }) {
    const { sessionId } = await stage.claimOf(task);
    const end = { exitCode: 137, abortReason: 'oom', reason: 'it died' } as const;
    await stage.tell({ fact: 'process_died', sessionId, ...end });
  },
  async tell(stage, { task, children, notBefore, ...fact }) {
    const made = {
      ...fact,
      holding: await stage.holding(task),
      ...(children && { children: children.map(({ key, ...given }) => draft(key, defined(given))) }),
      ...(typeof notBefore === 'string' ? { notBefore: new Date(notBefore) } : {}),
    };
    // A wrong fact is refused by the store itself, in its words.
    await stage.tell(made as unknown as Fact);
  },
  async lane(stage, { worker, run }) {
    const { repoId, target } = await runOf(stage, run);
    stage.lane = await stage.store.lanes.acquire({ repoId, target, workerId: worker, leaseMs });
  },
  async take(stage, { run }) {
    const work = await stage.store.lanes.takeForLanding(laneOf(stage), { runId: stage.runId(run) });
    if (work === null) throw new Error('nothing is there to land');
    stage.holdings.set(work.task.id, { attemptId: work.attempt.id, fence: work.attempt.fence });
  },
  fails: async (stage, { task, text, worker }) =>
    stage.store.lanes.headMissed(await stage.holding(task), {
      ...{ workerId: worker, text, pauseMs: leaseMs },
      isUnreadable: false,
    }),
  async land(stage, { task }) {
    const holding = await stage.holding(task);
    const tree = `tree-${holding.attemptId}`;
    const { store } = stage;
    const verdictId = await store.lanes.saveVerdict({ holding, checksHash: 'h', verdict: passed(tree) });
    const holder = { workerId: 'w1', host: 'here', ...process, lockFiles: [] };
    const members = [{ holding, verdictId, candidateCommit: head }];
    const refs = { lane: laneOf(stage), members, fromCommit: base, tree, holder };
    const [id] = (await store.lanes.writeIntents(refs)) ?? [];
    if (id === undefined) throw new Error('the intent was refused');
    await store.lanes.confirm(id, { actor: 'worker:w1' });
  },
  lane_waits: (stage, { cause, text }) => stage.store.lanes.noteWait(laneOf(stage), { cause, text }),
  usage: async (stage, { task, usd }) =>
    stage.store.streams.recordUsage({
      attemptId: (await stage.holding(task)).attemptId,
      offset: 1,
      usage: {
        ...{ model: null, inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
        ...{ costMicroUsd: usd, estimated: false },
      },
      costMicroUsd: usd,
    }),
  pause: (stage, { run, reason }) =>
    stage.store.runs.pause(stage.runId(run), reason === undefined ? by : { ...by, reason }),
  resume: (stage, { run }) => stage.store.runs.resume(stage.runId(run), by),
  fail_run: (stage, { run }) => stage.store.runs.fail(stage.runId(run), by),
  cancel: async (stage, { task }) => stage.store.tasks.cancel(await stage.taskId(task), by),
  retry: async (stage, { task }) => stage.store.tasks.retry(await stage.taskId(task), by),
  async decide(stage, { task, approve }) {
    const id = await stage.taskId(task);
    const approval = (await stage.store.approvals.list({})).find(({ taskId }) => taskId === id);
    if (approval === undefined) throw new Error(`no approval of "${task}" is waited for`);
    await stage.store.approvals.decide(approval.id, { ...by, approve, nonce: approval.nonce });
  },
  sweep: (stage) => stage.store.claims.sweep({ actor: 'sweeper' }),
  sequence: (stage) => stage.store.feed.sequence(),
  async unsequenced({ store, taskId }, { task }) {
    const id = await taskId(task);
    const look = async () => {
      const { cause, also } = await store.tasks.explain(id);
      return [cause, ...also].includes('feed_behind');
    };
    await until(look, { what: 'the feed is behind', timeoutMs: 30_000, everyMs: 250 });
  },
  age: (stage, { what }) => stage.sql(ageing[what]),
};

async function runOf(stage: Stage, name: string | undefined) {
  const run = await stage.store.runs.get(stage.runId(name));
  if (run === null) throw new Error('the run is gone');
  return run;
}

function laneOf(stage: Stage): NonNullable<Stage['lane']> {
  if (stage.lane === null) throw new Error('nobody holds the lane: a `lane` step comes first');
  return stage.lane;
}

/** What the case left out has the builder's default. */
function defined<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
