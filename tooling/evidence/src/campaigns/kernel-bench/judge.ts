import type { Bar, Chart } from '../../chart.ts';
import type { Findings } from '../../campaign.ts';
import type { Measured } from './rounds.ts';
import type { SubjectName } from './subjects.ts';
import type { Prelude } from './prelude.ts';

/** One comparison of the table: how many times as fast as the peer a subject is, by CPU time. */
export interface Row {
  row: string;
  subject: string;
  peer: string;
  /** Median of the rounds, each with both measured one after the other. */
  ratio: number;
  range: readonly [low: number, high: number];
  /** At least so much, where something is claimed. */
  aim: number | null;
}

interface Comparison {
  row: string;
  subject: SubjectName;
  prelude?: Prelude;
  peer: SubjectName;
  aim?: number;
}

const [check, step] = ['check of a move', 'full step: snapshot and record'];

/** What is compared. What is claimed holds in a process that has used all five machines too. */
const comparisons: readonly Comparison[] = [
  { row: check, subject: 'fsm-core can', peer: 'nested object', aim: 0.9 },
  { row: check, subject: 'fsm-core can', prelude: 'machines', peer: 'nested object', aim: 0.9 },
  { row: check, subject: 'fsm-core can', prelude: 'shapes', peer: 'nested object' },
  { row: check, subject: 'fsm-core transition, bare state', peer: 'nested object' },
  { row: check, subject: 'nested Map', peer: 'nested object' },
  { row: check, subject: 'bit table, numbers for names', peer: 'nested object' },
  { row: step, subject: 'fsm-core decide', peer: 'nested object', aim: 0.4 },
  { row: step, subject: 'fsm-core decide', prelude: 'machines', peer: 'nested object', aim: 0.4 },
  { row: step, subject: 'fsm-core decide', prelude: 'shapes', peer: 'nested object' },
  { row: step, subject: 'fsm-core decide, without an id', peer: 'nested object' },
  { row: step, subject: 'fsm-core decide, without an id', prelude: 'machines', peer: 'nested object' },
  { row: step, subject: 'fsm-core moveTo', peer: 'nested object' },
  { row: step, subject: 'fsm-core moveTo', prelude: 'machines', peer: 'nested object' },
  { row: step, subject: 'fsm-core decide', prelude: 'machines', peer: 'xstate actor.send', aim: 80 },
  { row: step, subject: 'fsm-core decide', prelude: 'machines', peer: 'xstate transition()' },
  { row: step, subject: 'fsm-core decide', prelude: 'machines', peer: 'robot3 service.send', aim: 10 },
];

const asWords: Record<Prelude, string> = {
  none: '',
  machines: ' (after all five machines)',
  shapes: ' (after events of many shapes)',
};

/** Compares what was measured. The short form is too small for its times to say anything. */
export function judge(measured: readonly Measured[], { short }: { short: boolean }): Findings {
  const rows = comparisons.flatMap((comparison) => compare(measured, comparison) ?? []);
  const missed = rows.filter(({ ratio, aim }) => !short && aim !== null && ratio < aim);
  const broken = [
    ...(rows.length > 0 ? [] : ['Nothing was compared.']),
    ...missed.map(
      ({ row, subject, peer, ratio, aim }) =>
        `${row}: ${subject} reaches ${rounded(ratio)} of ${peer}, not ${String(aim)}.`,
    ),
  ];
  return {
    holds: broken.length === 0,
    figures: { rows, measured: measured.map(summary) },
    table: {
      columns: ['row', 'subject', 'against', 'times as fast', 'rounds', 'aim'],
      rows: rows.map(({ row, subject, peer, ratio, range, aim }) => [
        row,
        subject,
        peer,
        rounded(ratio),
        `${rounded(range[0])}–${rounded(range[1])}`,
        aim === null ? '' : `≥ ${aim}`,
      ]),
    },
    charts: [chartOfRatios(rows), chartOfTimes(measured), chartOfBytes(measured)],
    broken,
  };
}

const nameOf = ({ subject, prelude }: { subject: string; prelude: Prelude }) =>
  `${subject}${asWords[prelude]}`;

function compare(
  measured: readonly Measured[],
  { row, subject, prelude = 'none', peer, aim }: Comparison,
): Row | null {
  const one = measured.find((found) => found.subject === subject && found.prelude === prelude);
  const other = measured.find((found) => found.subject === peer && found.prelude === 'none');
  if (!one || !other) return null;
  const ratios = one.ns.map((ns, round) => (other.ns[round] ?? Number.NaN) / ns);
  return {
    row,
    subject: nameOf({ subject, prelude }),
    peer,
    ratio: rounded(median(ratios)),
    range: [rounded(Math.min(...ratios)), rounded(Math.max(...ratios))],
    aim: aim ?? null,
  };
}

function summary({ subject, prelude, ns, bytes }: Measured) {
  const range = [rounded(Math.min(...ns)), rounded(Math.max(...ns))] as const;
  return {
    subject: nameOf({ subject, prelude }),
    nsPerStep: rounded(median(ns)),
    range,
    bytesPerEntity: bytes,
  };
}

function chartOfRatios(rows: readonly Row[]): Chart {
  const bars = rows.map(({ subject, peer, ratio, range, aim }): Bar => ({
    label: `${subject} : ${peer}`,
    value: ratio,
    range,
    ...(aim === null ? {} : { aim }),
  }));
  return { title: 'How many times as fast', unit: 'ratio of CPU time a step', scale: 'log', bars };
}

function chartOfTimes(measured: readonly Measured[]): Chart {
  const bars = measured.map(summary).map(({ subject, nsPerStep, range }): Bar => ({
    label: subject,
    value: nsPerStep,
    range,
  }));
  return { title: 'CPU time a step', unit: 'nanoseconds', scale: 'log', bars };
}

function chartOfBytes(measured: readonly Measured[]): Chart {
  const bars = measured.flatMap((one): Bar[] =>
    one.bytes === null || one.prelude !== 'none' ? [] : [{ label: nameOf(one), value: one.bytes }],
  );
  return { title: 'Heap of one entity at rest', unit: 'bytes', scale: 'log', bars };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Three significant digits. */
const rounded = (value: number): number => Number(value.toPrecision(3));
