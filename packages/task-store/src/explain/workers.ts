import type { Answer } from './answer.ts';
import { movedText, targetMoved } from './target.ts';
import { carryCommand } from './carry.ts';
import type { ExplainFacts } from './explain.sql.ts';
import type { Cause } from '../model/explanation.ts';

type Known = ExplainFacts['workers'][number];

/**
 * living: its process is there and gives signs · hung: the process is there, and silent for minutes · silent: on another host, no
 * sign for three heartbeats · gone: it has ended, or its process is known to be gone.
 */
export type Life = 'living' | 'hung' | 'silent' | 'gone';

const silentMs = 30_000;
/** A computer that was asleep, or a database that was away, makes old heartbeats: a process that is there gets longer. */
const hungMs = 120_000;

/** Whether a worker lives, by its heartbeat on the database's clock and by what the asker saw of its process. */
export function lifeOf(worker: Known, { now, known }: Pick<ExplainFacts, 'now' | 'known'>): Life {
  if (worker.status === 'offline' || known.gone.includes(worker.id)) return 'gone';
  const ageMs = now.getTime() - worker.heartbeatAt.getTime();
  if (known.there.includes(worker.id)) return ageMs > hungMs ? 'hung' : 'living';
  return ageMs > silentMs ? 'silent' : 'living';
}

/** The workers that may work on the run and live. */
export const livingWorkers = (facts: ExplainFacts): Known[] =>
  facts.workers.filter((worker) => lifeOf(worker, facts) === 'living');

/** Whether somebody is there who would claim, land or wake something of the run. */
const isCarried = (facts: ExplainFacts): boolean =>
  facts.heldOutside || !facts.hasWorkers || livingWorkers(facts).length > 0;

/** The worker of that id as people know it: `worker NAME`; its id when it never registered. */
export function workerName(id: string, { workers }: ExplainFacts): string {
  return `worker ${workers.find((worker) => worker.id === id)?.name ?? id}`;
}

/** Whether a holder lives, as far as can be known: one that never registered is judged by its lease alone. */
export function holderLives(id: string, facts: ExplainFacts): boolean {
  const worker = facts.workers.find((each) => each.id === id);
  return worker === undefined || ['living', 'hung'].includes(lifeOf(worker, facts));
}

/** `worker NAME (process 7 on HOST)`. */
export const placeOf = ({ name, pid, host }: Known): string => `worker ${name} (process ${pid} on ${host})`;

/** The command that makes the run be carried again, paused or not, as the asker types it. */
export const carryAgain = ({ run, runStatus, standing, host, location, known }: ExplainFacts): string =>
  carryCommand({ slug: run, status: runStatus, standing }, { ...known, repo: { location, host } });

/** The command that resumes a run that was paused, or that failed before all its tasks were settled. */
export const resumeCommand = (facts: ExplainFacts): string =>
  isCarried(facts) ? `baton resume ${facts.run}` : carryAgain(facts);

/** What is to be typed once a target is back; null: its carrier needs no command. */
export const goOnCommand = (facts: ExplainFacts): string | null =>
  isCarried(facts) && facts.runStatus !== 'paused' ? null : resumeCommand(facts);

/** Nothing of the run can move: no process is there for it; and which was the last. */
function notCarried(facts: ExplainFacts): Answer & { unblock: string } {
  const [last] = facts.workers;
  const idle = { cause: 'not_carried', owner: 'a person', unblock: carryAgain(facts) } as const;
  if (last === undefined) return { ...idle, text: `No process carries ${facts.run} out.` };
  const since = last.heartbeatAt.toISOString();
  const told = (what: string) => `No process carries ${facts.run} out: ${placeOf(last)} ${what}.`;
  const life = lifeOf(last, facts);
  if (life === 'gone') return { ...idle, text: told('has ended') };
  if (life === 'silent') return { ...idle, text: told(`has given no sign since ${since}`) };
  const unblock = `kill -9 ${last.pid} && ${idle.unblock}`;
  return { ...idle, text: told(`is there, but has given no sign since ${since}`), unblock };
}

/** A worker has paused the run with a code: something is to be put right first. */
const isHeld = ({ runStatus, runReason }: ExplainFacts): boolean =>
  runStatus === 'paused' && /^[A-Z_]+: /.test(runReason ?? '');

/** What a worker finds and holds a run for. */
const found = new Set<Cause>(['run_paused', 'landing_failed', 'merged_red']);

/** What only a person's decision ends, whether the run is carried or not. */
const decisions = new Set<Cause>([
  'plan_approval',
  'dependency_failed',
  'approval',
  'blocked',
  'budget',
  'price_unknown',
  'state_full',
  'checkout_dirty',
  'checkout_blocked',
  'checkout_hidden',
  'target_in_use',
  'target_moved',
  'pull_request_open',
  'merged_red',
]);

/** What is as much the cause where a person must first decide on what is waited for. */
const chained = new Set<Cause>(['dependency', 'subtasks']);

/** Whether only a person's word ends a cause, carried or not. */
export const isDecision = ({ cause, owner }: Pick<Answer, 'cause' | 'owner'>): boolean =>
  owner === 'a person' && (decisions.has(cause) || cause === 'retries_exhausted');

const freed = new Set<Cause>(['plan_approval', 'dependency_failed', 'blocked', 'retries_exhausted']);

/** What a person's word frees in a paused run begins only once that is resumed, too. */
function thenResumed(first: Answer, facts: ExplainFacts): Answer {
  if (
    first.owner !== 'a person' ||
    !freed.has(first.cause) ||
    facts.runStatus !== 'paused' ||
    movedText(facts) !== null
  )
    return first;
  if (!first.unblock?.startsWith('baton ')) return first;
  return { ...first, unblock: `${first.unblock} && ${resumeCommand(facts)}` };
}

/**
 * Answers of a run without a carrier: what is not a person's to decide waits for somebody to carry the run on, and what is a
 * person's needs that as well.
 */
export function withoutCarrier(
  answers: readonly [Answer, ...Answer[]],
  facts: ExplainFacts,
  { rootDecides }: { rootDecides: boolean },
): [Answer, ...Answer[]] {
  const [first] = answers;
  const ended = ['failed', 'cancelled', 'done'].includes(facts.runStatus);
  if (ended) return [...answers];
  if (isCarried(facts)) return [thenResumed(first, facts), ...answers.slice(1)];
  if (facts.settled) return [...answers];
  const moved = movedText(facts);
  // Carried on as it is, the run would be refused: its target comes first.
  if (moved !== null && first.cause !== 'target_moved')
    return [
      targetMoved(facts, { text: moved, goOn: carryAgain(facts) }),
      ...answers.filter(({ cause }) => cause !== 'target_moved'),
    ];
  const idle = notCarried(facts);
  // What a worker found comes before that it has ended; carrying the run on is what looks at it again.
  if (first.owner === 'a person' && found.has(first.cause) && isHeld(facts))
    return [{ ...first, unblock: idle.unblock }, idle, ...answers.slice(1)];
  const others = answers.slice(1).filter(({ cause }) => cause !== 'no_capable_worker');
  if (rootDecides && chained.has(first.cause)) return [first, idle, ...others];
  if (!isDecision(first)) return [idle, ...answers.filter(({ cause }) => cause !== 'no_capable_worker')];
  const carries = first.cause === 'target_moved' || first.cause === 'state_full';
  const unblock = first.unblock && !carries ? thenCarry(first.unblock, facts) : first.unblock;
  return [{ ...first, unblock: unblock ?? idle.unblock }, idle, ...others];
}

/** One shell line where the first act is a command; a sentence else. */
function thenCarry(unblock: string, facts: ExplainFacts): string {
  const carry = carryAgain(facts);
  return unblock.startsWith('baton ') ? `${unblock} && ${carry}` : `${unblock}, then ${carry}`;
}
