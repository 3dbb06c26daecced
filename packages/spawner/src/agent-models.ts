import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentDefinition, Clock, Ids } from '@baton/contracts';
import { classifyRpcError } from './adapters/acp-outcome.ts';
import { openAcpSession, type AcpListener } from './adapters/acp-session.ts';
import { agentEnvironment } from './environment.ts';
import { agentContext } from './open-agent.ts';
import { redactor } from './redact.ts';
import { builtinAgent } from './registry.ts';
import { startAgentProcess } from './supervise/agent-process.ts';

/** What an agent says can be chosen. */
export type AgentModels =
  | {
      /** Ids as plans take them; empty: it does not list any. */
      models: readonly string[];
      /** The one that it takes where nothing is said. */
      current: string | null;
      /** Levels of thought of that model. */
      efforts: readonly string[];
    }
  | { why: string };

const nobody: AcpListener = {
  onUpdate: () => undefined,
  onPermission: () => null,
  onUnreadable: () => undefined,
  onSign: () => undefined,
};

/**
 * Asks an agent of the Agent Client Protocol which models it offers, by opening a session in an empty folder. No prompt is sent, so
 * it costs nothing; none of its processes is left afterwards.
 */
export async function agentModels({
  name,
  definition,
  env,
  timeoutMs,
  clock,
  ids,
}: {
  name: string;
  /** Null: the agent that Baton knows under this name. */
  definition: AgentDefinition | null;
  /** The operator's environment. */
  env: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
  clock: Clock;
  ids: Ids;
}): Promise<AgentModels> {
  const asked = definition ?? builtinAgent(name);
  if (!('acp' in asked)) return { why: 'it is told its model, and lists none' };
  const folder = await mkdtemp(path.join(tmpdir(), 'baton-models-'));
  const { context } = agentContext({
    ...{ name, definition: { ...asked, mode: undefined, model: undefined }, clock, redact: redactor(env) },
    workspace: { path: folder, taskFileDir: path.join(folder, '.task'), portBase: 0 },
    env: agentEnvironment({ base: env, definition: asked }),
    ...{ marker: ids.uuid(), limits: { graceMs: 500 }, logFile: null, permission: () => 'deny' as const },
  });
  const agent = await startAgentProcess(context);
  const over = new AbortController();
  try {
    if ('error' in agent) return { why: `${context.argv[0]} cannot be started (${agent.error})` };
    const session = openAcpSession(context, { agent, listener: () => nobody }).then(
      ({ offers, model }): AgentModels => ({ ...offers, current: model }),
      (error: unknown): AgentModels => ({ why: classifyRpcError(error, clock.now()).summary }),
    );
    const late = delay(timeoutMs, undefined, { signal: over.signal }).then(
      (): AgentModels => ({ why: `no answer within ${Math.round(timeoutMs / 1000)} s` }),
      (): AgentModels => ({ why: 'asked no longer' }),
    );
    const gone = agent.exited.then(({ code }): AgentModels => ({
      why: `it ended (exit code ${code ?? 'none'})`,
    }));
    return await Promise.race([session, late, gone]);
  } finally {
    over.abort();
    if (!('error' in agent)) await agent.kill({ graceMs: 500 });
    context.log.flush();
    await rm(folder, { recursive: true, force: true });
  }
}
