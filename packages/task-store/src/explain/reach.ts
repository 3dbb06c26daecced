import { clause, type Answer } from './answer.ts';
import { livingWorkers, resumeCommand } from './workers.ts';
import type { ExplainFacts } from './explain.sql.ts';

/** How git reports a push that the other side answered with a no: waiting does not change that. */
const refusedPush = /\bgit push\b[^]*(?:\bremote: |\[remote rejected\]|permission|denied)/i;

/** How a worker begins the reason when gates are red on the target as well. */
const redTarget = 'BASE_RED: ';

/** Finished work that no gate can judge, since its target is red without it. */
function targetRed(facts: ExplainFacts, why: string): Answer {
  return {
    cause: 'landing_failed',
    text: `${facts.key} is finished and cannot be judged. ${clause(why.slice(redTarget.length))}.`,
    owner: 'a person',
    unblock:
      facts.runStatus === 'paused'
        ? resumeCommand(facts)
        : 'make the gate pass on the target; it is tried again by itself within a minute',
  };
}

/** Finished work whose head no worker can read: which, where, and who must move. Null: one can, as far as is known. */
export function headUnreadable(facts: ExplainFacts): Answer | null {
  const { attempt, key, hasWorkers } = facts;
  if (attempt === null) return null;
  const { headCommit, headPlace: place, headMissingSince: since, headMissingText } = attempt;
  if (since === null && headMissingText !== null) {
    if (headMissingText.startsWith(redTarget)) return targetRed(facts, headMissingText);
    const text = `${key} waits to be landed; the last try failed: ${clause(headMissingText)}.`;
    if (!refusedPush.test(headMissingText))
      return { cause: 'landing_failed', text, owner: 'the next worker, within seconds' };
    const unblock =
      'let the remote take the push (rights, a protected branch, a hook); it is tried again by itself';
    return { cause: 'landing_failed', text, owner: 'a person', unblock };
  }
  const nobody =
    place?.at === 'clone' && hasWorkers && !livingWorkers(facts).some(({ host }) => host === place.host);
  if (since === null && !nobody) return null;
  const head = headCommit?.slice(0, 9) ?? '?';
  const lies =
    place?.at === 'clone' ? `in ${place.path} on host ${place.host}` : "in the target's repository only";
  const why = nobody
    ? `no worker is alive there${place.why === undefined ? '' : ` (the remote did not take it: ${clause(place.why)})`}`
    : `since ${since?.toISOString() ?? '?'} no worker could read it: ${clause(headMissingText ?? 'no reason given')}`;
  return {
    cause: 'head_unreadable',
    text: `The finished work of ${key} (head ${head}) lies ${lies}, and ${why}. If that does not change, it is tried again.`,
    owner: nobody ? `a worker on host ${place.host}` : 'any worker that can read it, then upkeep',
    unblock: place?.at === 'clone' ? `start a worker on host ${place.host}` : null,
  };
}

/** Every worker that could take the task has withdrawn the agent that its last try was given to. */
export function agentUnavailable(facts: ExplainFacts): Answer | null {
  const { key, last } = facts;
  if (last?.outcome !== 'agent_unavailable') return null;
  const fitting = livingWorkers(facts).filter(({ fits, status }) => fits && status === 'online');
  const without = fitting.flatMap((worker) => {
    const found = worker.withdrawn.find((each) => each.reason === last.summary);
    return found === undefined ? [] : [{ worker, ...found }];
  });
  const [first] = without;
  if (first === undefined || without.length < fitting.length) return null;
  const until = new Date(Math.min(...without.map((each) => Date.parse(each.until))));
  return {
    cause: 'agent_unavailable',
    text: `No worker can start ${first.agent} for ${key}: ${first.worker.name} on host ${first.worker.host} says: ${clause(first.reason)}.`,
    owner: 'a person',
    until,
    unblock: `make ${first.agent} start on host ${first.worker.host}; it is tried again by itself`,
  };
}
