import path from 'node:path';

import { crashCatalogue, crashPointArguments, readCrashLog } from '@baton/testkit';
import { expect, test } from 'vitest';

import type { RunResult } from '../../src/run/summary.ts';
import { createBench } from '../support/bench.ts';
import { planOf, writes } from '../support/plans.ts';

test(
  'a run whose process was killed before its plan was approved is approved and carried out on --resume',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({
      'plan.yaml': planOf('early', [{ key: 'only', agent: writes('only.txt', 'only\n') }]),
    });
    const log = path.join(bench.home, 'log');
    // The first change after the run's creation is its approval.
    const watched = crashPointArguments(path.join(bench.home, 'order'), {
      log,
      catalogue: crashCatalogue({ root: bench.home, folders: [], statements: {} }),
      strike: { point: 'pg:apply', passage: 1, moment: 'before', victim: 'self', delayMs: 0 },
    });
    const killed = await bench.start(['run', 'plan.yaml'], { nodeArguments: watched }).ended;
    expect(killed.signal).toBe('SIGKILL');
    expect(readCrashLog(log).at(-1)).toMatchObject({ point: 'pg:apply', struck: 'before' });

    const ended = await bench.baton(['run', '--resume', '--json']);
    expect(ended.exitCode, ended.stderr).toBe(0);
    const result = JSON.parse(ended.stdout) as RunResult;
    expect(result.tasks.map(({ key, status }) => [key, status])).toEqual([['only', 'CLOSED']]);
  },
);
