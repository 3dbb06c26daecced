import { spread, spreadOf, type Measure, type FactContext, type Samples } from './rounds.ts';

/** A goal of the row: a ratio of two measured figures and what it must reach. */
export interface Aim {
  /** What is compared, as a sentence's subject. */
  what: string;
  ratio: number;
  /** Least and most of the rounds' own ratios. */
  range?: readonly [number, number];
  /** `least`: the ratio must be at least that; `most`: at most. */
  least?: number;
  most?: number;
}

/** What a row found. */
export interface RowFindings {
  aims: readonly Aim[];
  /** Lines of the printed table. */
  lines: readonly Line[];
  figures: Readonly<Record<string, unknown>>;
  /** What went wrong besides missed aims, e.g. lost jobs. */
  broken?: readonly string[];
}

/** One line of the printed table: a contender in a row. */
export interface Line {
  contender: string;
  perSecond: string;
  serverMs: string;
  clientMs: string;
  walBytes: string;
}

/** One row of the bench, by the name that `--only` knows. */
export interface Row {
  name: string;
  work: string;
  run(context: FactContext): Promise<RowFindings>;
}

export const reached = ({ ratio, least, most }: Aim): boolean =>
  (least === undefined || ratio >= least) && (most === undefined || ratio <= most);

const digits: Record<Measure, number> = { perSecond: 0, serverMs: 3, clientMs: 3, cpuMs: 3, walBytes: 0 };

function cell(samples: Samples, contender: string, measure: Measure): string {
  const list = samples.get(contender) ?? [];
  if (list.length === 0) return '–';
  const { median, min, max } = spread(list, measure);
  const [a, b, c] = [median, min, max].map((value) => value.toFixed(digits[measure]));
  return b === c ? String(a) : `${a} [${b}–${c}]`;
}

/** The table's lines of all contenders. */
export function linesOf(samples: Samples): Line[] {
  return [...samples.keys()].map((contender) => ({
    contender,
    perSecond: cell(samples, contender, 'perSecond'),
    serverMs: cell(samples, contender, 'serverMs'),
    clientMs: cell(samples, contender, 'clientMs'),
    walBytes: cell(samples, contender, 'walBytes'),
  }));
}

/** All samples as plain JSON: medians with their spread, and each round. */
export function figuresOf(samples: Samples): Record<string, unknown> {
  const measures: Measure[] = ['perSecond', 'serverMs', 'clientMs', 'cpuMs', 'walBytes'];
  return Object.fromEntries(
    [...samples].map(([contender, list]) => [
      contender,
      Object.fromEntries(measures.map((measure) => [measure, rounded(spread(list, measure))])),
    ]),
  );
}

const rounded = (values: object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, round(value as number)]));

/** Four significant digits. */
export const round = (value: number): number => Number(value.toPrecision(4));

/**
 * Compares two contenders round for round, so that what else the machine does weighs on both sides alike; the ratio is the
 * median of the rounds'. Nothing when one of them was left out.
 */
export function compare(
  samples: Samples,
  pair: readonly [string, string],
  how: { what: string; measure: Measure; least?: number; most?: number },
): Aim[] {
  const [mine, theirs] = pair.map((name) => samples.get(name) ?? []);
  const { measure, ...rest } = how;
  const ratios = (mine ?? []).flatMap((sample, at) => {
    const other = theirs?.[at];
    return other === undefined ? [] : [sample[measure] / other[measure]];
  });
  if (ratios.length === 0) return [];
  const { median, min, max } = spreadOf(ratios);
  return [{ ...rest, ratio: median, range: [min, max] }];
}

/**
 * Rate against a peer's, and beside it the CPU time per job, which noise cannot move; `least` is what the rate must reach, `mostCpu`
 * what the CPU time must not exceed.
 */
export function against(
  samples: Samples,
  mine: string,
  { peer, least, mostCpu }: { peer: string; least?: number; mostCpu?: number },
): Aim[] {
  const pair = [mine, peer] as const;
  const rate = { what: `${mine}: rate ÷ ${peer}`, measure: 'perSecond' } as const;
  const cpu = { what: `${mine}: CPU per job ÷ ${peer}`, measure: 'cpuMs' } as const;
  return [
    ...compare(samples, pair, { ...rate, ...(least !== undefined && { least }) }),
    ...compare(samples, pair, { ...cpu, ...(mostCpu !== undefined && { most: mostCpu }) }),
  ];
}
