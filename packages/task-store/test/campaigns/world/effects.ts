import { byId, isAlive, type Message, type World } from './rows.ts';

type Fact = Message['fact'];

/** What a report that was written must not have done, whatever the world looks like afterwards. */
export function effectProblems(
  before: World,
  after: World,
  { fact, late }: { fact: Fact; late: boolean },
): string[] {
  return [
    ...staleEffects(before, fact),
    ...keptReservations(before, after, fact),
    ...keptLeases(after, fact),
    ...sameFences(before, after, fact),
    ...expiredWhileRenewing(before, { fact, late }),
  ];
}

/** Whoever loses an attempt that goes on loses its fence, too: what it still says is late. */
function sameFences(before: World, after: World, fact: Fact): string[] {
  if (fact.fact !== 'lease_lapsed' && fact.fact !== 'process_died') return [];
  return after.attempts.flatMap((row) => {
    const was = byId(before.attempts, row.id);
    const lost = was !== undefined && was.workerId !== row.workerId && !row.ended;
    return lost && row.fence <= was.fence
      ? [`"${fact.fact}" takes ${row.id} from its holder under its old fence`]
      : [];
  });
}

/** Only whoever falls silent loses its work; or whose lease ran out again before an expiry, decided on earlier, is written. */
function expiredWhileRenewing(before: World, { fact, late }: { fact: Fact; late: boolean }): string[] {
  if (fact.fact !== 'lease_lapsed') return [];
  const session = byId(before.sessions, fact.sessionId);
  const worker = before.workers.find(({ id }) => id === session?.workerId);
  if (session === undefined || worker === undefined || worker.silent || !isAlive(before, worker.id))
    return [];
  const held = before.attempts.some(
    (row) =>
      row.sessionId === session.id &&
      !row.ended &&
      !(late && row.lease === 'lapsed') &&
      ['CLAIMED', 'IN_PROGRESS'].includes(byId(before.tasks, row.taskId)?.status ?? ''),
  );
  return held ? [`${session.id} is expired although its worker renews`] : [];
}

/** A report that was written although its fence is another's, or its attempt is over. */
function staleEffects(world: World, fact: Message['fact']): string[] {
  const holdings = 'holding' in fact ? [fact.holding] : 'holdings' in fact ? fact.holdings : [];
  return holdings.flatMap(({ attemptId, fence }) => {
    const row = world.attempts.find(({ id }) => id === attemptId);
    const holds = row !== undefined && !row.ended && row.fence === fence;
    return holds ? [] : [`"${fact.fact}" had an effect under a fence that is not its own any more`];
  });
}

/** What ends, or is done, gives back what was reserved for it; only of a lost process nobody knows what it still spends. */
function keptReservations(before: World, after: World, fact: Message['fact']): string[] {
  if (fact.fact === 'lease_lapsed') return [];
  const over = before.attempts.filter(({ ended }) => ended).map(({ id }) => id);
  return after.attempts
    .filter((row) => row.reserved && (row.ended || row.doneAt > 0) && !over.includes(row.id))
    .map((row) => `"${fact.fact}" leaves a reservation with ${row.id}`);
}

/** At DONE the worker gives up its lease: whoever holds the lane takes the work. */
function keptLeases(after: World, fact: Message['fact']): string[] {
  if (fact.fact !== 'done') return [];
  const row = after.attempts.find(({ id }) => id === fact.holding.attemptId);
  return row?.lease === null && row.workerId === null
    ? []
    : [`"done" leaves its lease with ${fact.holding.attemptId}`];
}
