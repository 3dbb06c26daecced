import { glob, readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { until } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf } from '../support/plans.ts';

test(
  'work in a worktree whose record a crash cut is listed by rescue, survives the resumed run, and is written into a folder',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const gate = path.join(bench.home, 'go');
    const work = `cat >/dev/null; [ -e ${gate} ] || echo half > half.txt; : > ${gate}.at-work; until [ -e ${gate} ]; do sleep 0.1; done; echo done > slow.txt`;
    await bench.repo.write({
      'plan.yaml': planOf('slow', [{ key: 'slow', agent: { command: ['sh', '-c', work] } }]),
    });
    const started = bench.start(['run', 'plan.yaml']);
    await until(() => readFile(`${gate}.at-work`, 'utf8').then(() => true), {
      what: 'the agent is at work',
      timeoutMs: 120_000,
    });
    started.child.kill('SIGKILL');
    await started.ended;
    const cut: string[] = [];
    for await (const tree of glob('**/agent/w*/tree/half.txt', { cwd: bench.home }))
      cut.push(path.join(bench.home, path.dirname(tree)));
    expect(cut).toHaveLength(1);
    const [tree = ''] = cut;
    await truncate(path.join(tree, '../meta/state.json'), 0);
    expect((await bench.call(['rescue', 'slow'])).stdout).toContain(
      `What an agent, of a task that is not known, left is still in ${tree}; it is saved before that worktree is used again.`,
    );

    await writeFile(gate, '');
    const resumed = await bench.baton(['run', '--resume']);
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    const listed = (await bench.call(['rescue', 'slow'])).stdout;
    expect(listed).toContain('set-aside/unknown/0.1: the record of whose work is in it cannot be read');
    const into = path.join(bench.home, 'out');
    const args = ['rescue', '--ref', 'set-aside/unknown/0.1', '--into', into];
    expect((await bench.call(args)).stdout).toContain('of unknown into');
    expect(await readFile(path.join(into, 'half.txt'), 'utf8')).toBe('half\n');
    // Without a name, work of the task itself is written, never somebody else's.
    const other = path.join(bench.home, 'other');
    expect((await bench.call(['rescue', 'slow', '--into', other])).stdout).not.toContain('Wrote');
  },
);
