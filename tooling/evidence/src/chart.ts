import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** One measured value. */
export interface Bar {
  label: string;
  /** In the chart's unit; above zero where the scale is logarithmic. */
  value: number;
  /** Lowest and highest of the rounds behind the value. */
  range?: readonly [low: number, high: number];
  /** What is to be reached: at least this, or at most this where `lowerIsBetter`. */
  aim?: number;
  lowerIsBetter?: boolean;
}

/** Bars of one unit, with the aims that some of them have. */
export interface Chart {
  title: string;
  /** What the axis says, such as "times the peer's rate". */
  unit: string;
  bars: readonly Bar[];
  /** Logarithmic for values that differ by orders of magnitude. Default: linear. */
  scale?: 'linear' | 'log';
}

/** Whether a bar reaches its aim; a bar without one is a mere measurement. */
export function verdictOf({ value, aim, lowerIsBetter }: Bar): 'reached' | 'missed' | 'measured' {
  if (aim === undefined) return 'measured';
  return (lowerIsBetter ? value <= aim : value >= aim) ? 'reached' : 'missed';
}

/** Draws a chart as SVG text: no browser, no canvas, the same text for the same chart. */
export async function renderChart(chart: Chart): Promise<string> {
  const view = new View(parse(compile(specOf(chart)).spec), { renderer: 'none' });
  const svg = await view.toSVG();
  view.finalize();
  return `${svg}\n`;
}

// Told apart by lightness too, for readers who see no colours and for print.
const colours = { reached: '#1a7f5a', missed: '#e08a3c', measured: '#9aa5b1' };

function specOf({ title, unit, bars, scale = 'linear' }: Chart): TopLevelSpec {
  const [low, high] = domainOf(bars, scale);
  const values = bars.map((bar, place) => ({
    label: bar.label,
    value: bar.value,
    aim: bar.aim ?? null,
    lowest: bar.range?.[0] ?? null,
    highest: bar.range?.[1] ?? null,
    verdict: verdictOf(bar),
    text: textOf(bar),
    place,
    base: low,
    edge: high,
  }));
  const y = { field: 'label', type: 'nominal', sort: { field: 'place' }, title: null } as const;
  const x = (field: string) => ({ field, type: 'quantitative' }) as const;
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: { text: title, anchor: 'start', frame: 'group' },
    background: 'white',
    width: 460,
    height: { step: 26 },
    padding: 10,
    data: { values },
    encoding: { y: { ...y, axis: { labelLimit: 420, ticks: false, domain: false } } },
    layer: [
      {
        mark: { type: 'bar', height: 14 },
        encoding: {
          x: { ...x('value'), title: unit, scale: { type: scale, domain: [low, high], nice: false } },
          x2: { field: 'base' },
          color: {
            field: 'verdict',
            type: 'nominal',
            legend: { orient: 'bottom', title: 'aim (red line)' },
            scale: { domain: Object.keys(colours), range: Object.values(colours) },
          },
        },
      },
      {
        transform: [{ filter: 'datum.lowest !== null' }],
        mark: { type: 'rule', strokeWidth: 2, color: '#22303c' },
        encoding: { x: x('lowest'), x2: { field: 'highest' } },
      },
      {
        transform: [{ filter: 'datum.aim !== null' }],
        mark: { type: 'tick', thickness: 2, height: 24, color: '#b3261e' },
        encoding: { x: x('aim') },
      },
      {
        mark: { type: 'text', align: 'left', dx: 6 },
        encoding: { x: x('edge'), text: { field: 'text' } },
      },
    ],
  };
}

/** Both ends of the axis: everything that is drawn lies between them. */
function domainOf(bars: readonly Bar[], scale: 'linear' | 'log'): [number, number] {
  const drawn = bars.flatMap(({ value, aim, range }) => [
    value,
    ...(aim === undefined ? [] : [aim]),
    ...(range ?? []),
  ]);
  const high = Math.max(...drawn) * 1.05;
  return scale === 'linear' ? [0, high] : [10 ** Math.floor(Math.log10(Math.min(...drawn) * 0.999)), high];
}

function textOf({ value, aim, lowerIsBetter }: Bar): string {
  const goal = aim === undefined ? '' : ` (aim ${lowerIsBetter ? '≤' : '≥'} ${shortNumber(aim)})`;
  return `${shortNumber(value)}${goal}`;
}

/** Three significant digits at least, all whole ones, no exponent. */
function shortNumber(value: number): string {
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return String(Number(value.toFixed(digits)));
}
