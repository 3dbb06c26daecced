import { setTimeout as delay } from 'node:timers/promises';
import { until } from '@baton/testkit';
import { completeOverHttp } from './over-http.ts';
import { keys, online, openPlace, type Place } from './place.ts';
import type { Program } from './programs.ts';

/** Where work is made and who lands it. */
export const kinds = [
  'two state folders',
  'two hosts on one remote',
  'baton run beside a worker',
  'completed over HTTP',
] as const;
/** What befalls the first worker. */
export const disturbances = ['none', 'kill', 'drain', 'drain in the store', 'stop'] as const;

/** One trial as it is ordered. */
export interface TrialOrder {
  kind: (typeof kinds)[number];
  disturbance: (typeof disturbances)[number];
  /** When, after the first worker is at work. */
  afterMs: number;
}

/** What came of it. */
export interface Trial extends TrialOrder {
  tasks: number;
  /** Causes that `explain` named meanwhile. */
  sampled: string[];
  durationMs: number;
  problems: string[];
}

const longestMs = 300_000;
/** A worker that died is found out by the next sweep of another on its host; on another host by three heartbeats that are missing. */
const foundOutMs = (kind: TrialOrder['kind']): number =>
  kind === 'two hosts on one remote' ? 45_000 : 25_000;
const sampleMs = 250;

/** How the repository is reached: beside the workers, or by one of git's transports. */
const transportOf = {
  'two state folders': 'local',
  'two hosts on one remote': 'git',
  'baton run beside a worker': 'local',
  'completed over HTTP': 'http',
} as const;

/** Plays one trial with real processes, and judges it by git and by the rows. */
export async function play(order: TrialOrder): Promise<Trial> {
  const startedMs = performance.now();
  await using place = await openPlace(transportOf[order.kind]);
  const sampled: string[] = [];
  const problems: string[] = [];
  const over = new AbortController();
  let beside: Promise<unknown> = Promise.resolve();
  try {
    const first = await begin(place, order);
    beside = Promise.all([
      sample(place, { sampled, problems, signal: over.signal, foundOutMs: foundOutMs(order.kind) }),
      disturb(place, { first, order }),
    ]);
    await until(() => isOver(place.store), { what: 'all tasks have landed', timeoutMs: longestMs });
    over.abort();
    await beside;
    problems.push(...(await judge(place)));
  } catch (error) {
    over.abort();
    await beside.catch(() => undefined);
    problems.push(`${String(error)} ${await stateOf(place)}`);
  }
  return { ...order, tasks: keys.length, sampled, problems, durationMs: performance.now() - startedMs };
}

/** Starts the run and its workers, each with a state folder of its own; the first one is disturbed. */
async function begin(place: Place, { kind }: TrialOrder): Promise<Program> {
  if (kind === 'baton run beside a worker') {
    const args = [
      'run',
      `${place.folder}/plans/plan.yaml`,
      '--repo',
      place.repo.path,
      '--target',
      'baton/reach',
      '--yes',
    ];
    const run = place.start('cli', { name: 'run', args });
    place.start('worker', { name: 'beside' });
    await online(place, 'beside');
    await until(async () => (await place.store.runs.list({ limit: 1 })).items[0], {
      what: 'the run is there',
      timeoutMs: 60_000,
    });
    return run;
  }
  await place.submit();
  if (kind === 'completed over HTTP') await completeOverHttp(place);
  const first = place.start('worker', { name: 'first' });
  place.start('worker', {
    name: 'second',
    ...(kind === 'two hosts on one remote' && { host: 'second-host' }),
  });
  await Promise.all([online(place, 'first'), online(place, 'second')]);
  return first;
}

async function disturb(place: Place, { first, order }: { first: Program; order: TrialOrder }): Promise<void> {
  await delay(order.afterMs);
  const pid = first.child.pid;
  if (pid === undefined || first.endedAtMs() !== null) return;
  if (order.disturbance === 'kill') process.kill(pid, 'SIGKILL');
  if (order.disturbance === 'drain') first.child.kill('SIGTERM');
  if (order.disturbance === 'stop') first.child.kill('SIGINT');
  if (order.disturbance === 'drain in the store') {
    const worker = (await place.store.workers.list()).find((each) => each.pid === pid);
    if (worker)
      await place.store.workers.setStatus(worker.id, 'draining', {
        actor: 'operator:tester',
        reason: 'reach',
      });
  }
  await approveWhatIsLeft(place, first);
}

/** A `baton run` that ended before it approved its own plan leaves that to a person, who does what `explain` says. */
async function approveWhatIsLeft(place: Place, first: Program): Promise<void> {
  const ended = async () => first.endedAtMs() !== null || (await isOver(place.store));
  await until(ended, { what: 'it ends, or all is done', timeoutMs: 60_000 }).catch(() => undefined);
  const [run] = (await place.store.runs.list({ limit: 1 })).items;
  const planned =
    run && (await place.store.tasks.list({ runId: run.id, status: ['PLANNED'], limit: 1 })).items;
  if (run === undefined || planned?.length === 0) return;
  await place.store.runs.approvePlan(run.id, { actor: 'operator:tester', reason: 'as explain says' });
  await place.store.runs.settle(run.id);
}

async function isOver(store: Place['store']): Promise<true | undefined> {
  const [run] = (await store.runs.list({ limit: 1 })).items;
  return run?.status === 'done' ? true : undefined;
}

/** Asks again and again why a task does not move; who is said to move it next must not have been dead for long. */
async function sample(
  place: Place,
  given: { sampled: string[]; problems: string[]; signal: AbortSignal; foundOutMs: number },
): Promise<void> {
  const { sampled, problems, signal, foundOutMs } = given;
  for (let at = 0; !signal.aborted; at += 1) {
    await delay(sampleMs);
    const [run] = (await place.store.runs.list({ limit: 1 })).items;
    const open = run
      ? (await place.store.tasks.list({ runId: run.id, settled: false, limit: 50 })).items
      : [];
    const task = open[at % Math.max(1, open.length)];
    if (task === undefined) continue;
    const { cause, owner, text } = await place.store.tasks.explain(task.id);
    sampled.push(cause);
    if (text.trim() === '' || owner.trim() === '') problems.push(`${cause} says nothing`);
    const dead = place.programs.find(
      (program) =>
        owner === `worker ${program.name}` &&
        performance.now() - (program.endedAtMs() ?? Infinity) > foundOutMs,
    );
    if (dead) problems.push(`explain names ${dead.name}, which has been dead for long: ${text}`);
  }
}

/** Each task once on the branch and once in the rows, with its own content, and none of Baton's refs of attempts is left. */
async function judge(place: Place): Promise<string[]> {
  const [run] = (await place.store.runs.list({ limit: 1 })).items;
  if (run === undefined) return ['there is no run'];
  const tasks = (await place.store.tasks.list({ runId: run.id, limit: 50 })).items;
  const landed = (
    await place.git('log', '--format=%(trailers:key=Task-Id,valueonly,separator=%x2C)', run.target)
  )
    .split('\n')
    .filter((line) => line !== '');
  const problems: string[] = [];
  for (const task of tasks) {
    const times = landed.filter((id) => id === task.id).length;
    if (times !== 1) problems.push(`${task.key} stands ${times} times on ${run.target}`);
    const rows = await place.store.tasks.landings({ taskId: task.id });
    if (rows.length !== 1) problems.push(`${task.key} has ${rows.length} landings`);
    const content = await place.git('show', `${run.target}:${task.key}.txt`).catch(() => 'nothing');
    if (content !== task.key) problems.push(`${task.key}.txt holds ${content}`);
  }
  if (tasks.length !== keys.length) problems.push(`there are ${tasks.length} tasks`);
  return problems;
}

async function stateOf(place: Place): Promise<string> {
  const [run] = (await place.store.runs.list({ limit: 1 })).items;
  if (run === undefined)
    return `no run. ${place.programs.map((each) => each.output().slice(-600)).join(' | ')}`;
  const open = (await place.store.tasks.list({ runId: run.id, settled: false, limit: 50 })).items;
  const told = await Promise.all(
    open.map(async ({ id, key }) => `${key}: ${(await place.store.tasks.explain(id)).text}`),
  );
  const said = place.programs.map((each) => `${each.name}: ${each.output().slice(-400)}`);
  return [`run ${run.status} ${run.statusReason ?? ''}`, ...told, ...said].join(' | ');
}
