import type { Claim, Fact, Holding, Store } from '../../src/index.ts';
import { request } from '../support/builders.ts';
import { base, head } from '../support/flow.ts';
import type { ClaimJournal, ClaimerReport } from './claim-journal.ts';

/** One claimer of a process. */
export interface Claimer {
  store: Store;
  journal: ClaimJournal;
  name: string;
  runId: string;
  /** 0 ≤ x < 1 */
  random(): number;
  report: ClaimerReport;
}

const process = {
  adapter: 'command',
  model: null,
  pid: 1,
  pidStarted: '1',
  workspace: '/w',
  deadlineAt: null,
  route: {},
};

/** Takes the next batch and does something with it. False: there was nothing to take. */
export async function claimAndWork(claimer: Claimer): Promise<boolean> {
  const { store, journal, name, runId, random, report } = claimer;
  const maxTasks = 1 + Math.floor(random() * 3);
  const claim = await journal.note(
    { kind: 'claim', worker: name },
    () => store.claims.claimBatch(request({ workerId: name, runId, maxTasks })),
    (got) =>
      (got?.tasks ?? []).map(({ task, attempt }) => ({
        ok: true,
        taskId: task.id,
        attemptId: attempt.id,
        fence: attempt.fence,
      })),
  );
  if (claim === null) return false;
  report.claims.push(...claim.tasks.map(({ task, attempt }) => `${task.id} ${attempt.number}`));
  await work(claimer, claim);
  return true;
}

async function work(claimer: Claimer, claim: Claim): Promise<void> {
  const { random, report } = claimer;
  const tell = teller(claimer);
  const holdings = claim.tasks.map(({ attempt }) => ({ attemptId: attempt.id, fence: attempt.fence }));
  if (random() < 0.1) {
    for (const [at, holding] of holdings.entries()) {
      const taskId = claim.tasks[at]?.task.id ?? '';
      await toldOf(
        claimer,
        { kind: 'release', taskId, holding },
        { fact: 'released', holding, reason: 'given back' },
      );
      report.released++;
    }
    await tell({ fact: 'batch_over', sessionId: claim.sessionId, exitCode: 0 });
    return;
  }
  await tell({ fact: 'launched', holdings, ...process });
  for (const [at, { task }] of claim.tasks.entries()) {
    const holding = holdings[at] as Holding;
    const where = { holding, baseCommit: base, startCommit: base };
    await tell(
      at === 0 ? { fact: 'ready', ...where } : { fact: 'next_task', ...where, pid: 2, pidStarted: '2' },
    );
    if (random() < 0.15) await renew(claimer, { taskId: task.id, holding });
    // What is done keeps the paths of its batch until it lands, and nothing lands here: only who is alone is raced.
    if (claim.tasks.length === 1 && random() < 0.15) {
      await race(claimer, claim);
      return;
    }
    await finish(claimer, { taskId: task.id, holding });
  }
  await tell({ fact: 'batch_over', sessionId: claim.sessionId, exitCode: 0 });
}

interface Held {
  taskId: string;
  holding: Holding;
}

/** Tells a fact that must be taken. */
const teller =
  ({ store, name }: Claimer) =>
  async (fact: Fact): Promise<void> => {
    const outcome = await store.claims.record(fact, { actor: `worker:${name}` });
    if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`);
  };

async function toldOf(
  { store, journal, name }: Claimer,
  { kind, taskId, holding }: Held & { kind: 'release' | 'done' },
  fact: Fact,
): Promise<boolean> {
  const outcome = await journal.note(
    { kind, worker: name, taskId, ...holding },
    () => store.claims.record(fact, { actor: `worker:${name}` }),
    ({ ok }) => [{ ok, taskId, ...holding }],
  );
  return outcome.ok;
}

async function finish(claimer: Claimer, { taskId, holding }: Held): Promise<boolean> {
  const range = { baseCommit: base, startCommit: base, headCommit: head };
  const fact = { fact: 'done', holding, ...range, summary: 'did it' } as const;
  const ok = await toldOf(claimer, { kind: 'done', taskId, holding }, fact);
  if (ok) claimer.report.finished.push(taskId);
  return ok;
}

async function renew({ store, journal, name }: Claimer, { taskId, holding }: Held): Promise<void> {
  await journal.note(
    { kind: 'renew', worker: name, taskId, ...holding },
    () => store.claims.renewLeases({ workerId: name, leaseMs: 60_000 }),
    ({ lost }) => [{ ok: !lost.includes(holding.attemptId), taskId, ...holding }],
  );
}

/** The agent says that it is done at the very moment at which a peer says that it is dead: one of the two is right. */
async function race(claimer: Claimer, claim: Claim): Promise<void> {
  const [first] = claim.tasks;
  if (first === undefined) return;
  const holding = { attemptId: first.attempt.id, fence: first.attempt.fence };
  let wasDone = false;
  await Promise.all([
    finish(claimer, { taskId: first.task.id, holding }).then((ok) => (wasDone = ok)),
    steal(claimer, claim.sessionId),
  ]);
  const { report } = claimer;
  report.otherMoves += claim.tasks.length - 1;
  // The first one had been started; it became an orphan, which is settled below, by whoever comes first.
  if (!wasDone) report.otherMoves += 2;
  await adopt(claimer);
}

/** Reports a session as dead, rightly or not. What it had done by then stays done. */
export async function steal({ store, journal, name }: Claimer, sessionId: string): Promise<void> {
  const held = await store.tasks.listAttempts({ sessionId, open: true });
  await journal.note(
    { kind: 'steal', worker: name },
    async () => {
      const outcome = await store.claims.record(
        {
          fact: 'process_died',
          sessionId,
          exitCode: null,
          abortReason: 'parent_aborted',
          reason: 'thought dead',
        },
        { actor: `worker:${name}` },
      );
      const now = outcome.ok ? await store.tasks.listAttempts({ sessionId }) : [];
      return { ok: outcome.ok, now };
    },
    ({ ok, now }) =>
      !ok
        ? []
        : held
            .filter(({ id }) => now.some((each) => each.id === id && each.turnStatus !== 'VERIFYING'))
            .map(({ id, taskId }) => ({ ok: true, taskId, attemptId: id, fence: null })),
  );
}

/** Takes on what was stolen from its holder in the middle of its work, and gives it back to the queue. */
export async function adopt(claimer: Claimer): Promise<boolean> {
  const { store, journal, name, runId, report } = claimer;
  const taken = await journal.note(
    { kind: 'adopt', worker: name },
    () => store.claims.takeOrphans({ workerId: name, host: 'here', leaseMs: 60_000, runId }),
    (orphans) =>
      orphans.map(({ task, attempt }) => ({
        ok: true,
        taskId: task.id,
        attemptId: attempt.id,
        fence: attempt.fence,
      })),
  );
  for (const { task, attempt } of taken) {
    const holding = { attemptId: attempt.id, fence: attempt.fence };
    const fact = { fact: 'orphan_settled', holding, to: 'OPEN', reason: 'begin again' } as const;
    if (await toldOf(claimer, { kind: 'release', taskId: task.id, holding }, fact)) report.otherMoves++;
  }
  return taken.length > 0;
}
