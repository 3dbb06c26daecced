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
import type { UsageMeter } from './usage.ts';

const textFlushLength = 2_048;
const maxEventText = 256 * 1024;
const maxOutputLength = 2_000;
const maxSummaryLength = 4_000;

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

interface Tool extends ToolUse {
  isStarted: boolean;
  isDone: boolean;
}

/** Makes a reader for one prompt. `onToolDone` sees every finished call, for the loop detector; `usage` makes the meter of what it spends. */
export function turnReader({
  onToolDone,
  usage: makeMeter,
}: {
  onToolDone: (use: ToolUse) => void;
  usage: (seen: TurnFacts) => UsageMeter;
}): TurnReader {
  const tools = new Map<string, Tool>();
  const seen: TurnFacts = {
    summary: '',
    spoke: false,
    tools: 0,
    failure: null,
    systemError: false,
    model: null,
  };
  const usage = makeMeter(seen);
  let pending: { kind: 'assistant' | 'thought'; text: string } | null = null;
  let told = 0;

  const flush = (): AgentEvent[] => {
    if (pending === null || pending.text === '') return [];
    const { kind, text } = pending;
    pending = { kind, text: '' };
    if (told > maxEventText) return [];
    told += text.length;
    return [{ type: 'message', kind, text }];
  };
  const say = (kind: 'assistant' | 'thought', text: string): AgentEvent[] => {
    if (text === '') return [];
    const before = pending?.kind === kind ? [] : flush();
    if (pending?.kind !== kind) pending = { kind, text: '' };
    pending = { kind, text: pending.text + text };
    seen.spoke = true;
    if (kind === 'assistant') seen.summary = (seen.summary + text).slice(-maxSummaryLength);
    return pending.text.length > textFlushLength ? [...before, ...flush()] : before;
  };
  const upsert = (message: ToolMessage): AgentEvent[] => {
    const isNew = !tools.has(message.toolCallId);
    const tool = tools.get(message.toolCallId) ?? {
      title: '',
      kind: 'other',
      input: '',
      paths: [],
      isStarted: false,
      isDone: false,
    };
    tools.set(message.toolCallId, tool);
    mature(tool, message);
    if (isNew) {
      seen.tools += 1;
      seen.spoke = true;
      seen.summary = ''; // what is said after the last tool sums the turn up
    }
    const isEnd = message.status === 'completed' || message.status === 'failed';
    // A call announced without its input gets its title with the next update.
    const isRaw = isNew && message.status === 'pending' && isEmpty(message.rawInput);
    const events: AgentEvent[] = [];
    if (!tool.isStarted && (!isRaw || isEnd)) {
      tool.isStarted = true;
      events.push(...flush(), {
        type: 'tool_started',
        toolId: message.toolCallId,
        title: tool.title || 'tool',
        kind: tool.kind,
      });
    }
    // Never back: a late "pending" after "completed" (cline) changes nothing.
    if (!isEnd || tool.isDone) return events;
    tool.isDone = true;
    const output = outputOf(message);
    events.push({
      type: 'tool_completed',
      toolId: message.toolCallId,
      failed: hasFailed(message),
      ...(output === '' ? {} : { output }),
    });
    onToolDone(tool);
    return events;
  };
  return {
    seen,
    usage,
    asked: upsert,
    update(value, session) {
      const parsed = sessionUpdate.safeParse(value);
      return parsed.success ? read(parsed.data, { seen, usage, say, upsert, flush, value, session }) : [];
    },
    end() {
      const open = [...tools].filter(([, tool]) => tool.isStarted && !tool.isDone);
      return [
        ...flush(),
        ...open.map(([toolId]): AgentEvent => ({ type: 'tool_completed', toolId, failed: true })),
      ];
    },
  };
}

interface Reading {
  seen: TurnFacts;
  usage: UsageMeter;
  say(kind: 'assistant' | 'thought', text: string): AgentEvent[];
  upsert(message: ToolMessage): AgentEvent[];
  flush(): AgentEvent[];
  value: unknown;
  session: string | undefined;
}

/** What an update says, and what it tells of spending. */
function read(update: SessionUpdate, reading: Reading): AgentEvent[] {
  const spent = noteMeta(update, reading);
  return [...readKind(update, reading), ...spent];
}

function readKind(
  update: SessionUpdate,
  { seen, usage, say, upsert, flush, value, session }: Reading,
): AgentEvent[] {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return say('assistant', textOf(update.content));
    case 'agent_thought_chunk':
      return say('thought', textOf(update.content));
    case 'tool_call':
    case 'tool_call_update': {
      const tool = toolMessage.safeParse(value);
      return tool.success ? upsert(tool.data) : [];
    }
    case 'plan':
      return [...flush(), { type: 'plan', entries: (update.entries ?? []).map((entry) => entry.content) }];
    case 'usage_update':
      return usage.cost(update.cost, session);
    case 'session_info_update': {
      const failure = failureIn(update._meta);
      if (failure === null) return [];
      if (failure.severity === 'error') seen.failure = failure;
      const limited: AgentEvent[] =
        failure.category === 'limit' ? [{ type: 'rate_limited', resetAt: null, provider: 'agent' }] : [];
      return [...flush(), { type: 'message', kind: 'notice', text: failure.title }, ...limited];
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

function noteMeta({ _meta }: SessionUpdate, { seen, usage }: Reading): AgentEvent[] {
  const parsed = metaFacts.safeParse(_meta);
  if (!parsed.success) return [];
  seen.model = parsed.data['_claude/model'] ?? seen.model;
  const status = parsed.data.codex?.threadStatus?.type;
  if (status !== undefined) seen.systemError = status === 'systemError';
  return parsed.data.usage === undefined ? [] : usage.call(parsed.data.usage);
}

function mature(tool: Tool, message: ToolMessage): void {
  if (message.title) tool.title = message.title;
  if (message.kind) tool.kind = message.kind;
  if (!isEmpty(message.rawInput)) tool.input = JSON.stringify(message.rawInput);
  if (message.locations?.length) tool.paths = message.locations.map((location) => location.path);
}

function isEmpty(input: unknown): boolean {
  return (
    input === undefined || input === null || (typeof input === 'object' && Object.keys(input).length === 0)
  );
}

const exits = z.union([
  z
    .looseObject({ metadata: z.looseObject({ exit: z.number() }) })
    .transform((output) => output.metadata.exit !== 0), // opencode
  z
    .looseObject({ contents: z.array(z.looseObject({ exitCode: z.number() })).min(1) })
    .transform((output) => output.contents.some((part) => part.exitCode !== 0)), // copilot
  z
    .array(z.looseObject({ success: z.boolean() }))
    .min(1)
    .transform((output) => output.some((part) => !part.success)), // cline
]);

/** Four agents report a command that failed as completed, with its exit code somewhere inside. */
function hasFailed(message: ToolMessage): boolean {
  if (message.status === 'failed') return true;
  const parsed = exits.safeParse(message.rawOutput);
  return parsed.success && parsed.data;
}

const contentPart = z.looseObject({ content: z.unknown().optional() });

function outputOf(message: ToolMessage): string {
  const parts = (message.content ?? []).map((part) => textOf(contentPart.safeParse(part).data?.content));
  const whole = parts.join('') || (typeof message.rawOutput === 'string' ? message.rawOutput : '');
  return whole.slice(0, maxOutputLength);
}
