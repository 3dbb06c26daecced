import type { AgentContext, Finished, TaskRequest } from '../../agent/adapter.ts';
import type { TaskHandlers } from '../../agent/handlers.ts';
import type { EventQueue } from '../../agent/event-queue.ts';
import { classifyEnding, classifyExit } from '../../supervise/exit-classes.ts';
import { superviseTask } from '../../supervise/supervise-task.ts';
import { noListener, type MindProcess } from './agent-process.ts';
import type { AgentEnd, FromAgent, StartMessage } from '../../in-process/protocol.ts';
import type { AgentEvent } from '@baton/contracts';
import type { Checkpoint } from '@baton/fsm-core';

/** How a task ended in one process. */
export type Supervised = Pick<Finished, 'outcome' | 'abortReason' | 'summary'> &
  Partial<Pick<Finished, 'exitCode' | 'resetAt' | 'transitionReason'>> & {
    /** The process is gone, and it was not we who ended it. */
    died?: boolean;
  };

/** What {@link superviseProcess} attends to. */
export interface Attention {
  request: TaskRequest;
  handlers: TaskHandlers;
  queue: EventQueue;
  start: StartMessage;
  keep(checkpoint: Checkpoint): Promise<void>;
  /** Counts usage over all processes of the task: each is booked once. */
  told: { usages: number };
}

/** Gives the process a task and hears it until it ends, in whatever way. */
export async function superviseProcess(
  { context, mind, startedMs }: { context: AgentContext; mind: MindProcess; startedMs: number },
  attention: Attention,
): Promise<Supervised> {
  const { request, handlers, queue, start } = attention;
  const { agent } = mind;
  let over: (end: AgentEnd | null) => void = () => undefined;
  const ended = new Promise<AgentEnd | null>((resolve) => (over = resolve));
  void agent.exited.then(() => over(null));
  const supervision = superviseTask({
    ...{ context, agent, request, queue, startedMs },
    async end() {
      // Suspended first: what was learned so far is kept.
      mind.say({ type: 'suspend', reason: agent.endedBy ?? 'shutdown_signal' });
      await Promise.race([ended, later(context.limits.graceMs)]);
      await agent.kill();
    },
  });
  mind.listener = {
    onSign: supervision.sign,
    onMessage: (message) => hear(message, { context, mind, attention, over }),
  };
  try {
    await handlers.onSpawn?.({ pid: agent.pid, pidStarted: agent.pidStarted });
    mind.say(start);
    const end = await ended;
    if (end === null)
      queue.push({ type: 'unmeasured', reason: 'Its process ended before it reported all that it spent.' });
    const why = supervision.why();
    if (agent.endedBy !== null)
      return { ...classifyEnding(agent.endedBy), summary: why ?? 'It was stopped.' };
    // Suspended without a word of ours: somebody sent it a signal, and its process is about to go.
    if (end !== null && end.outcome !== 'suspended') return endingOf(end);
    return await deathOf(mind);
  } catch (error) {
    agent.blame('shutdown_signal');
    await agent.kill();
    throw error;
  } finally {
    supervision.stop();
    mind.listener = noListener;
  }
}

function endingOf({ outcome, summary, abortReason, transitionReason, resetAt }: AgentEnd): Supervised {
  return {
    outcome: outcome === 'suspended' ? 'failed' : outcome,
    ...{ summary, abortReason, resetAt },
    ...(transitionReason === undefined ? {} : { transitionReason }),
  };
}

async function deathOf({ agent }: MindProcess): Promise<Supervised> {
  const end = await agent.exited;
  const { abortReason } = classifyExit(end);
  const how = end.signal === null ? `with exit code ${end.code}` : `by ${end.signal}`;
  return {
    outcome: 'crashed',
    abortReason: abortReason ?? 'unknown',
    summary: `The agent's process ended ${how} in the middle of its work.`,
    exitCode: end.code,
    died: true,
  };
}

function hear(
  message: FromAgent,
  {
    context,
    mind,
    attention,
    over,
  }: { context: AgentContext; mind: MindProcess; attention: Attention; over: (end: AgentEnd) => void },
): void {
  const { queue, keep, told } = attention;
  switch (message.type) {
    case 'event': {
      const { event } = message;
      if (event.type === 'message') context.log.write(`${event.text}\n`);
      if (event.type === 'tool_started') context.log.write(`[tool] ${event.title}\n`);
      return queue.push(placed(event, told));
    }
    case 'checkpoint':
      // Without an answer it waits: a checkpoint that cannot be kept ends the task like any handler that fails.
      // What it spent so far is booked first: at the cap it is stopped before it asks the model again.
      void queue
        .drain()
        .then(() => keep(message.checkpoint))
        .then(
          () => mind.say({ type: 'kept', number: message.number }),
          (error: unknown) => {
            context.log.write(
              `[checkpoint] not kept: ${error instanceof Error ? error.message : String(error)}\n`,
            );
            mind.agent.blame('shutdown_signal');
            void mind.agent.kill();
          },
        );
      return;
    case 'permission':
      void Promise.resolve(context.permission(message.request))
        .catch(() => 'deny' as const)
        .then((answer) => mind.say({ type: 'permission', number: message.number, answer }));
      return;
    case 'end':
      return over(message);
  }
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}

/** Numbers the events that report usage, over all processes of the task. */
export function placed(event: AgentEvent, told: { usages: number }): AgentEvent {
  if (event.type === 'usage') return { ...event, offset: told.usages++ };
  if (event.type !== 'unmeasured' || event.atMost === undefined) return event;
  return { ...event, atMost: { ...event.atMost, offset: told.usages++ } };
}
