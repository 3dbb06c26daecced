import type { Bar, Chart } from '../../chart.ts';
import type { Aim, Row, RowFindings } from './row.ts';

type Done = RowFindings & { row: Row };

/** The ratios of all rows: rates that must be high, and costs that must be low. */
export function chartsOf(done: readonly Done[]): Chart[] {
  const bars = (keep: (aim: Aim) => boolean) =>
    done.flatMap(({ row, aims }) => aims.filter(keep).map((aim) => barOf(row, aim)));
  const rates = bars(({ least }) => least !== undefined);
  const costs = bars(({ most }) => most !== undefined);
  return [
    ...(rates.length === 0
      ? []
      : [{ title: 'The store: rates', unit: "times the other's rate", scale: 'log' as const, bars: rates }]),
    ...(costs.length === 0
      ? []
      : [{ title: 'The store: costs', unit: 'times the cost', scale: 'log' as const, bars: costs }]),
  ];
}

function barOf(row: Row, { what, ratio, range, least, most }: Aim): Bar {
  const aim = least ?? most;
  return {
    label: `${row.name} · ${what}`,
    value: ratio,
    ...(range === undefined ? {} : { range }),
    ...(aim === undefined ? {} : { aim }),
    lowerIsBetter: most !== undefined,
  };
}
