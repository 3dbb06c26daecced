import { z } from 'zod';
import type { AgentEvent } from '@baton/contracts';
import {
  failureIn,
  sessionUpdate,
  textOf,
  toolMessage,
  type SessionFailure,
  type SessionUpdate,
  type ToolMessage,
} from './messages.ts';
import type { ToolUse } from '../../supervise/loops.ts';
import { messageText, type MessageText } from './message-text.ts';
import { hasFailed, isEmpty, mature, newCall, outputOf, type ToolCall } from './tool-call.ts';
import { short, shortEnd } from '../../agent/short.ts';
import type { UsageMeter } from './usage.ts';

const maxSummaryLength = 4_000;
/** Of a plan: more is in no event. */
const mostEntries = 200;
const mostEntry = 1_000;

/** Reads the updates of one prompt. */
export interface TurnReader {
  /** Events that an update gives rise to, in order; `session`: the one that it is of, when that is another than the prompt's. */
  update(update: unknown, session?: string): AgentEvent[];
  /** Notes a tool that the agent asks leave for: some agents announce it in no other way. */
  asked(call: ToolMessage): AgentEvent[];
  /** What is left at the turn's end. */
  end(): AgentEvent[];
  readonly seen: TurnFacts;
  readonly usage: UsageMeter;
}

/** What a turn held, by structure. */
export interface TurnFacts {
  /** Text of the model's last message. */
  summary: string;
  /** Whether the model said or did anything. */
  spoke: boolean;
  tools: number;
  failure: SessionFailure | null;
  systemError: boolean;
  model: string | null;
}

interface Turn {
  readonly seen: TurnFacts;
  readonly usage: UsageMeter;
  readonly text: MessageText;
  readonly calls: Map<string, ToolCall>;
  readonly onToolDone: (use: ToolUse) => void;
}

/** Makes a reader for one prompt. `onToolDone` sees every finished call and `onToolAsked` every one that leave is asked for, for the loop detector; `usage` makes the meter of what it spends. */
export function turnReader({
  onToolDone,
  onToolAsked = () => undefined,
  usage: makeMeter,
}: {
  onToolDone: (use: ToolUse) => void;
  onToolAsked?: (use: ToolUse) => void;
  usage: (seen: TurnFacts) => UsageMeter;
}): TurnReader {
  const seen: TurnFacts = {
    summary: '',
    spoke: false,
    tools: 0,
    failure: null,
    systemError: false,
    model: null,
  };
  const usage = makeMeter(seen);
  const turn: Turn = { seen, usage, text: messageText(), calls: new Map(), onToolDone };
  return {
    seen,
    usage,
    asked(message) {
      const events = toolEvents(turn, message);
      const call = turn.calls.get(message.toolCallId);
      if (call !== undefined) onToolAsked(call);
      return events;
    },
    update(value, session) {
      const parsed = sessionUpdate.safeParse(value);
      return parsed.success ? read(turn, parsed.data, { value, session }) : [];
    },
    end() {
      const open = [...turn.calls].filter(([, call]) => call.isStarted && !call.isDone);
      return [
        ...turn.text.flush(),
        ...open.map(([toolId]): AgentEvent => ({ type: 'tool_completed', toolId, failed: true })),
      ];
    },
  };
}

function say({ seen, text: messages }: Turn, kind: 'assistant' | 'thought', text: string): AgentEvent[] {
  if (text === '') return [];
  seen.spoke = true;
  if (kind === 'assistant') seen.summary = shortEnd(seen.summary + text, maxSummaryLength);
  return messages.add(kind, text);
}

function toolEvents({ seen, text, calls, onToolDone }: Turn, message: ToolMessage): AgentEvent[] {
  const toolId = message.toolCallId;
  const isNew = !calls.has(toolId);
  const call = calls.get(toolId) ?? newCall();
  calls.set(toolId, call);
  mature(call, message);
  if (isNew) {
    seen.tools += 1;
    seen.spoke = true;
    seen.summary = ''; // what is said after the last tool sums the turn up
  }
  const isEnd = message.status === 'completed' || message.status === 'failed';
  // A call announced without its input gets its title with the next update.
  const isRaw = isNew && message.status === 'pending' && isEmpty(message.rawInput);
  const events: AgentEvent[] = [];
  if (!call.isStarted && (!isRaw || isEnd)) {
    call.isStarted = true;
    events.push(...text.flush(), {
      type: 'tool_started',
      toolId,
      title: call.title || 'tool',
      kind: call.kind,
    });
  }
  // Never back: a late "pending" after "completed" (cline) changes nothing.
  if (!isEnd || call.isDone) return events;
  call.isDone = true;
  const output = outputOf(message);
  const failed = hasFailed(message);
  events.push({ type: 'tool_completed', toolId, failed, ...(output === '' ? {} : { output }) });
  onToolDone(call);
  return events;
}

/** An update as it came; `session`: the one that it is of, when that is another than the prompt's. */
interface Given {
  value: unknown;
  session: string | undefined;
}

/** What an update says, and what it reports of usage. */
function read(turn: Turn, update: SessionUpdate, given: Given): AgentEvent[] {
  const spent = noteMeta(turn, update);
  return [...readKind(turn, update, given), ...spent];
}

function readKind(turn: Turn, update: SessionUpdate, { value, session }: Given): AgentEvent[] {
  const { seen, usage, text } = turn;
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return say(turn, 'assistant', textOf(update.content));
    case 'agent_thought_chunk':
      return say(turn, 'thought', textOf(update.content));
    case 'tool_call':
    case 'tool_call_update': {
      const tool = toolMessage.safeParse(value);
      return tool.success ? toolEvents(turn, tool.data) : [];
    }
    case 'plan':
      return [
        ...text.flush(),
        {
          type: 'plan',
          entries: (update.entries ?? [])
            .slice(0, mostEntries)
            .map(({ content }) => short(content, mostEntry)),
        },
      ];
    case 'usage_update':
      return usage.cost(update.cost, session);
    case 'session_info_update': {
      const failure = failureIn(update._meta);
      if (failure === null) return [];
      if (failure.severity === 'error') seen.failure = failure;
      const limited: AgentEvent[] =
        failure.category === 'limit' ? [{ type: 'rate_limited', resetAt: null, provider: 'agent' }] : [];
      return [
        ...text.flush(),
        { type: 'message', kind: 'notice', text: short(failure.title, mostEntry) },
        ...limited,
      ];
    }
    default:
      return [];
  }
}

const metaFacts = z.looseObject({
  usage: z.unknown().optional(),
  '_claude/model': z.string().optional().catch(undefined),
  codex: z
    .looseObject({ threadStatus: z.looseObject({ type: z.string() }).optional() })
    .optional()
    .catch(undefined),
});

function noteMeta({ seen, usage }: Turn, { _meta }: SessionUpdate): AgentEvent[] {
  const parsed = metaFacts.safeParse(_meta);
  if (!parsed.success) return [];
  seen.model = parsed.data['_claude/model'] ?? seen.model;
  const status = parsed.data.codex?.threadStatus?.type;
  if (status !== undefined) seen.systemError = status === 'systemError';
  return parsed.data.usage === undefined ? [] : usage.call(parsed.data.usage);
}
