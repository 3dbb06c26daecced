import { inParts, diffSnapshots, until } from '@baton/testkit';
import { expect, test } from 'vitest';

import type { RunResult } from '../../src/run/summary.ts';
import { createBench, type Bench, type Started } from '../support/bench.ts';
import { planOf, writes } from '../support/plans.ts';
import { findRemains, serverPid, withStore } from '../support/remains.ts';

type Fate = 'kill -9' | 'Ctrl-C' | 'kill -9 of both';

/** Writes `bad`, which the gate refuses; on going on from that, `good`. */
const flaky = `const fs = require('node:fs');
fs.writeFileSync('flaky.txt', fs.existsSync('flaky.txt') ? 'good' : 'bad');`;
/** Changes a line that another task changes, too. */
const rewrites = (word: string): string => `const fs = require('node:fs');
fs.writeFileSync('shared.txt', fs.readFileSync('shared.txt', 'utf8') + ${JSON.stringify(`${word}\n`)});`;
const gate = `const fs = require('node:fs');
process.exit(fs.existsSync('flaky.txt') && fs.readFileSync('flaky.txt', 'utf8') !== 'good' ? 1 : 0);`;
const inBatch = (key: string) => ({
  key,
  role: 'docs',
  scope: 'small',
  files: [`${key}.md`],
  agent: {
    command: [
      'node',
      '-e',
      `const { key } = JSON.parse(require('node:fs').readFileSync(process.env.BATON_TASK_FILE, 'utf8'));
require('node:fs').writeFileSync(key + '.md', key);`,
    ],
  },
});

const tough = planOf(
  'tough',
  [
    { key: 'flaky', agent: { command: ['node', '-e', flaky] }, files: ['flaky.txt'] },
    { key: 'left', agent: { command: ['node', '-e', rewrites('left')] } },
    { key: 'right', agent: { command: ['node', '-e', rewrites('right')] } },
    inBatch('one'),
    inBatch('two'),
    { key: 'last', agent: writes('last.txt', 'last\n'), depends_on: ['flaky', 'one'] },
  ],
  { max_agents: 2, gates: [{ name: 'good', command: ['node', '-e', gate] }] },
);
/** What somebody runs afterwards. */
const next = planOf('next', [{ key: 'after', agent: writes('after.txt', 'after\n') }]);
const keys = ['flaky', 'last', 'left', 'one', 'right', 'two'];

/** Park–Miller: the same moments for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed * 7919 + 1;
  return (sides) => (state = (state * 48_271) % 2_147_483_647) % sides;
}

/** Waits for so many lines of progress, or the end. */
async function progress({ started, lines }: { started: Started; lines: number }): Promise<boolean> {
  let ended = false;
  void started.ended.then(() => (ended = true));
  const seen = () =>
    started
      .stderr()
      .split('\n')
      .filter((line) => /started|landed|again/.test(line)).length;
  await until(() => ended || seen() >= lines, { what: `${lines} lines`, timeoutMs: 90_000, everyMs: 2 });
  return !ended;
}

async function meet(bench: Bench, { started, fate }: { started: Started; fate: Fate }): Promise<void> {
  if (fate.endsWith('both')) {
    const pid = await serverPid(bench);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }
  started.child.kill(fate === 'Ctrl-C' ? 'SIGINT' : 'SIGKILL');
}

/** That of Postgres alone has a story of its own. */
const ordeals: readonly { seed: number; fates: readonly Fate[] }[] = [
  { seed: 2, fates: ['Ctrl-C', 'kill -9'] },
  { seed: 3, fates: ['kill -9 of both'] },
];
const trials = ordeals.map(({ seed, fates }) => {
  const roll = dice(seed);
  const blows = fates.map((fate, n) => ({ fate, lines: n === 0 ? 4 + roll(8) : 1 + roll(3) }));
  return { seed, blows, told: blows.map(({ fate, lines }) => `${fate} at line ${lines}`).join(', then ') };
});

for (const [cases, tagged] of inParts(1, trials))
  test.each(cases)(
    'wherever it is struck, the run is carried on to its end and leaves nothing behind (seed $seed: $told)',
    tagged,
    async ({ blows }) => {
      await using bench = await createBench(
        { 'shared.txt': 'shared\n', 'plan.yaml': tough, 'next.yaml': next },
        { initdb: true },
      );
      const before = await bench.repo.snapshot();
      for (const [number, { fate, lines }] of blows.entries()) {
        const started = bench.start(number === 0 ? ['run', 'plan.yaml'] : ['run', '--resume']);
        if (await progress({ started, lines })) await meet(bench, { started, fate });
        await started.ended;
      }
      const [run] = await withStore(bench, async (store) => (await store.runs.list({ limit: 2 })).items);
      if (run?.status !== 'done') {
        const ended = await bench.baton(['run', '--resume', '--json']);
        expect(ended.exitCode, ended.stderr).toBe(0);
        expect((JSON.parse(ended.stdout) as RunResult).status).toBe('done');
      } else {
        // The last blow met a process that had only to sign off: the next one says that it is gone.
        const ended = await bench.baton(['run', 'next.yaml', '--json']);
        expect(ended.exitCode, ended.stderr).toBe(0);
      }

      const target = run?.target ?? '';
      const tasks = await withStore(
        bench,
        async (store) => (await store.tasks.list({ runId: run?.id ?? '' })).items,
      );
      expect(tasks.map(({ key, status }) => `${key} ${status}`).sort()).toEqual(
        keys.map((key) => `${key} CLOSED`),
      );
      // The gate's one rejection counts; no blow does.
      expect(Object.fromEntries(tasks.map(({ key, tries }) => [key, tries]))).toEqual(
        Object.fromEntries(keys.map((key) => [key, key === 'flaky' ? 1 : 0])),
      );
      const landed = await bench.repo.git(
        'log',
        '--format=%(trailers:key=Task-Id,valueonly,separator=%x2C)',
        `main..${target}`,
      );
      expect(landed.split('\n').sort()).toEqual(tasks.map(({ id }) => id).sort());
      expect(await bench.repo.git('show', `${target}:shared.txt`)).toMatch(
        /^shared\n(left\nright|right\nleft)$/,
      );
      const except = [/^ref refs\/heads\/baton\//, /^ref refs\/baton\//];
      expect(diffSnapshots(before, await bench.repo.snapshot(), { except })).toEqual([]);
      expect(await findRemains(bench)).toEqual({
        processes: [],
        lockFiles: [],
        landingRefs: [],
        sessions: [],
        openAttempts: [],
        workers: [],
      });
      const audit = await bench.baton(['verify-audit', '--json']);
      expect(JSON.parse(audit.stdout)).toMatchObject({ broken: [] });
      expect(await bench.hasServer()).toBe(false);
    },
  );
