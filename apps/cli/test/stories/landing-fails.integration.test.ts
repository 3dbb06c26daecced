import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { Explanation } from '@baton/task-store';
import { until } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf, waits, writes } from '../support/plans.ts';

test(
  'a run says why its landing fails again and again, and the work lands once the cause is gone',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({
      'plan.yaml': planOf('stuck', [{ key: 'one', agent: writes('one.txt', 'one\n') }]),
    });
    const lock = path.join(bench.repo.path, '.git', 'index.lock');
    await writeFile(lock, '');
    const started = bench.start(['run', 'plan.yaml', '--target', 'main']);
    await until(() => /… waits .*index\.lock/.test(started.stderr() + started.stdout()), {
      what: 'the run says why nothing lands',
      timeoutMs: 60_000,
    });
    const told = JSON.parse((await bench.call(['explain', 'one', '--json'])).stdout) as Explanation;
    expect(told).toMatchObject({ cause: 'landing_failed', owner: 'the next worker, within seconds' });
    await rm(lock);
    expect((await started.ended).exitCode).toBe(0);
    expect(await bench.repo.git('log', '-1', '--format=%s', 'main')).toBe('one');
  },
);

test(
  'a run says that its repository was moved away while work waits to land, which lands once it is back',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const gate = path.join(bench.home, 'go');
    await bench.repo.write({
      'plan.yaml': planOf('away', [{ key: 'one', agent: waits('one.txt', { gate }) }]),
    });
    const started = bench.start(['run', 'plan.yaml']);
    await until(() => readFile(`${gate}.started`, 'utf8'), { what: 'one is at work', timeoutMs: 60_000 });
    const [here, away] = [bench.repo.path, `${bench.repo.path}-away`];
    await rename(here, away);
    await writeFile(gate, '');
    await until(
      () => /… waits .*folder of the repository is gone/.test(started.stderr() + started.stdout()),
      {
        what: 'the run says why nothing lands',
        timeoutMs: 60_000,
      },
    );
    await rename(away, here);
    expect((await started.ended).exitCode).toBe(0);
  },
);
