import type { AgentEvent, Usage } from '@baton/contracts';
import type { UsageSource } from '../../agent/acp-agents.ts';
import type { PromptResult } from './messages.ts';
import { addTokens, noTokens, readCost, readTokens, type Tokens } from '../../agent/counts.ts';

/** Running totals of a process: each new piece of its spending is a difference to them. */
export interface UsageTotals {
  /** Micro-dollars of each of its sessions: those of its sub-agents have totals of their own. */
  costs: Map<string, number>;
  tokens: Tokens;
}

/** Totals of a process that was just started. */
export const noUsage = (): UsageTotals => ({ costs: new Map(), tokens: noTokens });

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
  /** `cost` of a `usage_update`: the total so far of the session that it names. */
  cost(value: unknown, session?: string): AgentEvent[];
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

  const endTokens = (result: PromptResult, events: AgentEvent[]): Tokens | AgentEvent[] | null => {
    switch (session.source()) {
      case 'prompt':
      case 'cost_only':
        return tokensOf(result.usage);
      case 'process_total': {
        const now = tokensOf(result.usage);
        if (now === null || Array.isArray(now)) return now;
        const { tokens, wentDown } = sinceLast(now, totals);
        if (wentDown) events.push(...fault('The total tokens that it reports went down.'));
        return tokens;
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
    cost(value, of = '') {
      const read = readCost(value);
      if (read === null) return [];
      if ('fault' in read) return fault(read.fault);
      const before = totals.costs.get(of) ?? 0;
      const isRestarted = read.microUsd < before;
      const faulty = isRestarted ? fault('The total cost that it reports went down.') : [];
      // A restarted total is spent on top, or an agent could spend up to its old total again and again.
      const since = isRestarted ? read.microUsd : read.microUsd - before;
      totals.costs.set(of, read.microUsd);
      saidZero ||= read.microUsd === 0;
      costMicroUsd += since;
      return since === 0 ? faulty : [...faulty, usage({ costMicroUsd: since })];
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
      const events: AgentEvent[] = [];
      const tokens = result === null ? null : endTokens(result, events);
      const model = session.said() ?? (result === null ? null : modelOf(result));
      events.push(...(tokens === null || Array.isArray(tokens) ? (tokens ?? []) : withTokens(tokens, model)));
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

/**
 * Totals of a process, with cached tokens in the input, as a difference. Ones that decreased were restarted: all of
 * them is new, or an agent could spend up to its old totals again and again.
 */
function sinceLast(now: Tokens, totals: UsageTotals): { tokens: Tokens; wentDown: boolean } {
  const { tokens: before } = totals;
  const all = ({ inputTokens, outputTokens }: Tokens) => inputTokens + outputTokens;
  const base = all(now) < all(before) ? noTokens : before;
  const since = (kind: keyof Tokens) => Math.max(0, now[kind] - base[kind]);
  const cacheReadTokens = since('cacheReadTokens');
  totals.tokens = now;
  return {
    tokens: {
      inputTokens: Math.max(0, since('inputTokens') - cacheReadTokens),
      outputTokens: since('outputTokens'),
      cacheReadTokens,
      cacheWriteTokens: since('cacheWriteTokens'),
    },
    wentDown: (Object.keys(now) as (keyof Tokens)[]).some((kind) => now[kind] < before[kind]),
  };
}
