import type * as acp from '@agentclientprotocol/sdk';
import { BatonError, type Effort } from '@baton/contracts';
import type { z } from 'zod';
import type { AgentContext } from '../../agent/adapter.ts';
import type { BoundedOutput } from '../../process/bounded-output.ts';
import { lineSplitter } from '../../process/lines.ts';
import type { AgentProcess } from '../../supervise/agent-process.ts';
import { acpAgents, type AcpAgent, type UsageSource } from '../../agent/acp-agents.ts';
import {
  changedOptions,
  initializeResult,
  newSessionResult,
  permissionParams,
  promptResult,
  type NewSession,
  type PromptResult,
} from './messages.ts';
import { checkVersion, readAnswer } from './answer.ts';
import { flowOf } from './flow.ts';
import { messagesOf, messagesTo, type AcpListener } from './messages-of.ts';
import { pickModel } from '../pick-model.ts';

/** One session with an agent that speaks the protocol. */
export interface AcpSession {
  readonly sessionId: string;
  readonly usage: UsageSource;
  readonly model: string | null;
  /** What can be chosen, as far as it says. */
  readonly offers: { models: readonly string[]; efforts: readonly string[] };
  /** Sends a prompt. Rejects with the agent's error, or when the connection closes. */
  prompt(text: string): Promise<PromptResult>;
  cancel(): Promise<void>;
}

type Agent = acp.ClientConnection['agent'];

/**
 * Opens a session over a process's stdio: no capabilities of ours (all nine agents work so, and gemini breaks with
 * them), never `authenticate`, then mode and model where asked for.
 *
 * @throws the agent's own error object, or AGENT_PROTOCOL
 */
export async function openAcpSession(
  context: AgentContext,
  {
    agent: started,
    listener,
    errors: kept,
  }: { agent: AgentProcess; listener: () => AcpListener; errors?: Pick<BoundedOutput, 'push'> },
): Promise<AcpSession> {
  const { stdin, stderr } = started;
  const { PROTOCOL_VERSION, client } = await import('@agentclientprotocol/sdk');
  const errors = lineSplitter((text) => context.log.write(text));
  stderr.on('data', (chunk: Buffer) => {
    listener().onSign();
    errors.push(chunk);
    kept?.push(chunk);
  });
  stderr.on('end', () => errors.end());

  const app = client({ name: 'baton' }).onRequest(
    'session/request_permission',
    // Our own reader in place of the SDK's, which refuses options of a kind it does not know.
    (params) => permissionParams.parse(params),
    async ({ params }) => {
      const optionId = await listener().onPermission(params);
      return {
        outcome:
          optionId === null ? { outcome: 'cancelled' as const } : { outcome: 'selected' as const, optionId },
      };
    },
  );
  const flow = flowOf(started.stdout, { onFree: () => listener().onSign() });
  const { agent } = app.connect({
    writable: messagesTo(stdin, flow),
    readable: messagesOf(started, { listener, flow }),
  });
  const ask = async <T>(schema: z.ZodType<T>, method: string, params: object) =>
    readAnswer(schema, await agent.request<unknown>(method, params), method);
  const said = await ask(initializeResult, 'initialize', hello(PROTOCOL_VERSION));
  checkVersion(said['protocolVersion'], PROTOCOL_VERSION);
  const session = await ask(newSessionResult, 'session/new', { cwd: context.cwd, mcpServers: [] });
  if (context.mode !== null) await setMode(agent, session, context.mode);
  const name = said.agentInfo?.name ?? '';
  const kind = acpAgents.find((known) => known.says.test(name));
  const settled =
    context.model === null ? null : await setModel(agent, session, { model: context.model, kind });
  if (context.effort !== null) await setEffort(agent, settled ?? session, context.effort);
  return {
    sessionId: session.sessionId,
    usage: kind?.usage ?? 'prompt',
    offers: { models: modelsOf(session), efforts: effortOf(session)?.options ?? [] },
    model:
      context.model ?? session.models?.currentModelId ?? optionOf(session, 'model')?.currentValue ?? null,
    async prompt(text) {
      const prompt = [{ type: 'text', text }];
      return ask(promptResult, 'session/prompt', { sessionId: session.sessionId, prompt });
    },
    cancel: () => agent.notify('session/cancel', { sessionId: session.sessionId }).catch(() => undefined),
  };
}

const hello = (protocolVersion: number) => ({
  protocolVersion,
  clientCapabilities: {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    // claude-agent-acp and codex-acp then tell failures by kind instead of in words.
    _meta: { jetbrains: { air: { version: 1, capabilities: ['sessionFailure'] } } },
  },
  clientInfo: { name: 'baton', title: 'Baton', version: '0.0.0' },
});

function optionOf(session: NewSession, category: 'mode' | 'model') {
  const all = session.configOptions ?? [];
  // Cline files the choice of its provider under the category, too.
  return all.find(({ id }) => id === category) ?? all.find((option) => option.category === category);
}

const effortOf = ({ configOptions }: Pick<NewSession, 'configOptions'>) =>
  configOptions?.find(({ category }) => category === 'thought_level');

const modelsOf = (session: NewSession): string[] =>
  optionOf(session, 'model')?.options ?? session.models?.availableModels?.map(({ modelId }) => modelId) ?? [];

async function setMode(agent: Agent, session: NewSession, mode: string): Promise<void> {
  const known = session.modes?.availableModes.map((one) => one.id) ?? [];
  const option = optionOf(session, 'mode');
  const { sessionId } = session;
  if (known.includes(mode))
    return void (await agent.request<unknown>('session/set_mode', { sessionId, modeId: mode }));
  if (option !== undefined)
    return void (await agent.request<unknown>('session/set_config_option', {
      sessionId,
      configId: option.id,
      value: mode,
    }));
  throw new BatonError('AGENT_PROTOCOL', `The agent has no mode "${mode}".`, {
    fix: known.length === 0 ? 'Take `mode` out of its definition.' : `Take one of ${known.join(', ')}.`,
  });
}

/**
 * Levels of thought differ from model to model; an agent without such a setting, or without this level, keeps its own.
 */
async function setEffort(
  agent: Agent,
  session: Pick<NewSession, 'sessionId' | 'configOptions'>,
  effort: Effort,
): Promise<void> {
  const { sessionId } = session;
  const option = effortOf(session);
  if (option === undefined || option.currentValue === effort || !option.options.includes(effort)) return;
  const params = { sessionId, configId: option.id, value: effort };
  // One that refuses what it offers works as it is set.
  await agent.request<unknown>('session/set_config_option', params).catch(() => undefined);
}

/**
 * @returns the session as the agent then says it is; null: unchanged, or it does not say
 * @throws MODEL_UNKNOWN
 */
async function setModel(
  agent: Agent,
  session: NewSession,
  { model, kind }: { model: string; kind: AcpAgent | undefined },
): Promise<Pick<NewSession, 'sessionId' | 'configOptions'> | null> {
  const option = optionOf(session, 'model');
  const { sessionId } = session;
  if (option?.currentValue === model || session.models?.currentModelId === model) return null;
  const listed = modelsOf(session);
  const current = option?.currentValue ?? session.models?.currentModelId;
  const known = [
    ...new Set([...listed, ...(typeof current === 'string' && listed.length > 0 ? [current] : [])]),
  ];
  const name = pickModel(model, { known, takesAny: kind?.takesAnyModel === true });
  if (name === current) return null;
  if (option === undefined) {
    await agent.request<unknown>('session/set_model', { sessionId, modelId: name });
    return null;
  }
  const params = { sessionId, configId: option.id, value: name };
  const answer = changedOptions.safeParse(await agent.request<unknown>('session/set_config_option', params));
  return answer.success ? { sessionId, ...answer.data } : null;
}
