import {
  reasonOf,
  type AgentSession,
  type Attempt,
  type ExpectedConflict,
  type Run,
  type Task,
} from '@baton/task-store';

import { newlyExpected } from '../look/expected.ts';
import { agentOf, agentText } from '../terminal/agent-text.ts';
import { costOf, costText } from '../terminal/cost-text.ts';
import { formatMs, oneLine, shortId } from '../terminal/format.ts';
import type { Flagged } from '../look/flagged.ts';
import { reasonParts } from '../terminal/reason-text.ts';
import { triesOf, tryNumber } from '../terminal/tries.ts';
import { heldBy } from './held.ts';

/** Outcomes of attempts that ended without a result and used up no try. */
const givenBack = new Set([
  'released',
  'lost',
  'price_unknown',
  'budget',
  'parked',
  'provider_down',
  'state_full',
]);

/** A run as it is at one moment. */
export interface RunSnapshot {
  run: Run;
  tasks: readonly Task[];
  attempts: readonly Attempt[];
  /** Agents at work. */
  sessions: readonly AgentSession[];
  /** Landed commit by task id. */
  commits: ReadonlyMap<string, string>;
  /** Why nothing is at work, when nothing is: by task key. */
  waits: ReadonlyMap<string, string>;
  /** What landed or waits and weakens what judges it. */
  flagged?: Flagged;
  /** What of the work in progress would conflict. */
  expected?: readonly ExpectedConflict[];
  /** Pull requests that wait to be merged, by address: keys of their tasks. */
  requests?: ReadonlyMap<string, string>;
  /** When the agent began with an attempt, by its id, as far as that was seen. */
  begun?: ReadonlyMap<string, Date>;
}

/** The standing run of a trigger rule that has nothing open: it never ends by itself. */
export const isIdle = ({ run, tasks }: Pick<RunSnapshot, 'run' | 'tasks'>): boolean =>
  run.standing && run.status === 'running' && tasks.every(({ settled }) => settled);

/** One piece of news. */
export interface ProgressLine {
  kind:
    | 'started'
    | 'again'
    | 'landed'
    | 'weakened'
    | 'warning'
    | 'rejected'
    | 'conflict'
    | 'failed'
    | 'given_back'
    | 'cancelled'
    | 'blocked'
    | 'approval'
    | 'request'
    | 'waits'
    | 'paused'
    | 'held';
  /** Key of the task; empty for news of the whole run. */
  key: string;
  text: string;
}

const failedOutcomes = new Set([
  'agent_failed',
  'crashed',
  'timeout',
  'spawn_failed',
  'setup_failed',
  'rate_limited',
]);
const rejectedOutcomes: Readonly<Record<string, string>> = {
  rejected: '',
  base_rejected: 'an earlier task of its batch was rejected',
  head_lost: 'its finished work cannot be read any more',
};

/** What happened between two moments, in the order in which it happened. Pure. */
export function progressLines(before: RunSnapshot, after: RunSnapshot): ProgressLine[] {
  const known = new Map(before.attempts.map((attempt) => [attempt.id, attempt]));
  const taskOf = new Map(after.tasks.map((task) => [task.id, task]));
  const statusBefore = new Map(before.tasks.map((task) => [task.id, task.status]));
  const news: { at: number; line: ProgressLine }[] = [];
  for (const attempt of after.attempts) {
    const task = taskOf.get(attempt.taskId);
    if (!task) continue;
    const seen = known.get(attempt.id);
    if (hasStarted(attempt) && !(seen && hasStarted(seen))) {
      news.push({ at: attempt.createdAt.getTime(), line: startLine(attempt, { task, after }) });
    }
    if (attempt.outcome !== null && (seen?.outcome ?? null) === null) {
      const line = endLine(attempt, { task, after });
      if (line) news.push({ at: attempt.endedAt?.getTime() ?? Infinity, line });
    }
  }
  for (const task of after.tasks) {
    if (task.status === statusBefore.get(task.id)) continue;
    const line = statusLine(task, after);
    if (line) news.push({ at: Infinity, line });
  }
  for (const task of after.tasks.filter(({ status }) => status === 'CLOSED')) {
    const texts = after.flagged?.get(task.id);
    const wasTold = statusBefore.get(task.id) === 'CLOSED' && before.flagged?.has(task.id) === true;
    if (texts && !wasTold) news.push({ at: Infinity, line: weakenedLine(task, { texts, after }) });
  }
  for (const { taskId, text } of newlyExpected(before.expected ?? [], after.expected ?? [])) {
    const key = taskOf.get(taskId)?.key;
    if (key !== undefined) news.push({ at: Infinity, line: { kind: 'warning', key, text } });
  }
  for (const [url, key] of after.requests ?? []) {
    if (before.requests?.has(url) !== true)
      news.push({ at: Infinity, line: { kind: 'request', key, text: `waits to be merged: ${url}` } });
  }
  for (const [key, text] of after.waits) {
    if (before.waits.get(key) !== text) news.push({ at: Infinity, line: { kind: 'waits', key, text } });
  }
  if (after.run.status === 'paused' && before.run.status !== 'paused') {
    news.push({ at: Infinity, line: pausedLine(after.run) });
  }
  return news.sort((a, b) => (a.at === b.at ? 0 : a.at - b.at)).map(({ line }) => line);
}

/** The way out of what holds a run follows at the end. */
function pausedLine(run: Run): ProgressLine {
  const held = heldBy(run);
  if (held !== null) return { kind: 'held', key: '', text: reasonParts(held.text).what };
  return { kind: 'paused', key: '', text: `the run is paused; continue with \`baton resume ${run.slug}\`` };
}

/** A claim alone is no news: its agent has to be there. */
function hasStarted(attempt: Attempt): boolean {
  return attempt.outcome !== null || !['IDLE', 'CLAIMING'].includes(attempt.turnStatus);
}

function startLine(attempt: Attempt, { task, after }: { task: Task; after: RunSnapshot }): ProgressLine {
  const { attempts, sessions } = after;
  const agent = agentText(
    agentOf(
      attempt,
      sessions.find(({ id }) => id === attempt.sessionId),
    ),
  );
  const by = agent === '' ? '' : `${agent}: `;
  if (attempt.number === 1) {
    const text = `${by}${oneLine(task.title, 300)}${batchOf(attempt, attempts)}`;
    return { kind: 'started', key: task.key, text };
  }
  const previous = attempts.find((other) => other.taskId === task.id && other.number === attempt.number - 1);
  const why = previous === undefined || previous.outcome === null ? '' : reasonOf(previous);
  const tries = attempts.filter(({ taskId, counted }) => taskId === task.id && counted);
  const number = tries.filter((other) => other.number < attempt.number).length + 1;
  return {
    kind: 'again',
    key: task.key,
    text: `${by}try ${number} of ${Math.max(number, triesOf(task).maxTries)}${why === '' ? '' : `, after: ${oneLine(why, 90)}`}`,
  };
}

/** What it used up: `try 1 of 4`, `no tries are left`. */
function usedUp(attempt: Attempt, { task, after }: { task: Task; after: RunSnapshot }): string {
  const isLast = after.attempts.every((other) => other.taskId !== task.id || other.number <= attempt.number);
  if (task.status === 'FAILED' && isLast) return 'no tries are left';
  const number = tryNumber(attempt, after.attempts);
  return number === null ? 'not counted as a try' : `try ${number} of ${triesOf(task).maxTries}`;
}

function batchOf(attempt: Attempt, attempts: readonly Attempt[]): string {
  const size = attempts.filter(
    (other) => other.sessionId !== null && other.sessionId === attempt.sessionId,
  ).length;
  return size > 1 ? ` (one of a batch of ${size})` : '';
}

function endLine(
  attempt: Attempt,
  { task, after }: { task: Task; after: RunSnapshot },
): ProgressLine | undefined {
  const outcome = attempt.outcome ?? '';
  const { key } = task;
  const next = usedUp(attempt, { task, after });
  const landed = after.commits.get(task.id);
  if (outcome === 'conflict') {
    const reason = attempt.rejections.map(firstLine).join('; ') || 'conflicts with work that has landed';
    return {
      kind: 'conflict',
      key,
      text: `${oneLine(reason, 120)} (again from a fresh head; no try is used up)`,
    };
  }
  if (outcome in rejectedOutcomes) {
    const reason = attempt.rejections.map(firstLine).join('; ') || rejectedOutcomes[outcome] || outcome;
    return { kind: 'rejected', key, text: `${oneLine(reason, 160)} (${next})` };
  }
  if (failedOutcomes.has(outcome)) {
    return {
      kind: 'failed',
      key,
      text: `${oneLine(attempt.summary || outcome.replaceAll('_', ' '), 160)} (${next})`,
    };
  }
  if (givenBack.has(outcome))
    return { kind: 'given_back', key, text: oneLine(attempt.summary || outcome, 120) };
  if (landed === undefined || task.status !== 'CLOSED') return undefined;
  const began = after.begun?.get(attempt.id) ?? attempt.createdAt;
  const took = attempt.endedAt ? formatMs(attempt.endedAt.getTime() - began.getTime()) : '';
  const { unmeasured, costMicroUsd } = costOf([attempt]);
  const cost = costMicroUsd > 0 || unmeasured > 0 ? `, ${costText(costOf([attempt]))}` : '';
  return { kind: 'landed', key, text: `${shortId(landed)} in ${took}${cost}` };
}

function weakenedLine(
  { key }: Task,
  { texts, after }: { texts: readonly string[]; after: RunSnapshot },
): ProgressLine {
  const text = `${oneLine(texts.join('; '), 160)}; see \`baton diff ${after.run.slug}/${key}\``;
  return { kind: 'weakened', key, text };
}

function statusLine(task: Task, after: RunSnapshot): ProgressLine | undefined {
  const { key } = task;
  const texts = after.flagged?.get(task.id);
  if (task.status === 'CANCELLED') return { kind: 'cancelled', key, text: 'cancelled' };
  if (task.status === 'BLOCKED') return { kind: 'blocked', key, text: task.blockedOn?.text ?? 'blocked' };
  if (task.status === 'PENDING_APPROVAL') {
    const why = texts === undefined ? '' : ` (${oneLine(texts.join('; '), 160)})`;
    return { kind: 'approval', key, text: `waits for a person${why}: \`baton approve\`` };
  }
  return undefined;
}

/** The reason itself, without the output of the check below it, which `baton task` shows. */
function firstLine(reason: string): string {
  return reason.split('\n', 1)[0] ?? '';
}
