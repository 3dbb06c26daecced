import { expect } from './expect.ts';
import type { Progress } from '../../src/model/fact.ts';
import type { Fact } from '../../src/index.ts';
import { draft } from '../support/builders.ts';
import type { Commands, Perform } from './command.ts';
import {
  actor,
  adopt,
  commit,
  headCommit,
  holdingOf,
  leaseMs,
  pick,
  tell,
  tellOf,
  type Real,
} from './driver.ts';
import * as rules from './rules.ts';
import { isHeld, openAttempts, type ModelAttempt, type ModelSession, type World } from './world.ts';

const liveSessions = (world: World) =>
  world.sessions.filter(({ ended, attempts }) => !ended || attempts.some((attempt) => !attempt.ended));
/** Attempts that an agent may have something to say about. */
const attempts = (world: World) =>
  world.sessions
    .flatMap((session) => openAttempts(session))
    .filter(({ task }) => task.status !== 'PENDING_APPROVAL');
/** Those that an agent holds. */
const heldAttempts = (world: World) => attempts(world).filter(({ task }) => isHeld(task));

const launch: Perform = async (world, real, { at }) => {
  const session = pick(
    liveSessions(world).filter((each) => heldAttempts(world).some((attempt) => attempt.session === each)),
    at,
  );
  if (session) await launchSession(world, real, session);
};

async function launchSession(world: World, real: Real, session: ModelSession): Promise<void> {
  const open = openAttempts(session);
  if (open.some(({ given, fence }) => given !== fence)) return;
  const process = {
    adapter: 'command',
    model: null,
    pid: 1,
    pidStarted: '1',
    workspace: '/w',
    deadlineAt: null,
    route: {},
  };
  await tell(world, real, {
    fact: { fact: 'launched', holdings: open.map(holdingOf), ...process },
    attempt: null,
    accepts: () => rules.launched(session),
  });
}

const begin: Perform = async (world, real, { at, way }) => {
  const attempt = pick(heldAttempts(world), at);
  if (attempt === undefined) return;
  const kind = (attempt.session?.status === 'working') !== (way % 8 === 0) ? 'next_task' : 'ready';
  const holding = holdingOf(attempt);
  const range = { baseCommit: commit, startCommit: commit };
  const fact: Fact =
    kind === 'ready'
      ? { fact: kind, holding, ...range }
      : { fact: kind, holding, ...range, pid: 2, pidStarted: '2' };
  await tellOf(world, real, { attempt, fact, rule: rules.begins(kind) });
};

const work: Perform = async (world, real, { at, way }) => {
  const attempt = pick(attempts(world), at);
  if (attempt === undefined) return;
  const kinds = ['tool_started', 'tool_ended', 'compaction_started', 'compaction_ended'] as const;
  const kind = pick(kinds, way) ?? 'tool_started';
  const rule = {
    tool_started: rules.toolStarts,
    tool_ended: rules.toolEnds,
    compaction_started: rules.compactionStarts,
    compaction_ended: rules.compactionEnds,
  }[kind];
  await tellOf(world, real, { attempt, fact: { fact: kind, holding: holdingOf(attempt) }, rule });
};

const finish: Perform = async (world, real, { at }) => {
  const attempt = pick(attempts(world), at);
  if (attempt === undefined) return;
  const range = { baseCommit: commit, startCommit: commit, headCommit };
  await tellOf(world, real, {
    attempt,
    fact: { fact: 'done', holding: holdingOf(attempt), ...range, summary: 'done' },
    rule: rules.done,
  });
};

const giveUp: Perform = async (world, real, { at, way }) => {
  const attempt = pick(attempts(world), at);
  if (attempt === undefined) return;
  const holding = holdingOf(attempt);
  const reason = 'no';
  const outcomes = ['agent_failed', 'timeout', 'crashed', 'spawn_failed'] as const;
  const outcome = pick(outcomes, way) ?? 'agent_failed';
  const other = pick(world.tasks, way);
  const on = way % 2 === 0 && other && other !== attempt.task && !other.settled ? other : null;
  const facts: { fact: Fact; rule: rules.Rule }[] = [
    { fact: { fact: 'agent_failed', holding, reason, outcome }, rule: rules.fails(outcome) },
    { fact: { fact: 'released', holding, reason }, rule: rules.released },
    { fact: { fact: 'cancelled', holding, reason }, rule: rules.cancelled },
    {
      fact: { fact: 'blocked', holding, reason, on: on ? { task: on.id } : { text: 'a key' } },
      rule: rules.blocked(on?.id ?? true),
    },
  ];
  const chosen = pick(facts, way);
  if (chosen) await tellOf(world, real, { attempt, ...chosen });
};

const split: Perform = async (world, real, { at, way }) => {
  const attempt = pick(heldAttempts(world), at);
  if (attempt === undefined || world.tasks.length > 9) return;
  const keys = Array.from({ length: 1 + (way % 2) }, (_, n) => `c${world.tasks.length + n}`);
  const edges = new Map(keys.map((key, n) => [key, n > 0 ? [keys[0] ?? ''] : []]));
  const drafts = keys.map((key) => draft(key, { maxRetries: way % 2, dependsOn: edges.get(key) ?? [] }));
  const fact: Fact = { fact: 'decomposed', holding: holdingOf(attempt), reason: 'too big', children: drafts };
  if (!(await tellOf(world, real, { attempt, fact, rule: rules.decomposed }))) return;
  const { items } = await real.store.tasks.list({
    runId: world.runId,
    parentId: attempt.task.id,
    limit: 100,
  });
  const fresh = keys.flatMap((key) => items.filter((item) => item.key === key));
  adopt(world, fresh, { parent: attempt.task, edges, planned: false });
};

const failSetUp: Perform = async (world, real, { at, way }) => {
  const session = pick(
    world.sessions.filter((each) => each.status === null && !each.ended),
    at,
  );
  if (session === undefined) return;
  const options = { retry: way % 3 > 0, counted: way % 2 > 0 };
  for (const attempt of openAttempts(session)) {
    const fact: Fact = { fact: 'setup_failed', holding: holdingOf(attempt), reason: 'no tool', ...options };
    await tellOf(world, real, { attempt, fact, rule: rules.setupFailed(options) });
  }
};

const endSession: Perform = async (world, real, { at, way }) => {
  const session = pick(liveSessions(world), at);
  if (session === undefined) return;
  const over: Fact = { fact: 'batch_over', sessionId: session.id, exitCode: 0 };
  if (way % 2 === 0)
    return void (await tell(world, real, {
      fact: over,
      attempt: null,
      accepts: () => rules.batchOver(session),
    }));
  const ends = [
    { abortReason: 'oom', exitCode: 137 },
    { abortReason: 'user_interrupt', exitCode: null },
    { abortReason: 'unknown', exitCode: 0 },
    { abortReason: 'parent_aborted', exitCode: null },
  ] as const;
  const end = pick(ends, at) ?? ends[0];
  const clean = end.abortReason === 'user_interrupt' || end.exitCode === 0;
  const counts = !['user_interrupt', 'parent_aborted'].includes(end.abortReason);
  const fact: Fact = { fact: 'process_died', sessionId: session.id, ...end, reason: 'it ended' };
  await tell(world, real, {
    fact,
    attempt: null,
    accepts: () => rules.sessionLost(world, session, { counts, clean }),
  });
};

const lapse: Perform = async (world, real, { at }) => {
  const session = pick(liveSessions(world), at);
  if (session === undefined) return;
  await real.client.query(
    `UPDATE attempt SET lease_expires_at = now() - interval '1 second' WHERE session_id = $1 AND lease_expires_at IS NOT NULL AND ended_at IS NULL`,
    [session.id],
  );
  for (const attempt of openAttempts(session)) attempt.lapsed = isHeld(attempt.task);
};

const renew: Perform = async (world, real) => {
  const { cancelRequested } = await real.store.claims.renewLeases({ workerId: real.workerId, leaseMs });
  const wanted = heldAttempts(world).filter(({ task }) => task.cancel);
  for (const { id } of wanted) expect(cancelRequested.includes(id), 'told to stop').toBe(true);
  for (const attempt of attempts(world)) attempt.lapsed = false;
};

/** The next sensible step of one agent: launched, at work, done, over. */
const advance: Perform = async (world, real, choice) => {
  const session = pick(liveSessions(world), choice.at);
  if (session === undefined) return;
  const open = openAttempts(session);
  const at = (attempt: ModelAttempt) => ({ ...choice, at: heldAttempts(world).indexOf(attempt) });
  const running = open.find(({ task, turn }) => task.status === 'IN_PROGRESS' && turn !== 'COMPACTING');
  if (running) return finish(world, real, { ...choice, at: attempts(world).indexOf(running) });
  const waiting = open.find(({ task }) => task.status === 'CLAIMED');
  if (waiting && session.status === null) return launchSession(world, real, session);
  if (waiting) return begin(world, real, { ...at(waiting), way: 1 });
  const over: Fact = { fact: 'batch_over', sessionId: session.id, exitCode: 0 };
  await tell(world, real, { fact: over, attempt: null, accepts: () => rules.batchOver(session) });
};

/** Several facts of a session at once, all or none: the same as one after the other. */
const leap: Perform = async (world, real, { at, way }) => {
  const fresh = liveSessions(world).filter(
    ({ status, execution }) => status === null && execution === 'pending',
  );
  const session = pick(fresh, at);
  const open = session ? openAttempts(session) : [];
  const first = open.find(({ task }) => task.status === 'CLAIMED');
  if (session === undefined || first === undefined || open.some(({ given, fence }) => given !== fence))
    return;
  const holding = holdingOf(first);
  const range = { baseCommit: commit, startCommit: commit };
  const process = {
    adapter: 'command',
    model: null,
    pid: 1,
    pidStarted: '1',
    workspace: '/w',
    deadlineAt: null,
  };
  const steps: { fact: Progress; rule: rules.Rule }[] = [
    { fact: { fact: 'ready', holding, ...range }, rule: rules.begins('ready') },
    { fact: { fact: 'tool_started', holding }, rule: rules.toolStarts },
    { fact: { fact: 'tool_ended', holding }, rule: rules.toolEnds },
    { fact: { fact: 'done', holding, ...range, headCommit, summary: 'done' }, rule: rules.done },
  ];
  const taken = steps.slice(0, 1 + (way % steps.length));
  const launched: Progress = { fact: 'launched', holdings: open.map(holdingOf), ...process, route: {} };
  const commandId = `${real.workerId}:${++real.count}`;
  const outcome = await real.store.claims.recordAll([launched, ...taken.map(({ fact }) => fact)], {
    actor,
    commandId,
  });
  const expected = rules.launched(session) && taken.every(({ rule }) => rule(world, first));
  expect(outcome.ok, `${taken.length + 1} facts at once: ${JSON.stringify(outcome)}`).toBe(expected);
  real.accepted += taken.length + 1;
};

/** What agents and their holders report. */
export const agentCommands: Commands = {
  advance: [22, advance],
  leap: [3, leap],
  launch: [1, launch],
  begin: [2, begin],
  work: [4, work],
  done: [1, finish],
  giveUp: [3, giveUp],
  split: [2, split],
  failSetUp: [1, failSetUp],
  endSession: [2, endSession],
  lapse: [2, lapse],
  renew: [1, renew],
};
