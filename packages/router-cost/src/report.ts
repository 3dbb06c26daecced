import { BatonError } from '@baton/contracts';
import { checkMicroUsd, checkMoment } from './money.ts';

/** One booked stretch of usage, with what it was for. */
export interface CostEntry {
  taskId: string;
  runId: string;
  role: string;
  model: string | null;
  /** Name or adapter of the agent that did the work; null or left out: it is not known. */
  agent?: string | null;
  /** Name of the agent that did the work, where `agent` is not known. */
  author?: string | null;
  /** Name of the agent that spent it on a review; null or absent: its author did. */
  reviewer?: string | null;
  at: Date;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  costMicroUsd: number;
  estimated: boolean;
  /** False: booked at a bound, or not at all where there is none, since it was not measured; true when left out. */
  measured?: boolean;
}

/** What a report is broken down by. Days are UTC. */
export type CostGrouping = 'task' | 'run' | 'role' | 'model' | 'agent' | 'day';

/**
 * The sum of one group. `estimatedMicroUsd` is the part of the cost that was reckoned rather than told; what was not measured is part
 * of it, and once more `unmeasuredMicroUsd`. `unmeasured` counts attempts of which some spending is not known.
 */
export interface CostRow {
  key: string;
  entries: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  costMicroUsd: number;
  estimatedMicroUsd: number;
  unmeasuredMicroUsd: number;
  unmeasured: number;
}

const keyOf: Readonly<Record<CostGrouping, (entry: CostEntry) => string>> = {
  task: (entry) => entry.taskId,
  run: (entry) => entry.runId,
  role: (entry) => entry.role,
  model: (entry) => entry.model ?? 'unknown',
  // What a review costs counts for the reviewer, not for the author of the work.
  agent: (entry) => entry.reviewer ?? entry.agent ?? entry.author ?? 'unknown',
  day: (entry) => entry.at.toISOString().replace(/T.*/, ''),
};

/**
 * Sums of usage and cost: days in order of time, everything else the dearest first.
 * @throws INVALID_INPUT for another grouping, and for an entry with a cost or a time that cannot be
 */
export function costReport(entries: Iterable<CostEntry>, by: CostGrouping): CostRow[] {
  if (!Object.hasOwn(keyOf, by)) {
    throw new BatonError('INVALID_INPUT', `There is no report by "${String(by)}".`, {
      at: 'by',
      fix: `Use one of ${Object.keys(keyOf).join(', ')}.`,
    });
  }
  const rows = new Map<string, CostRow>();
  for (const entry of entries) {
    checkMicroUsd(entry.costMicroUsd, 'costMicroUsd');
    checkMoment(entry.at, 'at');
    const key = keyOf[by](entry);
    const row = rows.get(key) ?? emptyRow(key);
    row.entries += 1;
    row.inputTokens += entry.inputTokens;
    row.outputTokens += entry.outputTokens;
    row.cacheReadTokens += entry.cacheReadTokens;
    row.cacheWriteTokens += entry.cacheWriteTokens;
    row.costMicroUsd += entry.costMicroUsd;
    row.estimatedMicroUsd += entry.estimated ? entry.costMicroUsd : 0;
    row.unmeasuredMicroUsd += entry.measured === false ? entry.costMicroUsd : 0;
    row.unmeasured += entry.measured === false ? 1 : 0;
    rows.set(key, row);
  }
  const byKey = (a: CostRow, b: CostRow) => (a.key < b.key ? -1 : 1);
  if (by === 'day') return [...rows.values()].sort(byKey);
  return [...rows.values()].sort((a, b) => b.costMicroUsd - a.costMicroUsd || byKey(a, b));
}

/** A report as CSV (RFC 4180) with a heading; money in dollars with all six decimals. */
export function costCsv(rows: readonly CostRow[]): string {
  const heading =
    'key,entries,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cost_usd,estimated_usd,unmeasured_usd,unmeasured';
  const lines = rows.map((row) =>
    [
      cell(row.key),
      row.entries,
      row.inputTokens,
      row.outputTokens,
      row.cacheReadTokens,
      row.cacheWriteTokens,
      usd(row.costMicroUsd),
      usd(row.estimatedMicroUsd),
      usd(row.unmeasuredMicroUsd),
      row.unmeasured,
    ].join(','),
  );
  return [heading, ...lines, ''].join('\r\n');
}

/** A report as indented JSON, with integer micro-dollars. */
export function costJson(rows: readonly CostRow[]): string {
  return `${JSON.stringify(rows, null, 2)}\n`;
}

function emptyRow(key: string): CostRow {
  const tokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const money = { costMicroUsd: 0, estimatedMicroUsd: 0, unmeasuredMicroUsd: 0, unmeasured: 0 };
  return { key, entries: 0, ...tokens, ...money };
}

function cell(text: string): string {
  // A spreadsheet would run a text that begins like a formula; roles and models come from plans.
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function usd(microUsd: number): string {
  // By integers: a division would round sums beyond nine thousand million dollars.
  return `${Math.trunc(microUsd / 1_000_000)}.${String(microUsd % 1_000_000).padStart(6, '0')}`;
}
