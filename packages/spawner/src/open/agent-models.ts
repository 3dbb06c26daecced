import { setTimeout as delay } from 'node:timers/promises';
import { classifyRpcError } from '../adapters/acp/outcome.ts';
import type { AcpListener } from '../adapters/acp/messages-of.ts';
import { openAcpSession } from '../adapters/acp/session.ts';
import type { AgentContext } from '../agent/adapter.ts';
import { askInEmptyFolder, type AskedAgent } from './asked-agent.ts';
import { agentContext } from './open-agent.ts';
import { builtinAgent } from '../agent/registry.ts';
import { startAgentProcess } from '../supervise/agent-process.ts';

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
  room: () => null,
};

/**
 * Asks an agent of the Agent Client Protocol which models it offers, by opening a session in an empty folder. No prompt is sent, so
 * it costs nothing; none of its processes is left afterwards.
 */
export async function agentModels(asked: AskedAgent): Promise<AgentModels> {
  const definition = asked.definition ?? builtinAgent(asked.name);
  if (!('acp' in definition)) return { why: 'it accepts a model name, and lists none' };
  // Neither is set: the agent says by itself what it takes.
  const plain = { ...definition, mode: undefined, model: undefined };
  return askInEmptyFolder({ ...asked, definition: plain }, (options) =>
    sessionOffers(agentContext(options).context, asked),
  );
}

async function sessionOffers(
  context: AgentContext,
  { clock, timeoutMs }: Pick<AskedAgent, 'clock' | 'timeoutMs'>,
): Promise<AgentModels> {
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
  }
}
