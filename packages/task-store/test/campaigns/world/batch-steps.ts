import type { Step } from '@baton/testkit';
import type { Fact } from '../../../src/model/fact.ts';
import { withJob } from './jobs.ts';
import { report } from './report.ts';
import { byId, now, openAttempt, planOf, type Job, type TaskPlan, type Worker, type World } from './rows.ts';
import { claim } from './selects.ts';
import { send, spend } from './send.ts';
import { togetherProblems } from './together.ts';

type Batch = Extract<Job, { kind: 'batch' }>;
const launch = {
  adapter: 'a',
  model: null,
  pid: 1,
  pidStarted: '1',
  workspace: '/w',
  deadlineAt: null,
  route: null,
};
const range = { baseCommit: 'b', startCommit: 'b' };

/** A worker without a job claims a batch. */
export function claims(world: World, worker: Worker): Step<World>[] {
  const sessionId = `s${world.next}`;
  const taken = claim({ ...world, next: world.next + 1 }, { workerId: worker.id, sessionId });
  if (taken === null) return [];
  const { holdings } = taken;
  const phase = world.size.collapsed ? 'launched' : 'claimed';
  const claimed = withJob(taken.world, worker.id, { kind: 'batch', sessionId, holdings, at: 0, phase });
  const name = `${worker.id}: claims ${holdings.map(({ taskId }) => taskId).join(' and ')}`;
  const broken =
    holdings.length > world.size.batchSize ? [`a batch of ${holdings.length} tasks is claimed`] : [];
  if (!world.size.collapsed) return [{ name, next: claimed, broken }];
  const fact = { fact: 'launched' as const, holdings: holdings.map((each) => holdingOf(each)), ...launch };
  const { world: next, broken: found } = report(claimed, { fact, commandId: null });
  return [{ name, next, broken: [...broken, ...found] }];
}

/** What an agent, and the worker for it, may do next in a batch. */
export function batchSteps(world: World, worker: Worker, job: Batch): Step<World>[] {
  const tell = (fact: Fact, name?: string) =>
    send(world, worker, { fact, ...(name === undefined ? {} : { name }) });
  const here = job.holdings[job.at];
  const over = () => tell({ fact: 'batch_over', sessionId: job.sessionId, exitCode: 0 });
  switch (job.phase) {
    case 'claimed':
      return [
        ...launches(world, worker, job),
        ...begin(world, { worker, job, phase: 'giving' }),
        ...(may(world, here, 'spawn_fail') ? begin(world, { worker, job, phase: 'failing' }) : []),
      ];
    case 'launched':
    case 'running':
      return here === undefined ? [] : [...atTask(world, { worker, job }), ...dies(world, worker, job)];
    case 'between':
      return [
        ...afterwards(world, worker, job),
        ...rests(world, worker, job),
        ...(here === undefined ? over() : nextTask(world, worker, job)),
      ];
    case 'failing':
      if (here === undefined) return over();
      return [true, false].flatMap((retry) =>
        tell(
          { fact: 'setup_failed', holding: holdingOf(here), reason: 'r', retry, counted: true },
          retry ? 'set-up failed' : 'cannot ever be set up',
        ),
      );
    case 'giving':
    case 'closing':
      if (here === undefined) return over();
      return tell({ fact: 'released', holding: holdingOf(here), reason: 'r' });
    default:
      return job.phase satisfies never;
  }
}

const holdingOf = ({ attemptId, fence }: { attemptId: string; fence: number }) => ({ attemptId, fence });

function may(world: World, here: { taskId: string } | undefined, what: TaskPlan['may'][number]): boolean {
  return here !== undefined && planOf(world, here.taskId).may.includes(what);
}

/** The process starts. Whoever is ready at once says both in one report. */
function launches(world: World, worker: Worker, job: Batch): Step<World>[] {
  const [first] = job.holdings;
  const launched = {
    fact: 'launched',
    holdings: job.holdings.map((each) => holdingOf(each)),
    ...launch,
  } as const;
  if (first === undefined) return [];
  const facts = [launched, { fact: 'ready', holding: holdingOf(first), ...range }] as const;
  const broken = togetherProblems(
    world,
    [...facts],
    (before, fact) => report(before, { fact, commandId: null }).world,
  );
  return send(world, worker, { fact: launched }).map((step) => ({
    ...step,
    broken: [...(step.broken ?? []), ...broken],
  }));
}

/** Nothing comes of the claim: all is given back, or the set-up failed. */
function begin(
  world: World,
  { worker, job, phase }: { worker: Worker; job: Batch; phase: 'giving' | 'failing' },
): Step<World>[] {
  const name = phase === 'giving' ? 'gives the batch back' : 'cannot set up';
  return [{ name: `${worker.id}: ${name}`, next: withJob(world, worker.id, { ...job, phase }) }];
}

function atTask(world: World, { worker, job }: { worker: Worker; job: Batch }): Step<World>[] {
  const here = job.holdings[job.at];
  if (here === undefined) return [];
  const holding = holdingOf(here);
  const steps: Step<World>[] = [];
  const tell = (fact: Fact, name?: string) =>
    steps.push(
      ...send(world, worker, { fact, ...(name === undefined ? {} : { name: `${name} ${here.taskId}` }) }),
    );
  const task = byId(world.tasks, here.taskId);
  const waits = job.phase === 'launched';
  if (task?.cancelRequested === true) tell({ fact: 'cancelled', holding, reason: 'r' }, 'cancelled');
  if (waits) tell({ fact: 'ready', holding, ...range }, 'ready');
  if (!waits || may(world, here, 'early_done'))
    tell({ fact: 'done', holding, ...range, headCommit: 'h', summary: 's' }, 'done');
  if (!waits && may(world, here, 'empty'))
    tell(
      { fact: 'done', holding, ...range, headCommit: range.startCommit, summary: 's' },
      'done, and nothing changed',
    );
  if (waits && may(world, here, 'spawn_fail'))
    tell({ fact: 'agent_failed', holding, reason: 'r', outcome: 'spawn_failed' }, 'spawn failed');
  if (!waits && may(world, here, 'fail')) {
    tell({ fact: 'agent_failed', holding, reason: 'r', outcome: 'agent_failed' }, 'failed');
    tell({ fact: 'agent_failed', holding, reason: 'r', outcome: 'timeout' }, 'timed out');
  }
  if (may(world, here, 'block') && !waits) {
    const until = new Date(now.getTime() + 1000).toISOString();
    tell({ fact: 'blocked', holding, on: { until }, reason: 'r' }, 'blocked');
  }
  if (!waits) tell({ fact: 'released', holding, reason: 'r' }, 'released');
  if (!waits && !world.size.collapsed) steps.push(...inTurn(world, worker, job));
  return steps;
}

/** Tool calls and compactions of the task it is at. What the agent does is what its turn shows, unless somebody else has it now. */
function inTurn(world: World, worker: Worker, job: Batch): Step<World>[] {
  const here = job.holdings[job.at];
  const row = here === undefined ? undefined : byId(world.attempts, here.attemptId);
  if (here === undefined || row === undefined) return [];
  const holding = holdingOf(here);
  const tell = (fact: 'tool_started' | 'tool_ended' | 'compaction_started' | 'compaction_ended') =>
    send(world, worker, { fact: { fact, holding } });
  if (row.turnStatus === 'COMPACTING') return tell('compaction_ended');
  return [
    ...(may(world, here, 'tools') && row.openTools < (may(world, here, 'parallel_tools') ? 2 : 1)
      ? tell('tool_started')
      : []),
    ...(row.openTools > 0 ? tell('tool_ended') : []),
    ...(may(world, here, 'compact') ? tell('compaction_started') : []),
  ];
}

/** Its agent dies by itself. */
function dies(world: World, worker: Worker, job: Batch): Step<World>[] {
  const crashed = spend(world, 'crashes');
  if (crashed === null || world.size.collapsed) return [];
  const { sessionId } = job;
  const how = { exitCode: 137, abortReason: 'oom', reason: 'r', ofItself: true } as const;
  return send(crashed, worker, { fact: { fact: 'process_died', sessionId, ...how }, name: 'its agent died' });
}

/** An agent that said it was done may still compact. */
function afterwards(world: World, worker: Worker, job: Batch): Step<World>[] {
  const before = job.holdings[job.at - 1];
  const row = before === undefined ? undefined : byId(world.attempts, before.attemptId);
  if (before === undefined || row === undefined || row.ended || !may(world, before, 'compact')) return [];
  if (openAttempt(world, before.taskId)?.id !== row.id || world.size.collapsed) return [];
  const fact = row.turnStatus === 'COMPACTING' ? 'compaction_ended' : 'compaction_started';
  return send(world, worker, { fact: { fact, holding: holdingOf(before) }, name: `${fact} while verifying` });
}

/** An agent that is kept for more work rests in between. */
function rests(world: World, worker: Worker, job: Batch): Step<World>[] {
  const session = byId(world.sessions, job.sessionId);
  if (!may(world, job.holdings[0], 'rest') || session?.status !== 'working') return [];
  if (session.executionState !== 'idle') return [];
  return send(world, worker, { fact: { fact: 'rested', sessionId: job.sessionId } });
}

function nextTask(world: World, worker: Worker, job: Batch): Step<World>[] {
  const here = job.holdings[job.at];
  if (here === undefined) return [];
  const holding = holdingOf(here);
  return [
    ...send(world, worker, {
      fact: { fact: 'next_task', holding, ...range, pid: 1, pidStarted: '1' },
      name: `next task ${here.taskId}`,
    }),
    {
      name: `${worker.id}: ends before ${here.taskId}`,
      next: withJob(world, worker.id, { ...job, phase: 'closing' }),
    },
  ];
}
