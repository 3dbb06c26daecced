import type { Step } from '@baton/testkit';
import { commandOf, proceed, withJob } from './jobs.ts';
import { decide, deliver, report } from './report.ts';
import { byId, patched, type Message, type Size, type Worker, type World } from './rows.ts';

/** Spends one fault; null when none is left. */
export function spend(world: World, kind: Exclude<keyof Size['faults'], 'all'>): World | null {
  const { left } = world;
  if (left[kind] <= 0 || left.all <= 0) return null;
  return { ...world, left: { ...left, [kind]: left[kind] - 1, all: left.all - 1 } };
}

/** Puts a message on its way. */
function sent(world: World, message: Omit<Message, 'id'>): World {
  return { ...world, flight: [...world.flight, { ...message, id: `m${world.next}` }], next: world.next + 1 };
}

/**
 * All ways in which a report of a worker may go: answered at once; that, and a second copy comes some time later; or read and decided
 * on now and written later, while its sender waits.
 */
export function send(
  world: World,
  worker: Worker,
  { fact, name = fact.fact }: { fact: Exclude<Message['fact'], { fact: 'lease_lapsed' }>; name?: string },
): Step<World>[] {
  const message = { fact, commandId: commandOf(fact, worker.job) };
  const at = `${worker.id}: ${name}`;
  const { world: after, answer, broken } = report(world, message);
  const { next, found } = goOn(after, worker, { fact, ok: answer === 'ok' });
  broken.push(...found);
  const steps: Step<World>[] = [{ name: answer === 'ok' ? at : `${at} → ${answer}`, next, broken }];
  if (answer !== 'ok') return steps;
  const doubled = spend(next, 'duplicates');
  if (doubled !== null)
    steps.push({
      name: `${at}; a copy is under way`,
      next: sent(doubled, { ...message, change: null }),
      broken,
    });
  const delayed = spend(world, 'delays');
  const { change } = decide(world, message);
  if (delayed === null || change === undefined) return steps;
  const waiting = sent(delayed, { ...message, change });
  const workers = patched(waiting.workers, worker.id, { waitsFor: waiting.flight.at(-1)?.id ?? null });
  steps.push({ name: `${at} is decided on, not written yet`, next: { ...waiting, workers } });
  return steps;
}

/** Goes on in the worker's job. Where turns are collapsed, a batch that is through is over at once. */
function goOn(
  after: World,
  worker: Worker,
  told: { fact: Message['fact']; ok: boolean },
): { next: World; found: string[] } {
  const next = proceed(after, worker, told);
  const job = byId(next.workers, worker.id)?.job;
  if (!next.size.collapsed || job?.kind !== 'batch' || job.at < job.holdings.length)
    return { next, found: [] };
  const fact = { fact: 'batch_over', sessionId: job.sessionId, exitCode: 0 } as const;
  const { world, broken } = report(next, { fact, commandId: null });
  return { next: withJob(world, worker.id, null), found: broken };
}

/** The sweeper's expiry of one session: at once, or decided on now and written later. */
export function expire(world: World, sessionId: string): Step<World>[] {
  const message = { fact: { fact: 'lease_lapsed' as const, sessionId }, commandId: null };
  const { world: next, answer, broken } = report(world, message);
  const name = `sweeper: ${sessionId} lapsed`;
  const steps: Step<World>[] = [{ name: answer === 'ok' ? name : `${name} → ${answer}`, next, broken }];
  const delayed = spend(world, 'delays');
  const { change } = decide(world, message);
  if (answer === 'ok' && delayed !== null && change !== undefined)
    steps.push({ name: `${name}, decided on, not written yet`, next: sent(delayed, { ...message, change }) });
  return steps;
}

/** Each message on its way arrives. */
export function arrivals(world: World): Step<World>[] {
  return world.flight.map((message) => {
    const flight = world.flight.filter(({ id }) => id !== message.id);
    const { world: after, answer, broken } = deliver({ ...world, flight }, message);
    const sender = world.workers.find(({ waitsFor }) => waitsFor === message.id);
    const worker = sender === undefined ? undefined : byId(after.workers, sender.id);
    const { next, found } =
      worker === undefined
        ? { next: after, found: [] }
        : goOn(after, worker, { fact: message.fact, ok: answer === 'ok' });
    broken.push(...found);
    const what = message.change === null ? 'a copy arrives' : 'it is written';
    return { name: `${message.fact.fact}: ${what} → ${answer}`, next, broken };
  });
}
