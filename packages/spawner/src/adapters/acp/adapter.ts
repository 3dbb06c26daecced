import { sessionStarts, type SessionStarts } from '../../supervise/session-starts.ts';
import type { AgentAdapter, AgentContext, AgentRunner, Finished, TaskRequest } from '../../agent/adapter.ts';
import type { TaskHandlers } from '../../agent/handlers.ts';
import type { EventQueue } from '../../agent/event-queue.ts';
import { short } from '../../agent/short.ts';
import { classifyEnding } from '../../supervise/exit-classes.ts';
import { boundedOutput } from '../../process/bounded-output.ts';
import { isAlive } from '../../process/process-table.ts';
import { startFailure } from '../../supervise/start-failure.ts';
import { startAgentProcess } from '../../supervise/agent-process.ts';
import { abortReasonOf, superviseTask } from '../../supervise/supervise-task.ts';
import { noListener, type Live } from './listen.ts';
import { pause, turn, type Ending } from './prompt.ts';
import { noUsage, type UsageTotals } from './usage.ts';

const cancelMs = 5_000;
const stdinCloseMs = 4_000;
/** How long the last call of a model may take to end after a cancel, and how many reports it may bring. */
const lastCallMs = 1_000;
const lastReports = 1;
/** Of a summary, such as an error that an agent answers with. */
const mostSummary = 8_000;
/** Bytes that are kept of what it prints besides its messages. */
const mostErrors = 4_000;

/**
 * Any agent that speaks the Agent Client Protocol over stdio: one process for a batch, one prompt for each task in the
 * same session. A task that does not end by itself ends the process too, since some agents continue a tool call that was
 * cancelled. Source: docs/spec/agents.md#adapters.
 */
export const acpAdapter: AgentAdapter = {
  name: 'acp',
  capabilities: {
    manyPrompts: true,
    permissionRequests: true,
    cancel: true,
    usage: 'event',
    abortTool: false,
  },
  open(context) {
    const state: State = {
      context,
      starts: sessionStarts(),
      startedMs: null,
      live: null,
      queue: null,
      totals: noUsage(),
      last: { exitCode: null, abortReason: null },
    };
    const runner: AgentRunner = {
      adapter: 'acp',
      abortTool: () => false,
      runTask: (request, handlers = {}) => runTask(state, request, handlers),
      async close() {
        await state.starts.close();
        if (state.live?.inTurn === true) state.live.agent.blame('shutdown_signal');
        if (state.live !== null) await shutDown(state, state.live);
        await state.queue?.drain();
        return state.last;
      },
    };
    return runner;
  },
};

interface State {
  context: AgentContext;
  starts: SessionStarts;
  startedMs: number | null;
  live: Live | null;
  /** Of its last task: its usage may still arrive until the process has ended. */
  queue: EventQueue | null;
  totals: UsageTotals;
  last: Awaited<ReturnType<AgentRunner['close']>>;
}

async function runTask(state: State, request: TaskRequest, handlers: TaskHandlers): Promise<Finished> {
  const { context } = state;
  state.startedMs ??= context.clock.monotonicMs();
  const queue = context.openQueue(handlers);
  state.queue = queue;
  const ending = await attempt(state, { request, handlers, queue });
  if (ending.outcome !== 'done' && state.live !== null) await shutDown(state, state.live);
  if (ending.outcome !== 'done')
    state.last = { ...state.last, abortReason: ending.abortReason as State['last']['abortReason'] };
  const finished: Finished = {
    type: 'finished',
    exitCode: state.last.exitCode,
    resetAt: null,
    ...ending,
    summary: short(context.redact(ending.summary), mostSummary),
  };
  if (finished.outcome === 'rate_limited')
    queue.push({ type: 'rate_limited', resetAt: finished.resetAt, provider: context.name });
  queue.push(finished);
  context.log.write(`\n[${finished.outcome}] ${finished.summary}\n`);
  await queue.drain();
  return finished;
}

async function attempt(
  state: State,
  task: { request: TaskRequest; handlers: TaskHandlers; queue: EventQueue },
): Promise<Ending> {
  const { context } = state;
  const { request, handlers, queue } = task;
  if (request.signal?.aborted)
    return { ...classifyEnding(abortReasonOf(request.signal)), summary: 'Ended before it began.' };
  if (state.live !== null && isOver(state.live)) await state.live.agent.kill({ graceMs: 0 });
  if (state.live === null || isOver(state.live)) {
    const agent = await state.starts.begin(() => startAgentProcess(context));
    if (agent === null) return { ...classifyEnding('shutdown_signal'), summary: 'Ended before it began.' };
    if ('error' in agent) return startFailure(agent.error, context);
    state.live = {
      agent,
      errors: boundedOutput(mostErrors, { wholeWords: true }),
      session: null,
      listener: noListener,
      late: noListener,
      inTurn: false,
      spendings: 0,
    };
    state.totals = noUsage();
    void agent.exited.then(({ code }) => (state.last = { ...state.last, exitCode: code }));
  }
  const { live } = state;
  live.inTurn = true;
  const supervision = superviseTask({
    context,
    agent: live.agent,
    request,
    queue,
    startedMs: state.startedMs ?? 0,
    end: () => cancelTurn(state, live),
  });
  try {
    await handlers.onSpawn?.({ pid: live.agent.pid, pidStarted: live.agent.pidStarted });
    return await turn(state, live, { request, queue, supervision });
  } catch (error) {
    live.agent.blame('shutdown_signal');
    await shutDown(state, live);
    throw error;
  } finally {
    supervision.stop();
    live.listener = live.late;
    live.inTurn = false;
  }
}

/** Cancel by protocol, then close the session: the order that fits all agents. One that keeps spending is killed at once. */
async function cancelTurn(state: State, live: Live): Promise<void> {
  void killSpender(state, live).catch(() => undefined); // the shutdown that follows says what is left
  if (live.session !== null) {
    await Promise.race([live.session.cancel(), pause(cancelMs)]);
    await Promise.race([live.agent.exited, pause(cancelMs), turnOver(live)]);
  }
  await shutDown(state, live);
}

/** Kills an agent that is being ended and keeps reporting new spending. */
async function killSpender(state: State, live: Live): Promise<void> {
  const { exited } = live.agent;
  const isGone = (ms: number) => Promise.race([exited.then(() => true), pause(ms).then(() => false)]);
  if (await isGone(lastCallMs)) return;
  const allowed = live.spendings + lastReports;
  while (live.spendings <= allowed) if ((await isGone(20)) || state.live !== live) return;
  await live.agent.kill({ graceMs: 0 });
}

/** Resolves when the turn was answered. */
async function turnOver(live: Live): Promise<void> {
  while (live.inTurn) await pause(20);
}

/** Closes stdin, waits, then SIGTERM, SIGKILL and whatever carries the marker. */
async function shutDown(state: State, live: Live): Promise<void> {
  live.agent.stdin.end();
  await Promise.race([live.agent.exited, pause(stdinCloseMs)]);
  await live.agent.kill();
  const { code } = await Promise.race([live.agent.exited, pause(stdinCloseMs).then(() => ({ code: null }))]);
  state.last = { ...state.last, exitCode: code };
  if (state.live === live) state.live = null;
}

/** An agent may end while it waits for its next prompt. */
function isOver({ agent }: Live): boolean {
  return agent.endedBy !== null || !isAlive(agent);
}
