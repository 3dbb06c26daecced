import { describe, expect, it } from 'vitest';

import { planStrikes, tellStrike } from './crash-plan.ts';
import { gitWriter, placeName, reachedPoint, type CrashCatalogue } from './crash-points-names.ts';
import { statementPoint } from './crash-points-pg.ts';
import type { CrashPassage } from './crash-points.ts';

describe('names of points', () => {
  it('tell git commands that write from those that only read', () => {
    expect(['update-ref', 'fetch', 'clone'].map((name) => gitWriter([name, 'x']))).toEqual([
      'update-ref',
      'fetch',
      'clone',
    ]);
    expect([['rev-parse'], ['worktree', 'list'], ['config', '--get']].map(gitWriter)).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('give statements that write their own name, or verb and table', () => {
    const statements = { apply: false, 'task-by-id': true };
    const named = (name: string) => statementPoint({ name, text: 'SELECT 1' }, statements);
    expect([named('apply'), named('task-by-id')]).toEqual(['pg:apply', null]);
    const texts = [
      'BEGIN',
      'INSERT INTO "public"."api_key" ("id") VALUES ($1)',
      'UPDATE worker SET x = 1',
      'SELECT * FROM task',
      "SELECT pg_notify('a', 'b')",
      'CREATE TABLE x ()',
    ];
    expect(texts.map((text) => statementPoint(text, statements))).toEqual([
      'pg:begin',
      'pg:insert api_key',
      'pg:update worker',
      null,
      'pg:notify',
      'pg:schema',
    ]);
  });

  it('are of the innermost function around a line', () => {
    const functions = [
      { name: 'outer', firstLine: 1, lastLine: 20 },
      { name: 'inner', firstLine: 5, lastLine: 9 },
    ];
    const at = (line: number) => placeName('packages/spawner/src/tree/clone.ts', functions, line);
    expect([at(6), at(12), at(40)]).toEqual([
      'spawner/tree/clone:inner',
      'spawner/tree/clone:outer',
      'spawner/tree/clone:top',
    ]);
  });

  it('are given to production code only', () => {
    const catalogue: CrashCatalogue = { root: '/nowhere', files: {}, points: [], statements: {} };
    expect(reachedPoint('spawn', catalogue)).toBeNull();
  });
});

describe('the plan of blows', () => {
  const passages: CrashPassage[] = [
    { pid: 1, point: 'pg:apply', passage: 1, hasMiddle: true },
    { pid: 1, point: 'fs:rename a:b', passage: 1, hasMiddle: false },
    { pid: 1, point: 'pg:apply', passage: 2, hasMiddle: true },
    { pid: 1, point: 'pg:apply', passage: 3, hasMiddle: true },
  ];
  const moments = ['before', 'middle', 'after'] as const;

  it('strikes each point at each moment that it knows, and once later', () => {
    const told = planStrikes(passages, { victim: 'self', moments, seed: 1 }).map(tellStrike);
    expect(told.slice(0, 3)).toEqual(['pg:apply #1 before', 'pg:apply #1 middle', 'pg:apply #1 after']);
    expect(told[3]).toMatch(/^pg:apply #[23] /);
    expect(told.slice(4)).toEqual(['fs:rename a:b #1 before', 'fs:rename a:b #1 after']);
  });

  it('strikes every passage where the plan says so', () => {
    const plan = { victim: 'backend', moments, seed: 2, everyPassage: () => true } as const;
    const passagesStruck = planStrikes(passages, plan)
      .filter(({ point }) => point === 'pg:apply')
      .map(({ passage }) => passage);
    expect(passagesStruck).toEqual([1, 1, 1, 2, 3]);
  });

  it('chooses otherwise for another seed, and the same for the same', () => {
    const planned = (seed: number) =>
      JSON.stringify(planStrikes(passages, { victim: 'self', moments, seed }));
    expect(planned(3)).toBe(planned(3));
    expect(new Set([1, 2, 3, 4, 5].map(planned)).size).toBeGreaterThan(1);
  });
});
