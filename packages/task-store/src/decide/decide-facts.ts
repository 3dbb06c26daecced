import type { Fact } from '../model/fact.ts';
import { decideFact, type Reporter } from './decide-fact.ts';
import type { Planned } from './plan-state.ts';
import type { Situation } from './situation.ts';

/** What facts in a row come to, and the situation after them. */
export interface Sequence<S extends Situation> {
  planned: Planned;
  after: S;
}

/** The attempts that a fact says it holds. */
export function attemptsOf(fact: Fact): string[] {
  if ('holding' in fact) return [fact.holding.attemptId];
  return 'holdings' in fact ? fact.holdings.map(({ attemptId }) => attemptId) : [];
}

/** Decides facts of one session one after the other, each on what the one before it left: all or none. Pure. */
export function coupledSequence<S extends Situation>(
  facts: readonly Fact[],
  situation: S,
  by: Reporter,
): Sequence<S> {
  let after = situation;
  let planned: Planned | undefined;
  for (const fact of facts) {
    const named = attemptsOf(fact);
    const items = after.items.filter(({ attempt }) => named.length === 0 || named.includes(attempt.id));
    const next = decideFact(fact, { ...after, items }, by);
    planned = planned === undefined ? next : joined(planned, next);
    if (planned.refused !== null) break;
    after = situationAfter(next, after);
  }
  if (planned === undefined) throw new RangeError('a sequence has at least one fact');
  return { planned, after };
}

function joined(first: Planned, second: Planned): Planned {
  return {
    refused: first.refused ?? second.refused,
    events: [...first.events, ...second.events],
    tasks: mergedMaps(first.tasks, second.tasks),
    attempts: mergedMaps(first.attempts, second.attempts),
    session: second.session === null ? first.session : { ...first.session, ...second.session },
  };
}

function mergedMaps<V extends object>(first: Map<string, V>, second: Map<string, V>): Map<string, V> {
  const merged = new Map(first);
  for (const [key, value] of second) merged.set(key, { ...merged.get(key), ...value });
  return merged;
}

/** The part of a patch that a state knows of. */
function patched<State extends object>(state: State, patch: object | null | undefined): State {
  if (!patch) return state;
  const known = Object.entries(patch).filter(([key]) => key in state);
  return { ...state, ...Object.fromEntries(known) };
}

/** The situation once a plan has been applied. */
export function situationAfter<S extends Situation>(planned: Planned, situation: S): S {
  const items = situation.items.map(({ task, attempt }) => ({
    task: patched(task, planned.tasks.get(task.id)),
    attempt: patched(attempt, planned.attempts.get(attempt.id)),
  }));
  const session = situation.session && patched(situation.session, planned.session);
  return { ...situation, items, session };
}
