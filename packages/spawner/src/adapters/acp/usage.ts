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

/** Reports what one prompt spends: every piece as a difference, as soon as the agent reports it. */
export interface UsageMeter {
  /** `cost` of a `usage_update`: the total so far of the session that it names. */
  cost(value: unknown, session?: string): AgentEvent[];
  /** Tokens of one model call, from an agent that reports each. */
  call(value: unknown): AgentEvent[];
  /** A message with usage in it that is no JSON, such as one with a bare `NaN`. */
  unreadable(): AgentEvent[];
  /** What is left to tell when the prompt is over. */
  end(over: Over): AgentEvent[];
  /** Whether the agent reported anything that can be counted. */
  readonly told: boolean;
}

/** The session of a prompt, as far as its spending depends on it. */
interface MeteredSession {
  source: () => UsageSource;
  /** Model that its updates name. */
  said: () => string | null;
  /** Model that the session was opened with. */
  model: () => string | null;
}

/** What the agent has reported of one prompt's spending. */
interface Spending {
  readonly totals: UsageTotals;
  readonly session: MeteredSession;
  /** Offset of its next usage event. */
  offset: number;
  costMicroUsd: number;
  saidZero: boolean;
  tokensTold: boolean;
  readonly faults: Set<string>;
}

/**
 * Makes the meter of one prompt; `totals` are the session's and brought forward. Spending that an agent reports in a way that
 * cannot be counted, or does not report at all, is an `unmeasured` event: it never counts as nothing.
 */
export function usageMeter(totals: UsageTotals, session: MeteredSession): UsageMeter {
  const spending: Spending = {
    ...{ totals, session },
    ...{ offset: 0, costMicroUsd: 0, saidZero: false, tokensTold: false },
    faults: new Set(),
  };
  return {
    get told() {
      return isTold(spending);
    },
    cost: (value, of = '') => costEvents(spending, value, of),
    call: (value) => callEvents(spending, value),
    unreadable: () => fault(spending, 'It reported its usage in a message that is not JSON.'),
    end: (over) => endEvents(spending, over),
  };
}

const isTold = ({ costMicroUsd, tokensTold }: Spending): boolean => costMicroUsd > 0 || tokensTold;

function usage(spending: Spending, part: Partial<Usage>): AgentEvent {
  const { session, offset } = spending;
  const empty = { ...noTokens, costMicroUsd: null, estimated: false };
  const model = session.said() ?? session.model();
  spending.offset += 1;
  return { type: 'usage', usage: { model, ...empty, ...part }, offset };
}

/** Says once why the spending cannot be counted. */
function fault({ faults }: Spending, reason: string): AgentEvent[] {
  if (faults.has(reason)) return [];
  faults.add(reason);
  return [{ type: 'unmeasured', reason }];
}

function costEvents(spending: Spending, value: unknown, of: string): AgentEvent[] {
  const { costs } = spending.totals;
  const read = readCost(value);
  if (read === null) return [];
  if ('fault' in read) return fault(spending, read.fault);
  const before = costs.get(of) ?? 0;
  const isRestarted = read.microUsd < before;
  const faulty = isRestarted ? fault(spending, 'The total cost that it reports went down.') : [];
  // A restarted total is spent on top, or an agent could spend up to its old total again and again.
  const since = isRestarted ? read.microUsd : read.microUsd - before;
  costs.set(of, read.microUsd);
  spending.saidZero ||= read.microUsd === 0;
  spending.costMicroUsd += since;
  return since === 0 ? faulty : [...faulty, usage(spending, { costMicroUsd: since })];
}

function callEvents(spending: Spending, value: unknown): AgentEvent[] {
  if (spending.session.source() !== 'chunks') return [];
  const { tokens, events } = tokensOf(spending, value);
  if (tokens === null) return events;
  const inputTokens = Math.max(0, tokens.inputTokens - tokens.cacheReadTokens);
  return tokenEvents(spending, { ...tokens, inputTokens }, null);
}

function endEvents(spending: Spending, { result, answered, refused }: Over): AgentEvent[] {
  const { session, faults } = spending;
  if (refused && !isTold(spending) && faults.size === 0) return [];
  if (!answered) return fault(spending, 'It ended before it reported all that it spent.');
  const { tokens, events } = result === null ? noneRead : tokensAtEnd(spending, result);
  const model = session.said() ?? (result === null ? null : modelOf(result));
  const told = [...events, ...(tokens === null ? [] : tokenEvents(spending, tokens, model))];
  if (isTold(spending) || faults.size > 0) return told;
  if (!spending.saidZero) return [...told, ...fault(spending, 'It reported no spending.')];
  return [...told, usage(spending, { costMicroUsd: 0, estimated: true })];
}

/** Tokens that the agent reported, if any, and the faults of its report. */
interface TokensRead {
  tokens: Tokens | null;
  events: AgentEvent[];
}

const noneRead: TokensRead = { tokens: null, events: [] };

function tokensOf(spending: Spending, value: unknown): TokensRead {
  const tokens = readTokens(value);
  if (tokens === 'unreadable')
    return { tokens: null, events: fault(spending, 'It reported an impossible number of tokens.') };
  if (tokens !== 'incomplete') return { tokens, events: [] };
  // What it says of its cost counts without its tokens.
  if (spending.costMicroUsd > 0) return noneRead;
  return { tokens: null, events: fault(spending, 'It reported only a part of its tokens.') };
}

function tokensAtEnd(spending: Spending, result: PromptResult): TokensRead {
  switch (spending.session.source()) {
    case 'prompt':
    case 'cost_only':
      return tokensOf(spending, result.usage);
    case 'process_total': {
      const now = tokensOf(spending, result.usage);
      if (now.tokens === null) return now;
      const { tokens, wentDown } = sinceLast(now.tokens, spending.totals);
      return {
        tokens,
        events: wentDown ? fault(spending, 'The total tokens that it reports went down.') : [],
      };
    }
    case 'quota': {
      const { input_tokens: inputTokens, output_tokens: outputTokens } = quotaOf(result);
      const isEmpty = inputTokens === undefined && outputTokens === undefined;
      return tokensOf(spending, isEmpty ? null : { inputTokens, outputTokens });
    }
    case 'chunks':
      return noneRead;
  }
}

/** Prices tokens without a cost of their own; a cost that the agent reported is kept. */
function tokenEvents(spending: Spending, tokens: Tokens, model: string | null): AgentEvent[] {
  if (addTokens(tokens) === 0) return [];
  const { costMicroUsd, saidZero } = spending;
  const source = spending.session.source();
  if (source === 'cost_only' && costMicroUsd === 0)
    return fault(spending, 'It reported only the tokens of its last call.');
  spending.tokensTold = true;
  const estimated = source === 'quota' || source === 'cost_only' || saidZero;
  const cost = costMicroUsd > 0 ? { costMicroUsd: 0 } : {};
  return [usage(spending, { ...tokens, ...cost, estimated, ...(model === null ? {} : { model }) })];
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
