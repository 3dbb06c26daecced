import type { AgentEvent, Usage } from '@baton/contracts';
import type { UsageSource } from './acp-agents.ts';
import type { PromptResult } from './acp-messages.ts';
import { addTokens, noTokens, readCost, readTokens, type Tokens } from './counts.ts';

/** Running totals of a session, from which each new piece of its spending is told. */
export interface UsageTotals {
  costMicroUsd: number;
  tokens: Tokens;
}

/** Totals of a session that was just opened. */
export const noUsage: UsageTotals = { costMicroUsd: 0, tokens: noTokens };

/** How a prompt came to its end. */
export interface Over {
  /** Null: it was answered with an error, or not at all. */
  result: PromptResult | null;
  answered: boolean;
  /** Its provider refused it before the model said or did anything: that costs nothing. */
  refused: boolean;
}

/** Tells what one prompt spends: every piece as a difference, as soon as the agent says it. */
export interface UsageMeter {
  /** `cost` of a `usage_update`: the session's total so far. */
  cost(value: unknown): AgentEvent[];
  /** Tokens of one model call, from an agent that tells each. */
  call(value: unknown): AgentEvent[];
  /** A message with usage in it that is no JSON, such as one with a bare `NaN`. */
  unreadable(): AgentEvent[];
  /** What is left to tell when the prompt is over. */
  end(over: Over): AgentEvent[];
  /** Whether anything that can be counted was told. */
  readonly told: boolean;
}

/**
 * Makes the meter of one prompt; `totals` are the session's and brought forward. Spending that is told in a way that cannot
 * be counted, or not told at all, is an `unmeasured` event: it never counts as nothing.
 */
export function usageMeter(
  totals: UsageTotals,
  session: {
    source: () => UsageSource;
    /** Model that its updates name. */
    said: () => string | null;
    /** Model that the session was opened with. */
    model: () => string | null;
  },
): UsageMeter {
  let offset = 0;
  let costMicroUsd = 0;
  let saidZero = false;
  let tokensTold = false;
  const faults = new Set<string>();
  const usage = (part: Partial<Usage>): AgentEvent => {
    const empty = { ...noTokens, costMicroUsd: null, estimated: false };
    const event = {
      type: 'usage',
      usage: { model: session.said() ?? session.model(), ...empty, ...part },
      offset,
    } as const;
    offset += 1;
    return event;
  };
  const fault = (reason: string): AgentEvent[] => {
    if (faults.has(reason)) return [];
    faults.add(reason);
    return [{ type: 'unmeasured', reason }];
  };
  const tokensOf = (value: unknown): Tokens | AgentEvent[] | null => {
    const tokens = readTokens(value);
    if (tokens === 'unreadable') return fault('It reported an impossible number of tokens.');
    return tokens;
  };
  const isTold = () => costMicroUsd > 0 || tokensTold;

  const endTokens = (result: PromptResult): Tokens | AgentEvent[] | null => {
    switch (session.source()) {
      case 'prompt':
      case 'cost_only':
        return tokensOf(result.usage);
      case 'process_total': {
        const now = tokensOf(result.usage);
        return now === null || Array.isArray(now) ? now : sinceLast(now, { totals, fault });
      }
      case 'quota': {
        const { input_tokens: inputTokens, output_tokens: outputTokens } = quotaOf(result);
        return tokensOf(
          inputTokens === undefined && outputTokens === undefined ? null : { inputTokens, outputTokens },
        );
      }
      case 'chunks':
        return null;
    }
  };

  /** Tokens without a cost of their own are priced; where the cost was told, it stands. */
  const withTokens = (tokens: Tokens, model: string | null): AgentEvent[] => {
    if (addTokens(tokens) === 0) return [];
    const source = session.source();
    if (source === 'cost_only' && costMicroUsd === 0)
      return fault('It reported only the tokens of its last call.');
    tokensTold = true;
    const estimated = source === 'quota' || source === 'cost_only' || saidZero;
    const cost = costMicroUsd > 0 ? { costMicroUsd: 0 } : {};
    return [usage({ ...tokens, ...cost, estimated, ...(model === null ? {} : { model }) })];
  };

  return {
    get told() {
      return isTold();
    },
    cost(value) {
      const read = readCost(value);
      if (read === null) return [];
      if ('fault' in read) return fault(read.fault);
      const since = read.microUsd - totals.costMicroUsd;
      if (since < 0) return fault('The total cost that it reports went down.');
      totals.costMicroUsd = read.microUsd;
      saidZero ||= read.microUsd === 0;
      costMicroUsd += since;
      return since === 0 ? [] : [usage({ costMicroUsd: since })];
    },
    call(value) {
      if (session.source() !== 'chunks') return [];
      const tokens = tokensOf(value);
      if (tokens === null || Array.isArray(tokens)) return tokens ?? [];
      const inputTokens = Math.max(0, tokens.inputTokens - tokens.cacheReadTokens);
      return withTokens({ ...tokens, inputTokens }, null);
    },
    unreadable: () => fault('It reported its usage in a message that is not JSON.'),
    end({ result, answered, refused }) {
      if (refused && !isTold() && faults.size === 0) return [];
      if (!answered) return fault('It ended before it reported all that it spent.');
      const tokens = result === null ? null : endTokens(result);
      const model = session.said() ?? (result === null ? null : modelOf(result));
      const events = tokens === null || Array.isArray(tokens) ? (tokens ?? []) : withTokens(tokens, model);
      if (isTold() || faults.size > 0) return events;
      if (!saidZero) return [...events, ...fault('It reported no spending.')];
      return [...events, usage({ costMicroUsd: 0, estimated: true })];
    },
  };
}

function modelOf({ _meta }: PromptResult): string | null {
  return _meta?.quota?.model_usage?.[0]?.model ?? null;
}

function quotaOf({ _meta }: PromptResult): { input_tokens?: unknown; output_tokens?: unknown } {
  return _meta?.quota?.token_count ?? {};
}

/** Totals of a process, with cached tokens in the input, as a difference. */
function sinceLast(
  now: Tokens,
  { totals, fault }: { totals: UsageTotals; fault: (reason: string) => AgentEvent[] },
): Tokens | AgentEvent[] {
  const before = totals.tokens;
  const since = {
    inputTokens: now.inputTokens - before.inputTokens,
    outputTokens: now.outputTokens - before.outputTokens,
    cacheReadTokens: now.cacheReadTokens - before.cacheReadTokens,
    cacheWriteTokens: now.cacheWriteTokens - before.cacheWriteTokens,
  };
  if (Object.values(since).some((count) => count < 0))
    return fault('The total tokens that it reports went down.');
  totals.tokens = now;
  return { ...since, inputTokens: Math.max(0, since.inputTokens - since.cacheReadTokens) };
}
