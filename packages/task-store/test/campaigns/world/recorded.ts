import type { Change, EventDraft } from '../../../src/decide/change.ts';
import type { Item } from '../../../src/decide/situation.ts';
import { byId, type Message, type World } from './rows.ts';

type Fact = Message['fact'];

/** What a change of a fact must write down besides its moves, as a table of its own: none of it decides what may happen next. */
export function recordProblems(
  { fact, items }: { fact: Fact; items: readonly Item[] },
  change: Change,
  after: World,
): string[] {
  const abortReason =
    fact.fact === 'lease_lapsed' ? 'unknown' : fact.fact === 'process_died' ? fact.abortReason : null;
  return [
    ...eventProblems(change, fact),
    ...(change.events ?? [])
      .filter((event) => abortReason !== null && event.abortReason !== abortReason)
      .map((event) => `"${fact.fact}" says ${event.abortReason} of ${event.machine} ${event.toState}`),
    ...items.flatMap((item) => endProblems({ fact, item }, change, after)),
    ...missing(change, fact).map((what) => `"${fact.fact}" does not write down ${what}`),
  ].map((what) => `recorded: ${what}`);
}

/** Why an event's move happened, where there is a word for it. Source: docs/spec/kernel.md#transition-reasons-binding. */
function reasonOf({ toState, event }: EventDraft, fact: Fact | null): string | null | undefined {
  const recovered = fact?.fact === 'orphan_settled' ? 'orphan_recovered' : null;
  switch (toState) {
    case 'CANCELLED':
      return 'aborted';
    case 'CLOSED':
      return 'completed';
    case 'DONE':
      return event === 'complete' ? 'completed' : recovered;
    case 'OPEN':
      return event === 'unblock' || event === 'reopen' ? null : (recovered ?? 'retry');
    // Aborted, or for no reason that has a word.
    case 'FAILED':
      return undefined;
    default:
      return null;
  }
}

/**
 * What changed an execution, by its own event; how it ends is its process's to say. Source:
 * docs/spec/kernel.md#execution-triggers-binding.
 */
const triggers: Readonly<Record<string, string>> = {
  start: 'spawn',
  connect: 'connected',
  prompt: 'prompt_received',
  finish: 'result_received',
  suspend: 'context_cleared',
  settle: 'context_cleared',
  resume: 'context_cleared',
};

function triggerOf({ machine, event }: EventDraft, fact: Fact | null): string | null {
  if (machine !== 'execution') return null;
  const own = triggers[event];
  if (own !== undefined) return own;
  if (fact?.fact === 'lease_lapsed') return 'reconciliation';
  if (fact?.fact === 'batch_over' && fact.exitCode === 0) return 'process_exited';
  if (fact?.fact !== 'process_died') return 'process_crashed';
  if (fact.abortReason === 'user_interrupt' || fact.abortReason === 'shutdown_signal')
    return 'user_terminated';
  return fact.abortReason === 'parent_aborted' || fact.abortReason === 'provider_error'
    ? 'disconnected'
    : 'process_crashed';
}

/** What each event says of itself, whoever caused it (null: no holder's fact). */
export function eventProblems({ events = [] }: Change, fact: Fact | null): string[] {
  return events.flatMap((event) => {
    const name = `${event.machine} ${event.fromState ?? ''}→${event.toState}`;
    const found: string[] = [];
    const isOfTask = event.machine === 'task' || event.machine === 'turn';
    if (typeof event.runId !== 'string') found.push(`${name} names no run`);
    for (const word of [event.actor, event.reason])
      if (typeof word !== 'string' || word === '') found.push(`${name} does not say who moved it and why`);
    if ((typeof event.taskId === 'string') !== isOfTask)
      found.push(`${name} names ${isOfTask ? 'no' : 'a'} task`);
    const reason = event.machine === 'task' ? reasonOf(event, fact) : null;
    if (reason !== undefined && event.transitionReason !== reason)
      found.push(`${name} has the reason ${event.transitionReason}`);
    const trigger = triggerOf(event, fact);
    if (event.trigger !== trigger) found.push(`${name} has the trigger ${event.trigger}`);
    if (event.version !== 1) found.push(`${name} names no version`);
    return found;
  });
}

/** What a change must write down that no holder's fact brought about: a landing, a person's word, a cancel. */
export function wordProblems(change: Change): string[] {
  const ended = (change.attempts ?? []).flatMap((entry) =>
    'patch' in entry && entry.patch.endedAt !== undefined ? [entry.patch] : [],
  );
  const task = change.tasks?.[0]?.patch.status;
  const how =
    task === 'CLOSED'
      ? 'done true'
      : task === 'FAILED' && change.decision !== undefined
        ? 'rejected true'
        : 'cancelled false';
  return [
    ...eventProblems(change, null),
    ...ended
      .map(({ outcome, counted = false }) => `${outcome ?? 'nothing'} ${counted}`)
      .filter((said) => said !== how)
      .map((said) => `an attempt ends as ${said}, not ${how}`),
  ].map((what) => `recorded: ${what}`);
}

/** How an attempt that a fact ends is said to have ended. */
function outcomesOf(fact: Fact, { attempt }: Item): readonly string[] {
  if (fact.fact === 'agent_failed') return [fact.outcome];
  if (fact.fact === 'rejected') return [fact.kind];
  if (fact.fact === 'lease_lapsed') return ['lease_lost'];
  if (fact.fact === 'process_died') return ['lease_lost', 'spawn_failed'];
  if (fact.fact === 'orphan_settled') return [attempt.orphanCounts ? 'crashed' : 'lease_lost'];
  return [fact.fact];
}

function endProblems({ fact, item }: { fact: Fact; item: Item }, change: Change, after: World): string[] {
  const entry = (change.attempts ?? []).find((one) => 'patch' in one && one.id === item.attempt.id);
  if (entry === undefined || !('patch' in entry) || entry.patch.endedAt === undefined) return [];
  const { outcome, counted = false } = entry.patch;
  const name = `attempt ${item.attempt.id}`;
  const tries = (byId(after.tasks, item.task.id)?.tries ?? 0) - item.task.tries;
  return [
    ...(outcomesOf(fact, item).includes(outcome ?? '') ? [] : [`${name} ends as ${outcome ?? 'nothing'}`]),
    ...(counted === tries > 0
      ? []
      : [`${name} ${counted ? 'counts' : 'does not count'}, its task ${tries > 0 ? 'does' : 'does not'}`]),
  ];
}

/** Columns that a fact brings and that the change does not set to what it says. */
function missing(change: Change, fact: Fact): string[] {
  const [session] = change.sessions ?? [];
  const attempts = (change.attempts ?? []).flatMap((entry) => ('patch' in entry ? [entry] : []));
  const attempt = 'holding' in fact ? attempts.find(({ id }) => id === fact.holding.attemptId) : undefined;
  const unset = <Patch extends object>(patch: Patch | undefined, wanted: Partial<Patch>) =>
    Object.entries(wanted)
      .filter(([key, value]) => patch?.[key as keyof Patch] !== value)
      .map(([key]) => key);
  if (fact.fact === 'launched') {
    const { adapter, model = null, pid = null, pidStarted = null, workspace, deadlineAt = null } = fact;
    return unset(session?.patch, {
      adapter,
      model,
      pid,
      pidStarted,
      workspace,
      deadlineAt,
      lastSignAt: 'now',
    });
  }
  if (fact.fact === 'next_task')
    return [
      ...unset(session?.patch, {
        pid: fact.pid ?? null,
        pidStarted: fact.pidStarted ?? null,
        lastSignAt: 'now',
      }),
      ...unset(attempt?.patch, { baseCommit: fact.baseCommit, startCommit: fact.startCommit }),
    ];
  if (fact.fact === 'ready')
    return unset(attempt?.patch, { baseCommit: fact.baseCommit, startCommit: fact.startCommit });
  if (fact.fact === 'done') {
    const { baseCommit, startCommit, headCommit, summary } = fact;
    return [
      ...unset(attempt?.patch, { baseCommit, startCommit, headCommit, summary }),
      ...unset(session?.patch, { lastSignAt: 'now' }),
    ];
  }
  if (fact.fact === 'process_died' || fact.fact === 'batch_over') {
    const { exitCode, abortReason = null } = fact;
    return unset(session?.patch, { exitCode, abortReason, endedAt: 'now' });
  }
  if (fact.fact !== 'lease_lapsed') return [];
  return unset(session?.patch, { exitCode: null, abortReason: 'unknown', endedAt: 'now' });
}
