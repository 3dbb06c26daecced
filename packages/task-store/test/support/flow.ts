import type {
  Claim,
  Fact,
  Holding,
  LandingWork,
  RecordOutcome,
  RunDraft,
  Store,
  Task,
} from '../../src/index.ts';
import type { TaskDraft, Verdict } from '@baton/contracts';
import { by, request, runDraft } from './builders.ts';

export const base = 'b'.repeat(40);
export const head = 'c'.repeat(40);
const actor = 'worker:w1';

/** Ways in which landing turns work down. */
type Turned = Extract<Fact, { fact: 'rejected' }>['kind'];

/** Drives a store the way a worker does, one fact at a time; a refusal throws, so that no test goes on by accident. */
export interface Flow {
  open(tasks: TaskDraft[], given?: Partial<RunDraft>): Promise<{ runId: string; tasks: Task[] }>;
  claim(runId: string, maxTasks?: number): Promise<Claim>;
  tell(fact: Fact): Promise<RecordOutcome & { ok: true }>;
  launch(claim: Claim): Promise<void>;
  ready(claim: Claim, at?: number): Promise<void>;
  next(claim: Claim, at: number): Promise<void>;
  done(claim: Claim, at?: number): Promise<void>;
  over(claim: Claim): Promise<void>;
  /** Claim, launch, ready and done of a batch of one; the session is over. */
  finish(runId: string): Promise<Claim>;
  /** Claim, launch and ready of a batch of one: its agent is at work. */
  working(runId: string): Promise<Claim>;
  take(runId: string): Promise<LandingWork>;
  /** Takes work and turns it down; returns its task. */
  reject(runId: string, kind: Turned, reasons?: string[]): Promise<Task | null>;
  /** Verdict, intent and confirmation. */
  land(work: LandingWork, results?: Verdict['results']): Promise<{ taskId: string; released: number }>;
  /** Takes and lands until nothing of the run is left to land; returns the keys in landing order. */
  landAll(runId: string): Promise<string[]>;
}

export const holding = (claim: Claim, at = 0): Holding => {
  const attempt = claim.tasks[at]?.attempt;
  if (attempt === undefined) throw new Error(`the claim has no task ${at}`);
  return { attemptId: attempt.id, fence: attempt.fence };
};

export const passed = (tree: string): Verdict => ({
  tree,
  passed: true,
  checks: 'gates',
  results: [],
  reasons: [],
  durationMs: 1,
});

export function flow(store: Store): Flow {
  const tell: Flow['tell'] = async (fact) => {
    const outcome = await store.claims.record(fact, { actor });
    if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`);
    return outcome;
  };
  const lanes = new Map<string, NonNullable<Awaited<ReturnType<Store['lanes']['acquire']>>>>();
  const laneOf = async (runId: string) => {
    const run = await store.runs.get(runId);
    if (run === null) throw new Error('no run');
    const known = lanes.get(`${run.repoId} ${run.target}`);
    if (known !== undefined && (await store.lanes.renew(known, 60_000))) return known;
    const lane = await store.lanes.acquire({
      repoId: run.repoId,
      target: run.target,
      workerId: 'w1',
      leaseMs: 60_000,
    });
    if (lane === null) throw new Error('no lane');
    lanes.set(`${run.repoId} ${run.target}`, lane);
    return lane;
  };
  const self: Flow = {
    tell,
    async open(tasks, given = {}) {
      const made = await store.runs.create(runDraft(tasks, given), by);
      await store.runs.approvePlan(made.run.id, by);
      return { runId: made.run.id, tasks: made.tasks };
    },
    async claim(runId, maxTasks = 1) {
      const claim = await store.claims.claimBatch(request({ runId, maxTasks }));
      if (claim === null) throw new Error('nothing to claim');
      return claim;
    },
    async launch(claim) {
      const holdings = claim.tasks.map((_, at) => holding(claim, at));
      const process = {
        adapter: 'command',
        model: null,
        pid: 1,
        pidStarted: '1',
        workspace: '/w',
        deadlineAt: null,
        route: {},
      };
      await tell({ fact: 'launched', holdings, ...process });
    },
    async ready(claim, at = 0) {
      await tell({ fact: 'ready', holding: holding(claim, at), baseCommit: base, startCommit: base });
    },
    async next(claim, at) {
      await tell({
        fact: 'next_task',
        holding: holding(claim, at),
        baseCommit: base,
        startCommit: base,
        pid: 2,
        pidStarted: '2',
      });
    },
    async done(claim, at = 0) {
      const range = { baseCommit: base, startCommit: base, headCommit: head };
      await tell({ fact: 'done', holding: holding(claim, at), ...range, summary: 'did it' });
    },
    async over(claim) {
      await tell({ fact: 'batch_over', sessionId: claim.sessionId, exitCode: 0 });
    },
    async finish(runId) {
      const claim = await self.working(runId);
      await self.done(claim);
      await self.over(claim);
      return claim;
    },
    async working(runId) {
      const claim = await self.claim(runId);
      await self.launch(claim);
      await self.ready(claim);
      return claim;
    },
    async take(runId) {
      const work = await store.lanes.takeForLanding(await laneOf(runId), { runId });
      if (work === null) throw new Error('nothing to land');
      return work;
    },
    async reject(runId, kind, reasons = ['tests are red']) {
      const { task, attempt } = await self.take(runId);
      const mine = { attemptId: attempt.id, fence: attempt.fence };
      await tell({ fact: 'rejected', holding: mine, kind, reasons });
      return store.tasks.get(task.id);
    },
    async land(work, results = []) {
      const lane = await laneOf(work.run.id);
      const mine = { attemptId: work.attempt.id, fence: work.attempt.fence };
      const tree = `tree-${work.attempt.id}`;
      const verdict = { ...passed(tree), results };
      const verdictId = await store.lanes.saveVerdict({ holding: mine, checksHash: 'h', verdict });
      const holder = { workerId: 'w1', host: 'here', pid: 1, pidStarted: '1', lockFiles: [] };
      const members = [{ holding: mine, verdictId, candidateCommit: head }];
      const [landingId] =
        (await store.lanes.writeIntents({ lane, members, fromCommit: base, tree, holder })) ?? [];
      if (landingId === undefined) throw new Error('the intent was refused');
      return store.lanes.confirm(landingId, { actor });
    },
    async landAll(runId) {
      const keys: string[] = [];
      for (;;) {
        const work = await store.lanes.takeForLanding(await laneOf(runId), { runId });
        if (work === null) return keys;
        await self.land(work);
        keys.push(work.task.key);
      }
    },
  };
  return self;
}

export { by, request, runDraft };
