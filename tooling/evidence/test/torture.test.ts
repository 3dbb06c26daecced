import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findingsOf } from '../src/campaigns/torture/findings.ts';
import { type Gathered } from '../src/campaigns/torture/gathered.ts';
import { addToTotals } from '../src/campaigns/torture/totals.ts';

let folder: string;
beforeAll(() => (folder = mkdtempSync(path.join(os.tmpdir(), 'baton-totals-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const run = {
  trials: 3,
  kills: 2,
  simulated: 100,
  violations: 0,
  reached: ['a', 'b'],
  struck: ['a after self'],
};

it('adds up over runs that keep their totals in one file', () => {
  const file = path.join(folder, 'deep', 'totals.json');
  addToTotals(file, run);
  const after = addToTotals(file, { ...run, reached: ['c'], struck: ['c before self'] });
  expect(after).toEqual({
    runs: 2,
    trials: 6,
    kills: 4,
    simulated: 200,
    violations: 0,
    reached: ['a', 'b', 'c'],
    struck: ['a after self', 'c before self'],
  });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(after);
});

it('does not write over a file that holds something else', () => {
  const file = path.join(folder, 'other.json');
  writeFileSync(file, '{"mine":1}');
  expect(() => addToTotals(file, run)).toThrow(/--state/);
  expect(readFileSync(file, 'utf8')).toBe('{"mine":1}');
});

const gathered: Gathered = {
  points: ['a', 'b', 'never'],
  sums: {
    store: {
      recordings: 1,
      trials: 3,
      kills: 2,
      violations: [],
      reached: ['a', 'b'],
      struck: ['a after self'],
      missed: [],
    },
  },
  simulated: null,
  totals: null,
  isFull: false,
  isCutOff: false,
  interruption: null,
};

it('lists the points that were never reached, and those never struck', () => {
  const { holds, figures } = findingsOf(gathered);
  expect(holds).toBe(true);
  expect(figures).toMatchObject({ points: 3, reached: 2, unreached: ['never'], unstruck: ['b'], kills: 2 });
});

it('holds for a full run only with enough kills and simulated trials, in time, and without any violation', () => {
  expect(findingsOf({ ...gathered, isFull: true }).broken).toEqual([
    'Only 2 real kills, not 500.',
    'Only 0 simulated trials, not 100000.',
  ]);
  expect(findingsOf({ ...gathered, isCutOff: true }).holds).toBe(false);
  const [store] = Object.values(gathered.sums);
  const sums = store === undefined ? {} : { store: { ...store, violations: ['a #1 after: lost'] } };
  expect(findingsOf({ ...gathered, sums })).toMatchObject({ holds: false, broken: ['a #1 after: lost'] });
});

it('reports that it was interrupted, and what there was until then', () => {
  const { holds, broken, figures } = findingsOf({ ...gathered, interruption: 'SIGTERM', size: 40 });
  expect(holds).toBe(false);
  expect(broken).toEqual(['Interrupted by SIGTERM after 3 of 40 trials: this is what there was.']);
  expect(figures).toMatchObject({ interruption: 'SIGTERM', trials: 3, kills: 2 });
});
