import type { AgentContext, PermissionRequest } from '../../agent/adapter.ts';
import type { EventQueue } from '../../agent/event-queue.ts';
import type { BoundedOutput } from '../../process/bounded-output.ts';
import type { AgentProcess } from '../../supervise/agent-process.ts';
import type { Supervision } from '../../supervise/supervise-task.ts';
import type { PermissionParams } from './messages.ts';
import type { AcpListener } from './messages-of.ts';
import type { AcpSession } from './session.ts';
import type { TurnReader } from './turn.ts';

/** A living process and the session with it. */
export interface Live {
  agent: AgentProcess;
  /** What it prints besides its messages. */
  errors: BoundedOutput;
  session: AcpSession | null;
  listener: AcpListener;
  /** Who listens once the turn is over. */
  late: AcpListener;
  inTurn: boolean;
  /** How often it told of new spending. */
  spendings: number;
}

/** Events of a turn that may wait to be handled before the agent is read on. */
const mostWaiting = 1_000;

/** Hears what the agent sends while it works on a prompt. */
export function listen({
  context,
  live,
  queue,
  reader,
  supervision,
}: {
  context: AgentContext;
  live: Live;
  queue: EventQueue;
  reader: TurnReader;
  supervision: Supervision;
}): AcpListener {
  const tell = (events: ReturnType<TurnReader['update']>) => {
    live.spendings += events.filter(({ type }) => type === 'usage').length;
    events.forEach((event) => emit({ context, queue }, event));
  };
  return {
    onSign: supervision.sign,
    room: () => (queue.waiting < mostWaiting ? null : queue.drain()),
    onUpdate: (update, of) => tell(reader.update(update, otherThan(live, of))),
    onUnreadable: () => tell(reader.usage.unreadable()),
    async onPermission(request) {
      if (hasEnded(live)) return null; // gemini never ends unless its open request is cancelled
      tell(reader.asked(request.toolCall));
      const { optionId, decision } = await decide(context, request);
      if (hasEnded(live)) return null;
      queue.push({
        type: 'permission_requested',
        requestId: request.toolCall.toolCallId,
        title: request.toolCall.title ?? '',
        decision,
      });
      return optionId;
    },
  };
}

/** Hears nothing: before the first turn. */
export const noListener: AcpListener = {
  onSign: () => undefined,
  onUpdate: () => undefined,
  onUnreadable: () => undefined,
  onPermission: () => null,
  room: () => null,
};

/** Between turns and until its end an agent may still tell what the last one cost. */
export function hearLate({
  live,
  queue,
  reader,
}: {
  live: Live;
  queue: EventQueue;
  reader: TurnReader;
}): AcpListener {
  return {
    ...noListener,
    onUpdate: (update, of) =>
      reader
        .update(update, otherThan(live, of))
        .filter(({ type }) => type === 'usage' || type === 'unmeasured')
        .forEach((event) => {
          if (event.type === 'usage') live.spendings += 1;
          queue.push(event);
        }),
    onUnreadable: () => reader.usage.unreadable().forEach((event) => queue.push(event)),
  };
}

/** Ids of options differ between agents; their kinds do not. */
async function decide(
  context: AgentContext,
  { toolCall, options }: PermissionParams,
): Promise<{ optionId: string | null; decision: 'allowed' | 'denied' }> {
  const answer = await ask(context, {
    title: toolCall.title ?? '',
    kind: toolCall.kind ?? 'other',
    paths: (toolCall.locations ?? []).map((location) => location.path),
  });
  const kinds = answer === 'allow' ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const option = kinds
    .map((kind) => options.find((one) => one.kind === kind))
    .find((one) => one !== undefined);
  return {
    optionId: option?.optionId ?? null,
    decision: answer === 'allow' && option !== undefined ? 'allowed' : 'denied',
  };
}

/** Who cannot answer has not allowed anything. */
async function ask(context: AgentContext, request: PermissionRequest): Promise<'allow' | 'deny'> {
  try {
    return await context.permission(request);
  } catch (error) {
    context.log.write(`[permission] no answer: ${error instanceof Error ? error.message : String(error)}\n`);
    return 'deny';
  }
}

/** Hands an event on, and writes the log that people read. */
export function emit(
  { context, queue }: { context: AgentContext; queue: EventQueue },
  event: Parameters<EventQueue['push']>[0],
): void {
  queue.push(event);
  if (event.type === 'message') context.log.write(`${event.text}\n`);
  if (event.type === 'tool_started') context.log.write(`[tool] ${event.title}\n`);
  if (event.type === 'tool_completed' && event.failed)
    context.log.write(`[tool failed] ${event.output ?? ''}\n`);
}

/** The session that an update is of, unless it is the prompt's own: sub-agents may have theirs. */
function otherThan({ session }: Live, of: string | undefined): string | undefined {
  return session === null || of === session.sessionId ? undefined : of;
}

function hasEnded({ agent }: Live): boolean {
  return agent.endedBy !== null;
}
