import type { Change } from '../../../src/decide/change.ts';
import type { Fact } from '../../../src/model/fact.ts';
import { changeOf } from '../../../src/decide/to-change.ts';
import { coupledSequence } from '../../../src/decide/decide-facts.ts';
import { leaseExpiry } from '../../../src/decide/expire-lease.ts';
import { holdingsOf, isLostByFence, staleItem } from '../../../src/decide/check-fence.ts';
import type { Situation } from '../../../src/decide/situation.ts';
import { effectProblems } from './effects.ts';
import { RefusedByDatabase } from './guards.ts';
import { recordProblems } from './recorded.ts';
import type { Message, World } from './rows.ts';
import { situationOf } from './selects.ts';
import { apply } from './statements.ts';
import { tally } from './tally.ts';
import { memoryProblems, reporter } from './together.ts';

/** What a reporter is answered, with the world afterwards. */
export interface Answer {
  world: World;
  answer: 'ok' | 'repeated' | 'LEASE_LOST' | 'ILLEGAL_TRANSITION' | 'NOT_FOUND' | 'STALE' | 'DECIDED';
  /** Set with DECIDED: what would be written. */
  change?: Change;
  /** Moves that were written. */
  moves: number;
  broken: string[];
}

/** A report: what `record` (or the sweeper's `expire`) does with it, the reading and the deciding in one with the writing. */
export function report(world: World, message: Pick<Message, 'fact' | 'commandId'>): Answer {
  const decided = decide(world, message);
  if (decided.change === undefined || decided.situation === undefined)
    return { ...decided, world, moves: 0, broken: [] };
  const { change, situation, after } = decided;
  const written = write(world, { ...message, change, situation });
  if (written.answer === 'ok' && after !== undefined && message.fact.fact !== 'lease_lapsed')
    written.broken.push(...memoryProblems(message.fact, after, written.world));
  if (written.answer !== 'STALE' || written.broken.length > 0) return written;
  return { ...written, broken: ['a report is decided on what stands there, and refused as overtaken'] };
}

/** Reads and decides, without writing yet. */
export function decide(
  world: World,
  { fact, commandId }: Pick<Message, 'fact' | 'commandId'>,
): { answer: Answer['answer']; change?: Change; situation?: Situation; after?: Situation } {
  const repeated = commandId !== null && world.commands.includes(commandId);
  const situation = situationOf(world, fact);
  if (situation === null) return { answer: repeated ? 'repeated' : 'NOT_FOUND' };
  if (fact.fact === 'lease_lapsed') {
    const expiry = leaseExpiry(situation, { actor: 'sweeper', random: 0 });
    return expiry === null
      ? { answer: 'ILLEGAL_TRANSITION' }
      : { answer: 'DECIDED', change: expiry.change, situation };
  }
  if (staleItem(holdingsOf([fact]), situation.items) !== undefined)
    return { answer: repeated ? 'repeated' : 'LEASE_LOST' };
  const { planned, after } = coupledSequence([fact], situation, reporter);
  if (planned.refused !== null) return { answer: repeated ? 'repeated' : 'ILLEGAL_TRANSITION' };
  const change = changeOf(planned, situation);
  return { answer: 'DECIDED', change: withRest(change, { fact, commandId, situation }), situation, after };
}

/** What a fact brings besides moves. */
function withRest(
  change: Change,
  { fact, commandId, situation }: { fact: Fact; commandId: string | null; situation: Situation },
): Change {
  const [item] = situation.items;
  const approval =
    fact.fact === 'approval_wanted' && item !== undefined
      ? {
          id: `approval-${item.attempt.id}-${item.task.version}`,
          runId: 'run',
          taskId: item.task.id,
          attemptId: item.attempt.id,
        }
      : null;
  return {
    ...change,
    ...(commandId === null ? {} : { command: { id: commandId, actor: 'worker', answer: null } }),
    ...(approval === null
      ? {}
      : { approval: { ...approval, reason: 'r', headCommit: 'h', patchId: 'p', nonce: 'n' } }),
  };
}

/** Writes what was decided, maybe on an earlier state. */
export function write(
  world: World,
  { fact, change, situation }: Pick<Message, 'fact'> & { change: Change; situation: Situation | null },
): Answer {
  const now = situation ?? situationOf(world, fact);
  try {
    const applied = apply(world, change);
    if (!applied.ok) {
      const holdings = fact.fact === 'lease_lapsed' ? [] : holdingsOf([fact]);
      const missed = applied.why === 'fence' && isLostByFence(holdings) ? 'LEASE_LOST' : 'STALE';
      const answer = applied.why === 'repeated' ? 'repeated' : missed;
      return { world, answer, moves: 0, broken: [] };
    }
    const late = situation === null;
    const counted = tally(
      applied.world,
      { fact, aborted: late ? abortedBy(change) : null },
      now?.items ?? [],
    );
    return {
      world: counted.world,
      answer: 'ok',
      moves: change.events?.length ?? 0,
      broken: [
        ...effectProblems(world, applied.world, { fact, late }),
        ...counted.broken,
        // What was decided on earlier is held against what stood there then: the report that brought it was.
        ...(late ? [] : recordProblems({ fact, items: now?.items ?? [] }, change, applied.world)),
      ],
    };
  } catch (error) {
    if (!(error instanceof RefusedByDatabase)) throw error;
    const broken = [`the database refuses what was decided: ${error.message}`];
    return { world, answer: 'STALE', moves: 0, broken };
  }
}

const abortedBy = ({ events = [] }: Change): ReadonlySet<string> =>
  new Set(
    events
      .filter(({ machine, transitionReason }) => machine === 'task' && transitionReason === 'aborted')
      .map(({ entityId }) => entityId),
  );

/** A message as it arrives: one that was decided on before is written, and decided on anew when it was overtaken. */
export function deliver(world: World, message: Message): Answer {
  if (message.change === null) return report(world, message);
  const written = write(world, { fact: message.fact, change: message.change, situation: null });
  // The sweeper leaves what it finds overtaken to its next round; a report is decided on anew.
  const again =
    written.answer === 'STALE' && written.broken.length === 0 && message.fact.fact !== 'lease_lapsed';
  return again ? report(world, message) : written;
}
