/** What is measured, and how much of it. */
export interface Order {
  short: boolean;
  seed: number;
  say(line: string): void;
}

/** One measured claim. */
export interface Row {
  what: string;
  /** Baton's own figure and what it is held against, as they are printed. */
  baton: string;
  peer: string;
  /** What the aim is about: a ratio, or milliseconds, or percent. */
  value: number;
  unit: '×' | ' ms' | ' %';
  aim: { most: number } | { least: number } | null;
  /** Further figures for the record. */
  figures?: Readonly<Record<string, number | string>>;
}

/** Measures some rows; null where this machine has not what it takes. */
export type Part = (order: Order) => Promise<Row[]>;

/** Whether a row is as it should be; one without an aim always is. */
export function isMet({ value, aim }: Pick<Row, 'value' | 'aim'>): boolean {
  if (aim === null) return true;
  return 'most' in aim ? value <= aim.most : value >= aim.least;
}

/** What is wrong with a row, as a sentence; null: nothing. In the short form a row needs only a figure. */
export function faultOf(row: Row, { short }: { short: boolean }): string | null {
  if (!Number.isFinite(row.value) || row.value < 0) return `${row.what} could not be measured.`;
  if (short || isMet(row)) return null;
  return `${row.what}: ${shown(row.value, row.unit)}, the aim is ${aimText(row)}.`;
}

/** An aim in words. */
export function aimText({ aim, unit }: Pick<Row, 'aim' | 'unit'>): string {
  if (aim === null) return 'none';
  return 'most' in aim ? `at most ${aim.most}${unit}` : `at least ${aim.least}${unit}`;
}

/** A figure with its unit, to two places. */
export const shown = (value: number, unit: string): string => `${value.toFixed(2)}${unit}`;

/** Milliseconds, to one place. */
export const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** The value below which this share of all values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** How long something takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
