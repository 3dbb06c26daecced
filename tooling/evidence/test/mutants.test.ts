import { describe, expect, it } from 'vitest';
import { findings } from '../src/campaigns/mutants/findings.ts';
import { inLanes } from '../src/campaigns/mutants/in-lanes.ts';
import type { Outcome } from '../src/campaigns/mutants/plant.ts';

const outcome = (name: string, result: Outcome['result']): Outcome => ({
  ...{ name, fault: `fault ${name}`, owner: 'packages/a', tests: [], patch: '' },
  ...{ result, by: result === 'caught' ? 'a test' : '', says: '' },
});

describe('the score of planted faults', () => {
  it('holds when every one of them is caught', () => {
    const { holds, figures, broken } = findings([outcome('x', 'caught')], { planned: 1 });
    expect({ holds, broken }).toEqual({ holds: true, broken: [] });
    expect(figures).toMatchObject({ planted: 1, caught: 1, scores: [{ owner: 'packages/a', caught: 1 }] });
  });

  it('names what survived, does not fit or was not judged', () => {
    const found = [outcome('x', 'survived'), outcome('y', 'does not fit'), outcome('z', 'not judged')];
    const { holds, broken } = findings(found, { planned: 3 });
    expect(holds).toBe(false);
    expect(broken.map((line) => line.split(' ')[0])).toEqual(['x', 'y', 'z']);
  });

  it('names what would not fit among those that were only looked at', () => {
    const looked = [
      { name: 'y', says: null },
      { name: 'z', says: 'patch does not apply' },
    ];
    const { holds, broken, figures } = findings([outcome('x', 'caught')], { planned: 1, looked });
    expect({ holds, broken }).toEqual({ holds: false, broken: ['z does not fit: patch does not apply'] });
    expect(figures).toMatchObject({ planted: 1, caught: 1, onlyLookedAt: 2 });
    expect(findings([outcome('x', 'caught')], { planned: 1, looked: looked.slice(0, 1) }).holds).toBe(true);
  });

  it('holds neither without a fault nor when some were not reached', () => {
    expect(findings([], { planned: 0 }).holds).toBe(false);
    expect(findings([outcome('x', 'caught')], { planned: 2 })).toMatchObject({
      holds: false,
      broken: [expect.stringContaining('interrupted')],
    });
  });
});

describe('jobs in lanes', () => {
  it('are each done once, by whichever lane is free, and answered in their order', async () => {
    const done: string[] = [];
    const work = (job: number, lane: string) => {
      done.push(`${lane}${job}`);
      return Promise.resolve(job * 10);
    };
    expect(await inLanes(['a', 'b'], [1, 2, 3], { work, isOver: () => false })).toEqual([10, 20, 30]);
    expect(done.map((one) => one.slice(1)).sort()).toEqual(['1', '2', '3']);
    expect(new Set(done.map((one) => one[0])).size).toBe(2);
  });

  it('are left undone once it is over', async () => {
    let over = false;
    const work = (job: number) => {
      over = job === 2;
      return Promise.resolve(job);
    };
    expect(await inLanes(['a'], [1, 2, 3], { work, isOver: () => over })).toEqual([1, 2, null]);
  });
});
