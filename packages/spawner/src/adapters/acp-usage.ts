import type { Usage } from '@baton/contracts';
import type { UsageSource } from './acp-agents.ts';
import type { PromptResult, TokenCounts } from './acp-messages.ts';
import type { TurnFacts } from './acp-turn.ts';

/** Running totals of a session, from which a prompt's own share is told. */
export interface UsageTotals {
  costUsd: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Totals of a session that was just opened. */
export const noUsage: UsageTotals = { costUsd: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

type Tokens = Pick<Usage, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>;

/**
 * The tokens and cost of one prompt, always as a difference and with input that excludes cached tokens, from wherever
 * the agent tells them. Null when it tells nothing. `totals` is brought forward.
 */
export function promptUsage(options: {
  source: UsageSource;
  result: PromptResult | null;
  seen: TurnFacts;
  totals: UsageTotals;
  model: string | null;
}): Usage | null {
  const { source, result, seen, totals } = options;
  const tokens = tokensOf(source, { result, seen, totals });
  const spent = seen.costUsd === null ? null : Math.max(0, seen.costUsd - totals.costUsd);
  if (seen.costUsd !== null) totals.costUsd = Math.max(totals.costUsd, seen.costUsd);
  if (tokens === null && spent === null) return null;
  return {
    model: seen.model ?? result?._meta?.quota?.model_usage?.[0]?.model ?? options.model,
    ...(tokens ?? { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }),
    costMicroUsd: spent === null ? null : Math.round(spent * 1_000_000),
    // Cached tokens are not told apart by `quota`, and `cost_only` knows the last call alone.
    estimated: source === 'quota' || source === 'cost_only',
  };
}

function tokensOf(
  source: UsageSource,
  { result, seen, totals }: { result: PromptResult | null; seen: TurnFacts; totals: UsageTotals },
): Tokens | null {
  switch (source) {
    case 'prompt':
    case 'cost_only':
      return result?.usage ? plain(result.usage) : null;
    case 'process_total':
      return result?.usage ? sinceLast(result.usage, totals) : null;
    case 'quota': {
      const counts = result?._meta?.quota?.token_count;
      return counts
        ? plain({ inputTokens: counts.input_tokens ?? 0, outputTokens: counts.output_tokens ?? 0 })
        : null;
    }
    case 'chunks':
      return seen.calls.length === 0 ? null : seen.calls.map(withoutCached).reduce(add);
  }
}

function plain(counts: Partial<TokenCounts>): Tokens {
  return {
    inputTokens: Math.round(counts.inputTokens ?? 0),
    outputTokens: Math.round(counts.outputTokens ?? 0),
    cacheReadTokens: Math.round(counts.cachedReadTokens ?? 0),
    cacheWriteTokens: Math.round(counts.cachedWriteTokens ?? 0),
  };
}

function withoutCached(counts: TokenCounts): Tokens {
  const all = plain(counts);
  return { ...all, inputTokens: Math.max(0, all.inputTokens - all.cacheReadTokens) };
}

function sinceLast(counts: TokenCounts, totals: UsageTotals): Tokens {
  const now = plain(counts);
  const before = { ...totals };
  Object.assign(totals, {
    input: now.inputTokens,
    output: now.outputTokens,
    cacheRead: now.cacheReadTokens,
    cacheWrite: now.cacheWriteTokens,
  });
  // A new process counts from zero again: then all of it is new.
  const since = (total: number, last: number) => (total >= last ? total - last : total);
  const cacheReadTokens = since(now.cacheReadTokens, before.cacheRead);
  return {
    inputTokens: Math.max(0, since(now.inputTokens, before.input) - cacheReadTokens),
    outputTokens: since(now.outputTokens, before.output),
    cacheReadTokens,
    cacheWriteTokens: since(now.cacheWriteTokens, before.cacheWrite),
  };
}

function add(a: Tokens, b: Tokens): Tokens {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
}
