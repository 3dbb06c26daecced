import { gate, type Gate } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import { expect, it } from 'vitest';
import { mayJoin } from './train.ts';

/** Finished work of a run with one gate. */
const work = (more: Partial<Gate>): LandingWork =>
  ({
    run: { gates: [{ ...gate.parse({ name: 'tests', command: ['true'] }), ...more }] },
    task: { approval: false, allowRed: [] },
    attempt: { startCommit: 'a', headCommit: 'b' },
    approved: false,
    missed: false,
  }) as unknown as LandingWork;

it('work lands with others, but for gates that are about each task by itself', () => {
  expect(mayJoin(work({}))).toBe(true);
  expect(mayJoin(work({ may_write: true }))).toBe(false);
  expect(mayJoin(work({ every_commit: true }))).toBe(false);
  expect(mayJoin(work({ red_green: true }))).toBe(false);
  const coverage = { file: 'cov/lcov.info', format: 'lcov', may_fall_by: 0 } as const;
  expect(mayJoin(work({ coverage }))).toBe(false);
});
