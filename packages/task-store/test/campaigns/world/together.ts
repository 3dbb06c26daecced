import { type Fact, isProgress } from '../../../src/model/fact.ts';
import type { Change } from '../../../src/decide/change.ts';
import { changeOf } from '../../../src/decide/to-change.ts';
import { coupledSequence } from '../../../src/decide/decide-facts.ts';
import type { Situation } from '../../../src/decide/situation.ts';
import { RefusedByDatabase } from './guards.ts';
import { keyOf } from './key.ts';
import { byId, type World } from './rows.ts';
import { situationOf } from './selects.ts';
import { apply, type Applied } from './statements.ts';

/** Who reports, and what chance says: nothing. */
export const reporter = { actor: 'worker', random: 0 };

/** Facts that are reported in one must come to what they come to one after the other. */
export function togetherProblems(
  world: World,
  facts: readonly [Fact, ...Fact[]],
  oneByOne: (world: World, fact: Fact) => World,
): string[] {
  const situation = situationOf(world, facts[0]);
  if (situation === null) return [];
  const { planned } = coupledSequence(facts, situation, reporter);
  if (planned.refused !== null) return [];
  const names = facts.map(({ fact }) => fact).join(' and ');
  const applied = written(world, changeOf(planned, situation));
  if (!applied.ok) return [`${names} in one are decided on what stands there, and refused: ${applied.why}`];
  const expected = facts.reduce(oneByOne, world);
  const tasks = applied.world.tasks.map((task) => ({
    ...task,
    tally: byId(expected.tasks, task.id)?.tally ?? task.tally,
  }));
  return keyOf({ ...applied.world, tasks }) === keyOf(expected)
    ? []
    : [`${names} in one come to something else than one after the other`];
}

function written(world: World, change: Change): Applied | { ok: false; why: string } {
  try {
    return apply(world, change);
  } catch (error) {
    if (!(error instanceof RefusedByDatabase)) throw error;
    return { ok: false, why: error.message };
  }
}

/** What a process keeps in mind after a report, so that it need not read it again, must be what stands there. */
export function memoryProblems(fact: Fact, after: Situation, world: World): string[] {
  const stands = isProgress(fact) ? situationOf(world, fact) : null;
  if (stands === null) return [];
  const kept = [after.session, ...after.items.flatMap(({ task, attempt }) => [task, attempt])];
  const there = [stands.session, ...stands.items.flatMap(({ task, attempt }) => [task, attempt])];
  const isSame = kept.length === there.length && kept.every((row, at) => isAlike(row, there[at] ?? null));
  return isSame ? [] : [`after "${fact.fact}" its process keeps in mind what is not so`];
}

/** What decisions look at; the world's rows have columns besides. */
const looked = [
  ...['status', 'version', 'fence', 'tries', 'grantedTries', 'conflicts', 'setbacks', 'cancelRequested'],
  ...['turnStatus', 'turnSeq', 'openTools', 'startCommit', 'headCommit', 'orphanCounts'],
  ...['statusSeq', 'executionState', 'executionSeq', 'currentAttemptId'],
];

function isAlike(one: object | null, other: object | null): boolean {
  if (one === null || other === null) return one === other;
  const [a, b] = [one, other] as Record<string, unknown>[];
  return looked.every((column) => a?.[column] === b?.[column]);
}
