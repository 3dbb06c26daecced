import { createInterface } from 'node:readline';

import { readTask, stepsFor } from './script.mjs';
import { runSteps } from './steps.mjs';

/**
 * Plays an agent of the Agent Client Protocol, version 1, over stdio. The JSON-RPC is written here by hand, so that
 * a script can also break it, and so that many agents start quickly; the tests talk to it with the official client.
 */
export function serveAcp(script) {
  const acp = script.acp ?? {};
  const wire = { nextId: 1, pending: new Map(), sessions: new Map() };
  const input = createInterface({ input: process.stdin });
  input.on('line', (line) => void receive(JSON.parse(line), { script, acp, wire }));
  input.on('close', () => acp.survivesStdinClose || process.exit(0));
  if (acp.survivesStdinClose) setInterval(() => {}, 60_000);
}

async function receive(message, host) {
  const { id, method, params } = message;
  if (method === undefined) return host.wire.pending.get(id)?.(message);
  if (host.acp.hangOn?.includes(method)) return undefined;
  if (host.acp.exitOn?.includes(method)) process.exit(1);
  if (id === undefined) return handlers[method]?.(params, host);
  const failure = host.acp.failOn?.[method];
  if (failure) return send({ id, error: failure });
  const handler = handlers[method];
  if (!handler) return send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  try {
    return await send({ id, ...(await handler(params, host)) });
  } catch (error) {
    return send({ id, error: { code: -32603, message: error.message } });
  }
}

const handlers = {
  initialize: (_, { acp }) => ({
    result: {
      protocolVersion: 1,
      agentCapabilities: { loadSession: true, promptCapabilities: {}, sessionCapabilities: { resume: {} } },
      agentInfo: { name: 'fake-agent', version: '1.0.0' },
      authMethods: [],
      ...acp.initialize,
    },
  }),
  'session/new': ({ cwd }, { acp, wire }) => {
    const sessionId = `fake-${process.pid}-${wire.sessions.size + 1}`;
    wire.sessions.set(sessionId, newSession(cwd, acp.newSession?.configOptions));
    return { result: { sessionId, ...acp.newSession } };
  },
  'session/load': continueSession,
  'session/resume': continueSession,
  'session/set_mode': () => ({ result: {} }),
  'session/set_model': () => ({ result: {} }),
  'session/set_config_option': ({ sessionId, configId, value }, { wire }) => {
    const session = wire.sessions.get(sessionId);
    const set = (option) => (option.id === configId ? { ...option, currentValue: value } : option);
    if (session) session.configOptions = session.configOptions.map(set);
    return { result: { configOptions: session?.configOptions ?? [] } };
  },
  'session/prompt': prompt,
  'session/cancel': ({ sessionId }, { wire }) => {
    const session = wire.sessions.get(sessionId);
    if (session && !session.ignoresCancel) session.turn?.abort(new Cancelled());
  },
};

class Cancelled extends Error {}

function newSession(cwd, configOptions = []) {
  return { cwd, configOptions, turn: undefined, ignoresCancel: false, toolCalls: 0, costUsd: 0 };
}

function continueSession({ sessionId, cwd }, { wire }) {
  wire.sessions.set(sessionId, newSession(cwd));
  return { result: {} };
}

async function prompt({ sessionId, prompt: blocks }, host) {
  const session = host.wire.sessions.get(sessionId);
  if (!session) return { error: { code: -32602, message: `Unknown session ${sessionId}` } };
  const text = blocks.map((block) => block.text ?? '').join('\n');
  const task = readTask(process.env);
  session.turn = new AbortController();
  const turn = { sessionId, session, host, text, task, usage: undefined };
  try {
    const end = await runSteps(stepsFor(host.script, { task, prompt: text }), contextOf(turn));
    if (end?.error) return { error: end.error };
    return { result: answer(turn, end?.stop ?? 'end_turn', end?.meta) };
  } catch (error) {
    if (!session.turn.signal.aborted) throw error;
    return { result: answer(turn, 'cancelled') };
  } finally {
    session.turn = undefined;
  }
}

function answer({ usage }, stopReason, meta) {
  return { stopReason, ...(usage ? { usage } : {}), ...(meta ? { _meta: meta } : {}) };
}

function contextOf(turn) {
  const { session, sessionId, host } = turn;
  const notice = (value) => ({ method: 'session/update', params: { sessionId, update: value } });
  const update = (value) => send(notice(value));
  const message = (text) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  return {
    cwd: session.cwd,
    task: turn.task,
    options: () =>
      Object.fromEntries(session.configOptions.map(({ id, currentValue }) => [id, currentValue])),
    signal: session.turn.signal,
    readPrompt: async () => turn.text,
    update,
    say: (text) => update(message(text)),
    frame: (text) => format(notice(message(text))),
    toolCall: async ({ title, kind = 'other', status = 'completed', locations = [], content = [] }) => {
      const toolCallId = `call-${++session.toolCalls}`;
      await update({ sessionUpdate: 'tool_call', toolCallId, title, kind, status: 'in_progress', locations });
      if (status !== 'in_progress') {
        await update({ sessionUpdate: 'tool_call_update', toolCallId, status, content });
      }
    },
    usage: async ({ contextUsed, contextSize, costUsd, ...tokens }) => {
      turn.usage ??= {};
      for (const [name, count] of Object.entries(tokens))
        turn.usage[name] = count === null ? null : (turn.usage[name] ?? 0) + count;
      turn.usage.totalTokens = (turn.usage.inputTokens ?? 0) + (turn.usage.outputTokens ?? 0);
      if (turn.usage.inputTokens === undefined) turn.usage.inputTokens = 0;
      if (turn.usage.outputTokens === undefined) turn.usage.outputTokens = 0;
      session.costUsd += costUsd ?? 0;
      const cost = costUsd === undefined ? {} : { cost: { amount: session.costUsd, currency: 'USD' } };
      await update({
        sessionUpdate: 'usage_update',
        used: contextUsed ?? 0,
        size: contextSize ?? 200_000,
        ...cost,
      });
    },
    askPermission: ({ title, kind = 'execute' }) => askPermission({ title, kind }, turn),
    ignoreCancel: () => {
      host.wire.sessions.get(sessionId).ignoresCancel = true;
    },
  };
}

async function askPermission({ title, kind }, { sessionId, session, host }) {
  const toolCallId = `call-${++session.toolCalls}`;
  const id = host.wire.nextId++;
  const answered = new Promise((resolve) => host.wire.pending.set(id, resolve));
  await send({
    ...{ id, method: 'session/request_permission' },
    params: {
      sessionId,
      toolCall: { toolCallId, title, kind, status: 'pending' },
      options: [
        { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
        { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
        { optionId: 'no', name: 'Reject', kind: 'reject_once' },
      ],
    },
  });
  const { result } = await answered;
  host.wire.pending.delete(id);
  if (result?.outcome?.outcome === 'cancelled') session.turn?.abort(new Cancelled());
  return ['yes', 'always'].includes(result?.outcome?.optionId);
}

function send(message) {
  return new Promise((resolve) => process.stdout.write(format(message), () => resolve()));
}

function format(message) {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
}
