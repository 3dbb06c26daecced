import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AgentDefinition, Clock, Ids } from '@baton/contracts';
import type { Finished } from './agent-adapter.ts';
import { agentEnvironment } from './environment.ts';
import { redactor } from './redact.ts';
import { builtinAgent } from './registry.ts';
import { openAgent } from './open-agent.ts';

/** What came of one short question to an agent. */
export interface AgentAnswer {
  outcome: Finished['outcome'];
  summary: string;
  tookMs: number;
  /** Of tokens in and out; null: it told none. */
  tokens: number | null;
  /** In millionths of a US dollar; null: it told none. */
  costMicroUsd: number | null;
}

/**
 * Asks an agent for one word, in an empty folder where it may use no tool: whether it can be started, is logged in and
 * gets answers. None of its processes is left afterwards.
 */
export async function probeAgent({
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
}): Promise<AgentAnswer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'baton-probe-'));
  const base = { CLAUDE_CODE_MAX_RETRIES: '1', ...env };
  const runner = openAgent({
    name,
    definition,
    workspace: { path: folder, taskFileDir: path.join(folder, '.task'), portBase: 0 },
    env: agentEnvironment({ base, definition: definition ?? builtinAgent(name) }),
    marker: ids.uuid(),
    clock,
    limits: { graceMs: 500 },
    logFile: null,
    redact: redactor(env),
    permission: () => 'deny',
  });
  const startedMs = clock.monotonicMs();
  let tokens: number | null = null;
  let costMicroUsd: number | null = null;
  const prompt = 'Answer with the one word "ready". Use no tools and change nothing.';
  const taskFile = { id: 'probe', key: 'probe', title: 'Probe', goal: prompt, files: [], attempt: 1 };
  try {
    const { outcome, summary } = await runner.runTask(
      { prompt, taskFile: { ...taskFile, rejections: [] }, timeoutMs },
      {
        onEvent(event) {
          if (event.type !== 'usage') return;
          const { inputTokens, outputTokens, costMicroUsd: cost } = event.usage;
          tokens = (tokens ?? 0) + inputTokens + outputTokens;
          if (cost !== null) costMicroUsd = (costMicroUsd ?? 0) + cost;
        },
      },
    );
    return { outcome, summary, tokens, costMicroUsd, tookMs: clock.monotonicMs() - startedMs };
  } finally {
    await runner.close();
    await rm(folder, { recursive: true, force: true });
  }
}
