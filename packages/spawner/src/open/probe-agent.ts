import type { AgentRunner, Finished } from '../agent/adapter.ts';
import { askInEmptyFolder, type AskedAgent } from './asked-agent.ts';
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
export function probeAgent(asked: AskedAgent): Promise<AgentAnswer> {
  return askInEmptyFolder(asked, (options) => oneWord(openAgent(options), asked));
}

async function oneWord(
  runner: AgentRunner,
  { clock, timeoutMs }: Pick<AskedAgent, 'clock' | 'timeoutMs'>,
): Promise<AgentAnswer> {
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
  }
}
