import type { Store } from '../api/store.ts';
import { expectedConflicts } from '../agents/expected-conflicts.ts';
import { orNotFound, queryOne, type Db } from '../db/query.ts';
import { clause, reasonOf, type Answer } from './answer.ts';
import { movedTarget, openAnswers, runPaused } from './open-task.ts';
import { withFlakyGates } from './flaky-gates.ts';
import { pullRequestOpen } from './pull-request.ts';
import { headUnreadable } from './reach.ts';
import { waitsForOthers, withRoot } from './root.ts';
import { targetMoved } from './target.ts';
import { goOnCommand, holderLives, isDecision, withoutCarrier, workerName } from './workers.ts';
import { dependencyRoot } from './root.sql.ts';
import { explainFacts, type ExplainFacts } from './explain.sql.ts';
import type { Explanation } from '../model/explanation.ts';

/** States in which there may be work that has not landed. */
const atWork: ReadonlySet<Explanation['status']> = new Set(['IN_PROGRESS', 'DONE', 'PENDING_APPROVAL']);

/** Why a task does not move, and who or what moves it next. @throws NOT_FOUND */
export const explain =
  (db: Db): Store['tasks']['explain'] =>
  async (taskId, known = { there: [], gone: [] }) => {
    const row = orNotFound(await queryOne(db, explainFacts, [taskId, known.there]), `task ${taskId}`);
    const explained = await withFlakyGates(db, explainTask({ ...row, known }), row);
    if (atWork.has(explained.status))
      return { ...explained, expectedConflicts: await expectedConflicts(db)({ taskId }) };
    if (!waitsForOthers(explained)) return explained;
    const root = await queryOne(db, dependencyRoot, [taskId]);
    const facts = root && (await queryOne(db, explainFacts, [root.id, known.there]));
    // What it waited for may have landed between the two looks.
    if (!facts) return explained;
    const end = explainTask({ ...facts, known });
    const told = isDecision(end) ? explainTask({ ...row, known }, { rootDecides: true }) : explained;
    return withRoot(told, { key: facts.key, explained: end });
  };

/**
 * Decides on the causes: the first is the answer, the others come after it. Pure. Source: docs/spec/store.md#explain.
 *
 * @param options.rootDecides what it waits for is held up by a person's decision
 */
export function explainTask(facts: ExplainFacts, { rootDecides = false } = {}): Explanation {
  const [answer, ...others] = withoutCarrier(answersFor(facts), facts, { rootDecides });
  return {
    taskId: facts.id,
    status: facts.status,
    settled: facts.settled,
    until: null,
    unblock: null,
    ...answer,
    also: others.map(({ cause }) => cause),
    root: null,
    expectedConflicts: [],
  };
}

function answersFor(facts: ExplainFacts): [Answer, ...Answer[]] {
  const { key, run } = facts;
  if (facts.settled)
    return facts.status === 'FAILED' ? [exhausted(facts), ...heldUp(facts)] : [settled(facts)];
  switch (facts.status) {
    case 'PLANNED':
      return [
        {
          cause: 'plan_approval',
          text: `${key} waits for a person to approve the plan.`,
          owner: 'a person',
          unblock: `baton plan approve ${run}`,
        },
        ...heldUp(facts),
      ];
    case 'PENDING_APPROVAL':
      return [
        {
          cause: 'approval',
          text: `${key} is finished and waits for a person's approval${facts.approvalReason === null ? '' : `: ${facts.approvalReason}`}.`,
          owner: 'a person',
          unblock: `baton approve ${run}/${key}`,
        },
      ];
    case 'BLOCKED':
      return [blocked(facts), ...heldUp(facts)];
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

/** What would keep a task from starting once a person has let it be tried again: its run is paused. */
function heldUp(facts: ExplainFacts): Answer[] {
  if (facts.runStatus !== 'paused') return [];
  const held = movedTarget(facts) ?? runPaused(facts);
  return held === null ? [] : [held];
}

function exhausted({ key, run, runStatus, tries, last, policy }: ExplainFacts): Answer {
  const why = last === null ? 'no try was made' : reasonOf(last);
  const text = `${key} failed for good after ${tries} counted ${tries === 1 ? 'try' : 'tries'} (last: ${why})${policy === null ? '' : `: ${policy}`}.`;
  const answer = { cause: 'retries_exhausted', owner: 'a person' } as const;
  // Nothing of a cancelled run is tried again.
  if (runStatus === 'cancelled')
    return { ...answer, text: `${text} Its run was cancelled.`, unblock: 'start a new run' };
  return { ...answer, text, unblock: `baton retry ${run}/${key}` };
}

const settled = ({ key, status }: ExplainFacts): Answer => ({
  cause: 'settled',
  text: status === 'CLOSED' ? `${key} has landed.` : `${key} was cancelled.`,
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

function held(facts: ExplainFacts): Answer {
  const { attempt, now, key, status } = facts;
  const lapsed = !!attempt?.leaseExpiresAt && attempt.leaseExpiresAt < now;
  const lives = !attempt?.workerId || holderLives(attempt.workerId, facts);
  if (lapsed || !lives) return silent(facts, { lapsed });
  return {
    cause: 'running',
    text:
      status === 'CLAIMED'
        ? `${key} is claimed; its agent is being started or works on an earlier task of its batch (attempt ${attempt?.number ?? '?'}).`
        : `An agent works on ${key} (attempt ${attempt?.number ?? '?'}).`,
    owner: attempt?.workerId ? workerName(attempt.workerId, facts) : 'its agent',
    until: attempt?.deadlineAt ?? null,
  };
}

/** Its lease has ended, or will end without being renewed: the sweeper of any living worker takes the task back. */
function silent(facts: ExplainFacts, { lapsed }: { lapsed: boolean }): Answer {
  const { attempt, key } = facts;
  const holder = attempt?.workerId ? workerName(attempt.workerId, facts) : 'its holder';
  const ends = attempt?.leaseExpiresAt ?? null;
  return {
    cause: 'lease_silent',
    text: lapsed
      ? `The lease of ${key} ended at ${ends?.toISOString() ?? '?'}; ${holder} has not renewed it.`
      : `The holder of ${key}, ${holder}, is gone; its lease ends at ${ends?.toISOString() ?? '?'}.`,
    owner: 'the sweeper',
    until: lapsed ? null : ends,
  };
}

/** Its own host has first right for one lease. Source: docs/spec/store.md#expiry. */
const firstRightMs = 120_000;

function orphaned(facts: ExplainFacts): Answer {
  const { attempt, key } = facts;
  const taker = liveHolder(facts);
  return {
    cause: 'lease_silent',
    text: `The holder of ${key} is gone; its work is being looked through.`,
    owner: taker ?? 'a worker of its host, after one lease any',
    until:
      taker !== null || !attempt?.orphanedAt ? null : new Date(attempt.orphanedAt.getTime() + firstRightMs),
  };
}

/** Who holds the attempt at this moment: the lease is good and, as far as is known, the holder lives. */
function liveHolder(facts: ExplainFacts): string | null {
  const { attempt, now } = facts;
  if (!attempt?.workerId || !attempt.leaseExpiresAt || attempt.leaseExpiresAt <= now) return null;
  return holderLives(attempt.workerId, facts) ? workerName(attempt.workerId, facts) : null;
}

function landing(facts: ExplainFacts): Answer {
  const { attempt, lane, key } = facts;
  const requested = pullRequestOpen(facts);
  // What a worker met counts more; that none is there says nothing of a request.
  if (requested !== null && (attempt?.headMissingText ?? null) === null) return requested;
  const unreadable = headUnreadable(facts);
  if (unreadable !== null) return unreadable;
  const wait = laneWait(facts);
  if (wait !== null) return wait;
  if (attempt?.turn === 'RUNNING' || attempt?.turn === 'COMPACTING') return compacting(key);
  const verifier = liveHolder(facts);
  if (verifier !== null) return { cause: 'verifying', text: `${key} is being verified.`, owner: verifier };
  const holder = lane?.workerId && lane.live && holderLives(lane.workerId, facts) ? lane.workerId : null;
  return {
    cause: 'lane',
    text: `${key} waits for its turn to be verified and landed.`,
    owner: holder === null ? 'the next worker that can fetch its head' : workerName(holder, facts),
  };
}

/** Why the lane makes no progress, as its holder noted it. */
function laneWait(facts: ExplainFacts): Answer | null {
  const { cause, text } = facts.lane ?? { cause: null, text: null };
  const owner = 'a person';
  if (cause === 'checkout_dirty')
    return {
      ...{ cause, owner, text: text ?? 'The target is checked out with uncommitted changes.' },
      unblock: 'commit or stash the changes of the checkout',
    };
  if (cause === 'checkout_blocked')
    return {
      ...{ cause, owner, text: text ?? 'Untracked files are in the way of the checked-out target.' },
      unblock: 'move the named files out of the checkout, or delete them',
    };
  if (cause === 'checkout_hidden')
    return {
      ...{
        cause,
        owner,
        text: text ?? 'The checked-out target has changes that `git status` does not show.',
      },
      unblock: 'make git show the changes with the command that the text names, then commit them',
    };
  if (cause === 'target_in_use')
    return {
      ...{ cause, owner, text: text ?? 'The target is in the middle of an operation of git.' },
      unblock: 'finish or abort the operation, or free a worktree, with the command that the text names',
    };
  if (cause === 'landing_failed')
    return {
      ...{ cause, owner: 'the next worker, within seconds' },
      text: `The last landing failed: ${clause(text ?? 'no reason given')}.`,
    };
  if (cause !== 'target_moved') return null;
  return targetMoved(facts, {
    text: text ?? 'The target does not hold what landed on it any more.',
    goOn: goOnCommand(facts),
  });
}

const compacting = (key: string): Answer => ({
  cause: 'running',
  text: `The agent of ${key} compacts its context; then it is verified.`,
  owner: 'its agent',
});
