import type { z } from 'zod';
import type { Store } from './api.ts';
import { orNotFound, queryOne, type Db } from './db.ts';
import { explainFacts } from './sql/explain.ts';
import type { Explanation } from './types.ts';

/** What an explanation is drawn from. */
export type ExplainFacts = z.output<typeof explainFacts.row>;
type Answer = Pick<Explanation, 'cause' | 'text' | 'owner'> & Partial<Pick<Explanation, 'until' | 'unblock'>>;

/** Why a task does not move, and who or what moves it next. @throws NOT_FOUND */
export const explain =
  (db: Db): Store['explain'] =>
  async (taskId) =>
    explainTask(orNotFound(await queryOne(db, explainFacts, [taskId]), `task ${taskId}`));

/** The one list of causes, most telling first. Pure. Source: store.md §3, `explain`. */
export function explainTask(facts: ExplainFacts): Explanation {
  const answer = answerFor(facts);
  return {
    taskId: facts.id,
    status: facts.status,
    settled: facts.settled,
    until: null,
    unblock: null,
    ...answer,
  };
}

function answerFor(facts: ExplainFacts): Answer {
  if (facts.settled && facts.status === 'FAILED') {
    return {
      cause: 'retries_exhausted',
      text: `${facts.key} failed for good after ${facts.tries} counted tries (last: ${facts.lastOutcome ?? 'none'}).`,
      owner: 'a person',
      unblock: `baton retry ${facts.run}/${facts.key}`,
    };
  }
  switch (facts.status) {
    case 'PLANNED':
      return {
        cause: 'plan_approval',
        text: `${facts.key} waits for a person to approve the plan.`,
        owner: 'a person',
        unblock: `baton approve ${facts.run}`,
      };
    case 'PENDING_APPROVAL':
      return {
        cause: 'approval',
        text: `${facts.key} is finished and waits for a person's approval.`,
        owner: 'a person',
        unblock: `baton approve ${facts.run}/${facts.key}`,
      };
    case 'BLOCKED':
      return {
        cause: 'blocked',
        text: facts.blockedOn?.text ?? `${facts.key} is blocked.`,
        owner:
          facts.blockedOn?.task === undefined
            ? facts.notBefore === null
              ? 'a person'
              : 'upkeep'
            : 'the task it waits for',
        until: facts.notBefore,
        unblock: `baton retry ${facts.run}/${facts.key}`,
      };
    case 'WAITING_FOR_SUBTASKS':
      return {
        cause: 'subtasks',
        text: `${facts.key} waits for its subtasks: ${facts.subtasks.join(', ')}.`,
        owner: 'its subtasks',
      };
    case 'CLAIMED':
    case 'IN_PROGRESS':
      return explainHeld(facts);
    case 'ORPHANED':
      return {
        cause: 'lease_silent',
        text: `The holder of ${facts.key} is gone; its work is being looked through.`,
        owner: 'a worker of its host, after one lease any',
      };
    case 'DONE':
      return explainLanding(facts);
    case 'OPEN':
    case 'FAILED':
      return explainOpen(facts);
    case 'CLOSED':
    case 'CANCELLED':
      return { cause: 'settled', text: `${facts.key} is ${facts.status}.`, owner: 'nobody' };
    default:
      return facts.status satisfies never;
  }
}

function explainHeld({ attempt, now, key }: ExplainFacts): Answer {
  const silent =
    attempt?.leaseExpiresAt !== null && attempt?.leaseExpiresAt !== undefined && attempt.leaseExpiresAt < now;
  if (silent)
    return {
      cause: 'lease_silent',
      text: `The holder of ${key} has not renewed its lease.`,
      owner: 'the sweeper',
    };
  return {
    cause: 'running',
    text: `An agent works on ${key} (attempt ${attempt?.number ?? '?'}).`,
    owner: `worker ${attempt?.workerId ?? '?'}`,
    until: null,
  };
}

function explainLanding(facts: ExplainFacts): Answer {
  const { attempt, lane, key, now } = facts;
  if (lane?.cause === 'checkout_dirty')
    return {
      cause: 'checkout_dirty',
      text: lane.text ?? 'The target is checked out with uncommitted changes.',
      owner: 'a person',
      unblock: 'commit or stash the changes of the checkout',
    };
  const taken =
    attempt?.workerId !== null &&
    attempt?.leaseExpiresAt !== null &&
    attempt !== null &&
    attempt.leaseExpiresAt > now;
  if (taken)
    return {
      cause: 'verifying',
      text: `${key} is being verified.`,
      owner: `worker ${attempt.workerId ?? '?'}`,
    };
  if (attempt?.turn === 'RUNNING' || attempt?.turn === 'COMPACTING')
    return {
      cause: 'running',
      text: `The agent of ${key} compacts its context; then it is verified.`,
      owner: 'its agent',
    };
  const holder =
    lane?.workerId !== null && lane?.live === true
      ? `worker ${lane.workerId}`
      : 'the next worker that can fetch its head';
  return { cause: 'lane', text: `${key} waits for its turn to be verified and landed.`, owner: holder };
}

function explainOpen(facts: ExplainFacts): Answer {
  const { key, run } = facts;
  const lost = facts.waitsFor.find((dependency) => dependency.settled);
  if (lost !== undefined)
    return {
      cause: 'dependency_failed',
      text: `${key} depends on ${lost.key}, which is ${lost.status}.`,
      owner: 'a person',
      unblock: `baton retry ${run}/${lost.key}`,
    };
  const [first] = facts.waitsFor;
  if (first !== undefined)
    return {
      cause: 'dependency',
      text: `${key} waits for ${facts.waitsFor.map((each) => each.key).join(', ')}.`,
      owner: `task ${first.key}`,
    };
  if (facts.runStatus === 'paused')
    return {
      cause: 'run_paused',
      text: `The run is paused: ${facts.runReason ?? 'no reason given'}.`,
      owner: 'a person',
      unblock: `baton resume ${run}`,
    };
  if (facts.runStatus === 'failed' || facts.runStatus === 'cancelled')
    return {
      cause: 'run_paused',
      text: `The run is ${facts.runStatus}: ${facts.runReason ?? 'no reason given'}.`,
      owner: 'a person',
      unblock: 'start a new run',
    };
  if (facts.notBefore !== null && facts.notBefore > facts.now) return explainLater(facts, facts.notBefore);
  if (facts.budgetShort)
    return {
      cause: 'budget',
      text: `The budget of the run has no room for ${key}.`,
      owner: facts.budgetHeld ? 'a person' : 'the tasks that hold reservations',
    };
  if (facts.pathOwner !== null)
    return {
      cause: 'path_lock',
      text: `${facts.pathOwner} works on the paths of ${key}.`,
      owner: `task ${facts.pathOwner}`,
    };
  if (facts.slotsFull)
    return {
      cause: 'run_limit',
      text: 'As many agents as the run allows are at work.',
      owner: 'the next agent that ends',
    };
  if (facts.workers.length > 0 && facts.workers.every((worker) => worker.status === 'draining'))
    return {
      cause: 'workers_draining',
      text: 'All workers are draining.',
      owner: 'a person',
      unblock: 'start a worker',
    };
  if (!facts.workers.some((worker) => worker.fits && worker.status === 'online')) {
    const needs = [
      facts.host === null ? '' : `host ${facts.host}`,
      facts.labels.length === 0 ? '' : `labels ${facts.labels.join(', ')}`,
    ]
      .filter(Boolean)
      .join(' and ');
    return {
      cause: 'no_capable_worker',
      text: `No worker is online that could take ${key}${needs === '' ? '' : ` (it needs ${needs})`}.`,
      owner: 'a person',
      unblock: 'start a worker',
    };
  }
  if (facts.feedBehind > 0)
    return {
      cause: 'feed_behind',
      text: 'The event feed is behind; work goes on, views may be old.',
      owner: 'the sequencer',
    };
  return {
    cause: 'ready',
    text: `${key} is ready and will be claimed next in its order.`,
    owner: 'the next idle worker',
  };
}

function explainLater({ key, lastOutcome }: ExplainFacts, until: Date): Answer {
  if (lastOutcome === 'rate_limited')
    return {
      cause: 'provider_parked',
      text: `The provider of ${key} is rate-limited.`,
      owner: 'upkeep',
      until,
    };
  return {
    cause: 'not_before',
    text:
      lastOutcome === null
        ? `${key} is not to begin yet.`
        : `${key} waits before its next try (last: ${lastOutcome}).`,
    owner: 'upkeep',
    until,
  };
}
