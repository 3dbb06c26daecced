import { describe, expect, it } from 'vitest';
import { kernelTables } from '../src/campaigns/kernel-tables.ts';

describe('the kernel against the tables', () => {
  const counts = kernelTables();

  it('reaches every legal cell and refuses every other, in all five machines', () => {
    expect(counts.flatMap((machine) => machine.broken)).toEqual([]);
    expect(
      counts.map(({ machine, cells, legal, reached, refused }) => [machine, cells, legal, reached, refused]),
    ).toEqual([
      ['task', 144, 30, 30, 114],
      ['agent', 16, 6, 6, 10],
      ['turn', 90, 18, 18, 72],
      ['cognitive', 60, 14, 14, 46],
      ['execution', 49, 18, 18, 31],
    ]);
  });

  it('accepts the two declared overrides and no other', () => {
    expect(counts.map((machine) => machine.overrides)).toEqual([2, 0, 0, 0, 0]);
  });
});
