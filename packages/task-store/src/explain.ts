import type { Store } from './api.ts';
import { orNotFound, queryOne, type Db } from './db.ts';
import { firstLine, type Answer } from './explain-answer.ts';
import { openAnswers } from './explain-open.ts';
import { explainFacts, type ExplainFacts } from './sql/explain.ts';
import type { Explanation } from './types.ts';

/** Why a task does not move, and who or what moves it next. @throws NOT_FOUND */
export const explain =
  (db: Db): Store['explain'] =>
  async (taskId) =>
    explainTask(orNotFound(await queryOne(db, explainFacts, [taskId]), `task ${taskId}`));

/** Decides on the causes: the first is the answer, the others come after it. Pure. Source: store.md §3, `explain`. */
export function explainTask(facts: ExplainFacts): Explanation {
  const [answer, ...others] = answersFor(facts);
  return {
    taskId: facts.id,
    status: facts.status,
    settled: facts.settled,
    until: null,
    unblock: null,
    ...answer,
    also: others.map(({ cause }) => cause),
  };
}

function answersFor(facts: ExplainFacts): [Answer, ...Answer[]] {
  const { key, run } = facts;
  if (facts.settled) return [facts.status === 'FAILED' ? exhausted(facts) : settled(facts)];
  switch (facts.status) {
    case 'PLANNED':
      return [
        {
          cause: 'plan_approval',
          text: `${key} waits for a person to approve the plan.`,
          owner: 'a person',
          unblock: `baton approve ${run}`,
        },
      ];
    case 'PENDING_APPROVAL':
      return [
        {
          cause: 'approval',
          text: `${key} is finished and waits for a person's approval.`,
          owner: 'a person',
          unblock: `baton approve ${run}/${key}`,
        },
      ];
    case 'BLOCKED':
      return [blocked(facts)];
    case 'WAITING_FOR_SUBTASKS':
      return [
        {
          cause: 'subtasks',
          text:
            facts.subtasks.length === 0
              ? `All subtasks of ${key} are done; it is verified next.`
              : `${key} waits for its subtasks: ${facts.subtasks.join(', ')}.`,
          owner: facts.subtasks.length === 0 ? 'upkeep' : `task ${facts.subtasks[0] ?? ''}`,
        },
      ];
    case 'CLAIMED':
    case 'IN_PROGRESS':
      return [held(facts)];
    case 'ORPHANED':
      return [orphaned(facts)];
    case 'DONE':
      return [landing(facts)];
    case 'OPEN':
    case 'FAILED':
      return openAnswers(facts);
    case 'CLOSED':
    case 'CANCELLED':
      return [settled(facts)];
    default:
      return facts.status satisfies never;
  }
}

function exhausted({ key, run, tries, last, policy }: ExplainFacts): Answer {
  const [reason] = last?.rejections.slice(-1) ?? [];
  const why = reason === undefined ? (last?.outcome ?? 'no try was made') : firstLine(reason);
  return {
    cause: 'retries_exhausted',
    text: `${key} failed for good after ${tries} counted ${tries === 1 ? 'try' : 'tries'} (last: ${why})${policy === null ? '' : `: ${policy}`}.`,
    owner: 'a person',
    unblock: `baton retry ${run}/${key}`,
  };
}

const settled = ({ key, status }: ExplainFacts): Answer => ({
  cause: 'settled',
  text: `${key} is ${status}.`,
  owner: 'nobody',
});

function blocked({ key, run, blockedOn, notBefore, blocker }: ExplainFacts): Answer {
  const text = blockedOn?.text ?? `${key} is blocked.`;
  if (notBefore !== null)
    return {
      cause: 'blocked',
      text,
      owner: 'upkeep',
      until: notBefore,
      unblock: `baton retry ${run}/${key}`,
    };
  if (blocker === null)
    return { cause: 'blocked', text, owner: 'a person', unblock: `baton retry ${run}/${key}` };
  const lost = blocker.settled && blocker.status !== 'CLOSED';
  return {
    cause: 'blocked',
    text,
    owner: lost ? 'a person' : `task ${blocker.key}`,
    unblock:
      lost && blocker.status === 'FAILED' ? `baton retry ${run}/${blocker.key}` : `baton retry ${run}/${key}`,
  };
}

function held({ attempt, now, key, status }: ExplainFacts): Answer {
  if (attempt?.leaseExpiresAt && attempt.leaseExpiresAt < now)
    return {
      cause: 'lease_silent',
      text: `The holder of ${key} has not renewed its lease since ${attempt.leaseExpiresAt.toISOString()}.`,
      owner: 'the sweeper',
    };
  return {
    cause: 'running',
    text:
      status === 'CLAIMED'
        ? `${key} is claimed; its agent is being started or works on an earlier task of its batch (attempt ${attempt?.number ?? '?'}).`
        : `An agent works on ${key} (attempt ${attempt?.number ?? '?'}).`,
    owner: `worker ${attempt?.workerId ?? '?'}`,
    until: attempt?.deadlineAt ?? null,
  };
}

/** Its own host has first right for one lease. Source: store.md §3, "Expiry". */
const firstRightMs = 120_000;

function orphaned({ attempt, now, key }: ExplainFacts): Answer {
  const taken = attempt?.workerId && attempt.leaseExpiresAt && attempt.leaseExpiresAt > now;
  return {
    cause: 'lease_silent',
    text: `The holder of ${key} is gone; its work is being looked through.`,
    owner: taken ? `worker ${attempt.workerId}` : 'a worker of its host, after one lease any',
    until: taken || !attempt?.orphanedAt ? null : new Date(attempt.orphanedAt.getTime() + firstRightMs),
  };
}

function landing({ attempt, lane, key, now }: ExplainFacts): Answer {
  if (lane?.cause === 'checkout_dirty')
    return {
      cause: 'checkout_dirty',
      text: lane.text ?? 'The target is checked out with uncommitted changes.',
      owner: 'a person',
      unblock: 'commit or stash the changes of the checkout',
    };
  if (attempt?.workerId && attempt.leaseExpiresAt && attempt.leaseExpiresAt > now) {
    return attempt.turn === 'RUNNING' || attempt.turn === 'COMPACTING'
      ? compacting(key)
      : { cause: 'verifying', text: `${key} is being verified.`, owner: `worker ${attempt.workerId}` };
  }
  if (attempt?.turn === 'RUNNING' || attempt?.turn === 'COMPACTING') return compacting(key);
  const holder = lane?.workerId && lane.live ? `worker ${lane.workerId}` : null;
  return {
    cause: 'lane',
    text: `${key} waits for its turn to be verified and landed.`,
    owner: holder ?? 'the next worker that can fetch its head',
  };
}

const compacting = (key: string): Answer => ({
  cause: 'running',
  text: `The agent of ${key} compacts its context; then it is verified.`,
  owner: 'its agent',
});
