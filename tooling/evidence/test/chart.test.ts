import { describe, expect, it } from 'vitest';
import { type Chart, renderChart, verdictOf } from '../src/chart.ts';

const chart: Chart = {
  title: 'Claims a second',
  unit: "times the peer's",
  bars: [
    { label: 'one at a time', value: 2.714, range: [2.5, 2.9], aim: 1.4 },
    { label: 'in bulk <50>', value: 0.75, aim: 0.8 },
    { label: 'with a long queue', value: 1.2, aim: 1.3, lowerIsBetter: true },
    { label: 'the peer', value: 1 },
  ],
};

describe('a chart', () => {
  it('is SVG that names every bar, its value and its aim', async () => {
    const svg = await renderChart(chart);
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    for (const text of [
      'Claims a second',
      "times the peer's",
      'one at a time',
      'in bulk &lt;50&gt;',
      '2.71 (aim ≥ 1.4)',
      '0.75 (aim ≥ 0.8)',
      '1.2 (aim ≤ 1.3)',
    ])
      expect(svg).toContain(`>${text}<`);
  });

  it('is the same text every time', async () => {
    expect(await renderChart(chart)).toBe(await renderChart(chart));
  });

  it('draws longer bars for larger values, on either scale', async () => {
    for (const scale of ['linear', 'log'] as const) {
      const widths = barWidths(await renderChart({ ...chart, scale }));
      expect(widths).toHaveLength(4);
      const [one = 0, bulk = 0, queue = 0, peer = 0] = widths;
      expect(one).toBeGreaterThan(queue);
      expect(queue).toBeGreaterThan(peer);
      expect(peer).toBeGreaterThan(bulk);
      expect(bulk).toBeGreaterThan(0);
    }
  });

  it('says which aims are reached', () => {
    expect(chart.bars.map(verdictOf)).toEqual(['reached', 'missed', 'reached', 'measured']);
  });
});

/** Widths of the drawn bars, in their order. */
function barWidths(svg: string): number[] {
  return [...svg.matchAll(/aria-roledescription="bar" d="M([\d.]+),[\d.]+h([\d.]+)/g)].map(([, , width]) =>
    Number(width),
  );
}
