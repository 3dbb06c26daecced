import { describe, expect, it } from 'vitest';
import { jobSteps } from '../src/campaigns/store-bench/job-steps.ts';
import { pgbenchScript } from '../src/campaigns/store-bench/pgbench-script.ts';
import { compare } from '../src/campaigns/store-bench/row.ts';
import { spreadOf } from '../src/campaigns/store-bench/rounds.ts';
import type { Sample } from '../src/campaigns/store-bench/measure.ts';

const [made, answered, constant] = ['1', '2', '3'].map(
  (digit) => `${digit.repeat(8)}-0000-7000-8000-${digit.repeat(12)}`,
);

const types = [['jsonb'], ['uuid[]', 'text', 'integer']];

const captured = [
  {
    text: 'SELECT claim($1::jsonb) AS answer',
    values: [JSON.stringify({ worker: 'w:1', attempt: made, repo: constant })],
    rows: [{ answer: { tasks: [{ id: answered }] } }],
  },
  { text: 'SELECT done($1::uuid[], $2, $3)', values: [[answered], null, 7], rows: [] },
];

describe('a captured job', () => {
  it('is sent again with ids of its own', () => {
    const { made: fresh, steps } = jobSteps(captured, [made ?? '', 'unused']);
    expect(fresh).toEqual([made]);
    expect(steps[0]?.gets).toEqual([{ id: answered, column: 'answer', path: ['tasks', '0', 'id'] }]);
    expect(steps[1]).toMatchObject({ values: [`{"${answered}"}`, null, '7'], gets: [] });
  });

  it('becomes a pgbench script: chance for made ids, variables for answered ones, literals for the rest', () => {
    const lines = pgbenchScript(jobSteps(captured, [made ?? '']), types).split('\n');
    expect(lines[0]).toBe('\\set i0 random(1, 281474976710655)');
    expect(lines[1]).toContain(`answer #>> '{tasks,0,id}' AS "0" FROM (SELECT claim(`);
    expect(lines[1]).toContain(`lpad(to_hex(:i0::bigint),12,'0')`);
    expect(lines[1]).toContain(constant);
    expect(lines[1]?.endsWith('\\gset a0_')).toBe(true);
    expect(lines[2]).toBe(`SELECT done(('{"'||:a0_0||'"}')::uuid[]::uuid[], NULL, ('7')::integer);`);
  });

  it('reads what a writing statement returns', () => {
    const written = captured.map((each) => ({
      ...each,
      text: each.text.replace('SELECT claim', 'INSERT INTO claim'),
    }));
    const [, line] = pgbenchScript(jobSteps(written, [made ?? '']), types).split('\n');
    expect(line).toMatch(/^WITH answered AS \(INSERT INTO claim.*\) SELECT .* FROM answered \\gset a0_$/);
  });

  it('hides colons from pgbench, which would take them for variables', () => {
    expect(pgbenchScript(jobSteps(captured, []), types)).toContain(`w:'||'1`);
  });
});

const sample = (perSecond: number): Sample => ({
  ...{ jobs: 1, seconds: 1, serverMs: 1, clientMs: 1, cpuMs: 2, walBytes: 1 },
  perSecond,
});

describe('rounds', () => {
  it('are compared each with its own', () => {
    const samples = new Map([
      ['mine', [sample(10), sample(100), sample(30)]],
      ['theirs', [sample(10), sample(50), sample(10)]],
    ]);
    const how = { what: 'rate', measure: 'perSecond', least: 2.5 } as const;
    expect(compare(samples, ['mine', 'theirs'], how)).toEqual([
      { what: 'rate', least: 2.5, ratio: 2, range: [1, 3] },
    ]);
    expect(compare(samples, ['mine', 'nobody'], how)).toEqual([]);
  });

  it('have a median between the middle two', () => {
    expect(spreadOf([4, 1, 3, 2])).toEqual({ median: 2.5, min: 1, max: 4 });
    expect(spreadOf([5, 1, 3])).toEqual({ median: 3, min: 1, max: 5 });
  });
});
