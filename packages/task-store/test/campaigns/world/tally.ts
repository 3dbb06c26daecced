import { byId, now, patched, type TaskRow, type World, type Message } from './rows.ts';
import type { Item } from '../../../src/decide/situation.ts';

type Fact = Message['fact'];

/** Ends that are nobody's failure. Source: docs/spec/store.md#which-tries-count. */
const drains = ['user_interrupt', 'shutdown_signal', 'sibling_aborted', 'parent_aborted'];
const freeConflicts = 5;
const spawnFailuresOfTry = 3;

/** What the specification says of one task's try that a fact ends. */
interface Verdict {
  cost: 'none' | 'try' | 'conflict' | 'spawn';
  /** When the next try may begin. */
  due: 'at once' | 'later' | 'any';
  /** Whether the next try goes on from this one's work; null: as it was. */
  continues: boolean | null;
  /** There is no next try, whatever is left. */
  ends?: true;
}

const free: Verdict = { cost: 'none', due: 'at once', continues: null };

/**
 * "Which tries count", as a table of its own: written from docs/spec/store.md#which-tries-count, not from the production's
 * policy.
 */
function verdictOn(fact: Fact, { task, attempt }: Item): Verdict | null {
  if (fact.fact === 'rejected') {
    // Only from work that there is.
    const continues = attempt.headCommit !== null && attempt.headCommit !== attempt.startCommit;
    if (fact.kind === 'rejected') return { cost: 'try', due: 'at once', continues };
    if (fact.kind === 'conflict') return { cost: 'conflict', due: 'at once', continues: false };
    return { ...free, continues };
  }
  if (fact.fact === 'agent_failed') {
    if (fact.outcome === 'rate_limited') return { cost: 'none', due: 'later', continues: false };
    return { cost: fact.outcome === 'spawn_failed' ? 'spawn' : 'try', due: 'later', continues: false };
  }
  if (fact.fact === 'setup_failed')
    return {
      cost: fact.counted ? 'try' : 'none',
      due: 'later',
      continues: null,
      ...(fact.retry ? {} : { ends: true }),
    };
  if (fact.fact === 'released') return free;
  if (fact.fact === 'lease_lapsed') return task.status === 'CLAIMED' ? free : null;
  if (fact.fact === 'process_died') {
    if (task.status !== 'CLAIMED') return null;
    const itself = fact.ofItself === true || !drains.includes(fact.abortReason);
    const counts = itself && attempt.turnStatus === 'SPAWNING';
    return counts ? { cost: 'spawn', due: 'later', continues: null } : free;
  }
  if (fact.fact !== 'orphan_settled' || fact.to === 'DONE') return null;
  return attempt.orphanCounts ? { cost: 'try', due: 'later', continues: false } : free;
}

/**
 * Counts what a fact did by the specification, and says where the production counted otherwise. `aborted`: the tasks that a change,
 * decided on some time ago, takes for cancelled (one that was asked for since then follows later); null: it was decided on now.
 */
export function tally(
  after: World,
  { fact, aborted }: { fact: Fact; aborted: ReadonlySet<string> | null },
  items: readonly Item[],
): { world: World; broken: string[] } {
  const broken: string[] = [];
  let tasks = after.tasks;
  for (const item of items) {
    const was = item.task as TaskRow;
    const is = byId(tasks, was.id);
    if (is === undefined) continue;
    if (['ready', 'next_task', 'done'].includes(fact.fact)) {
      if (was.tally.spawnFailures > 0)
        tasks = patched(tasks, is.id, { tally: { ...was.tally, spawnFailures: 0 } });
      continue;
    }
    if (fact.fact === 'process_died' || fact.fact === 'lease_lapsed')
      broken.push(...orphanProblems(after, fact, item));
    const verdict = verdictOn(fact, item);
    const isCancelled = aborted === null ? was.cancelRequested : aborted.has(was.id);
    if (verdict === null || isCancelled) continue;
    const counted = count(was.tally, verdict.cost);
    tasks = patched(tasks, is.id, { tally: counted });
    broken.push(...problems({ ...is, tally: counted }, was, verdict));
  }
  return { world: { ...after, tasks }, broken };
}

function count(was: TaskRow['tally'], cost: Verdict['cost']): TaskRow['tally'] {
  const oneMore = { tries: was.tries + 1, spawnFailures: 0 };
  if (cost === 'none') return was;
  if (cost === 'try') return { ...was, ...oneMore };
  if (cost === 'conflict') {
    const conflicts = was.conflicts + 1;
    return { ...was, conflicts, ...(conflicts > freeConflicts ? oneMore : {}) };
  }
  const spawnFailures = was.spawnFailures + 1;
  return spawnFailures < spawnFailuresOfTry ? { ...was, spawnFailures } : { ...was, ...oneMore };
}

function problems(is: TaskRow, was: TaskRow, verdict: Verdict): string[] {
  const allowed = 1 + is.maxRetries + is.grantedTries;
  const counted = is.tally.tries > was.tally.tries;
  const out = verdict.ends === true || (counted && is.tally.tries >= allowed);
  const due = is.notBefore !== null && is.notBefore > now ? 'later' : 'at once';
  const found: string[] = [];
  const expect = (holds: boolean, text: string) => {
    if (!holds) found.push(`${is.id}: ${text}`);
  };
  expect(
    is.tries === is.tally.tries,
    `${is.tries} tries are counted where the table gives ${is.tally.tries}`,
  );
  expect(
    is.conflicts === is.tally.conflicts,
    `${is.conflicts} conflicts are counted, not ${is.tally.conflicts}`,
  );
  if (out) expect(is.status === 'FAILED' && is.settled, `no try is left, yet it is ${is.status}`);
  else {
    expect(is.status === 'OPEN' && !is.settled, `tries are left, yet it is ${is.status}`);
    expect(verdict.due === 'any' || due === verdict.due, `its next try is due ${due}, not ${verdict.due}`);
  }
  if (verdict.continues !== null)
    expect(is.continues === verdict.continues, `its next try ${is.continues ? 'goes on' : 'begins afresh'}`);
  else expect(is.continues === was.continues, 'what its next try goes on from has changed');
  return found;
}

/** An orphan's try counts when its process ended by itself, not when only its supervisor fell silent. */
function orphanProblems(after: World, fact: Fact, { task, attempt }: Item): string[] {
  const is = byId(after.attempts, attempt.id);
  if (task.status !== 'IN_PROGRESS' || is === undefined) return [];
  const counts =
    fact.fact === 'process_died' && (fact.ofItself === true || !drains.includes(fact.abortReason));
  return is.orphanCounts === counts ? [] : [`${task.id}: its orphan ${counts ? 'does not count' : 'counts'}`];
}
