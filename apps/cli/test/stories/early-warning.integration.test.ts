import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { tempDir, until } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf, waits } from '../support/plans.ts';

interface Explained {
  cause: string;
  expectedConflicts: { with: { key: string } | null; files: string[] }[];
}

test(
  'two agents that write the same lines are named by `baton explain` before either is done',
  { tags: ['long'] },
  async () => {
    await using gates = await tempDir();
    const gate = (name: string) => path.join(gates.path, name);
    const steps = [
      { key: 'a', agent: waits('shared.txt', { gate: gate('a') }) },
      { key: 'b', agent: waits('shared.txt', { gate: gate('b') }) },
      { key: 'c', agent: waits('other.txt', { gate: gate('c') }) },
    ];
    await using bench = await createBench({
      'shared.txt': 'one\n',
      'plan.yaml': planOf('overlap', steps, { max_agents: 3, batch_size: 1 }),
    });
    const run = bench.start(['run', 'plan.yaml']);
    await until(() => ['a', 'b', 'c'].every((name) => existsSync(`${gate(name)}.started`)), {
      what: 'the agents are at work',
      timeoutMs: 60_000,
    });
    const explained = async (key: string) =>
      JSON.parse((await bench.call(['explain', key, '--json'])).stdout) as Explained;
    const warned = await until(
      async () => {
        const told = await explained('a');
        return told.expectedConflicts.length > 0 ? told : undefined;
      },
      { what: '`baton explain a` warns', timeoutMs: 60_000 },
    );
    expect(warned.cause).toBe('running');
    expect(warned.expectedConflicts).toMatchObject([{ with: { key: 'b' }, files: ['shared.txt'] }]);
    expect((await explained('c')).expectedConflicts).toEqual([]);
    const shown = await bench.call(['explain', 'b']);
    expect(shown.stdout).toContain(
      'warning  its work so far conflicts with that of a in shared.txt; if it stays so, the one that lands second is done again',
    );
    const status = await bench.call(['status']);
    expect(status.stdout).toContain('! a conflicts so far with b in shared.txt.');
    const news = /⚠ warning +a +conflicts so far with b in shared\.txt/;
    await until(() => news.test(run.stderr()), { what: 'the run says it', timeoutMs: 30_000 });
    for (const name of ['a', 'b', 'c']) await writeFile(gate(name), '');
    await run.ended;
    expect((await explained('c')).expectedConflicts).toEqual([]);
  },
);
