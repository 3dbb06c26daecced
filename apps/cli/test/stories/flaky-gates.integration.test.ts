import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf } from '../support/plans.ts';

/** A gate that is red the first time that it is asked about the text of `n.txt`; of `bad` each time. Its argument is a folder of its own. */
const gate = `test -e n.txt || exit 0
read -r key <n.txt
test "$key" != bad || exit 3
test -e "$1/$key" || { touch "$1/$key"; exit 7; }
`;
const step = (key: string, ...after: string[]) => ({
  ...{ key, max_retries: 0, depends_on: after },
  agent: { command: ['sh', '-c', `echo ${key} >n.txt`] },
});

test(
  'a gate that is red by chance refuses no work, and `baton gates` says how often it was and what to do',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({ 'gate.sh': gate });
    expect((await bench.call(['gates'])).stdout).toContain('No gate has judged anything here yet.');
    const gates = [{ name: 'tests', command: ['sh', 'gate.sh', bench.home] }];
    const steps = [step('a'), step('b', 'a')];
    await bench.repo.write({ 'chancy.yaml': planOf('chancy', steps, { gates }) });
    await bench.repo.write({ 'bad.yaml': planOf('bad', [step('bad')], { gates, flaky_above: 5 }) });
    const run = await bench.baton(['run', 'chancy.yaml', '--json']);
    expect(run.exitCode, run.stderr).toBe(0);
    const task = await bench.call(['task', 'a']);
    expect(task.stdout).toContain('it was red once before on the same tree');

    const shown = await bench.call(['gates']);
    expect(shown.stdout).toMatch(/tests +2 +0 +2 \(flaky\) /);
    expect(shown.stdout).toContain('A red of it is confirmed by 4 more runs.');
    expect(shown.stdout).toContain('set `required: false` until it is steady');

    // Said of the run as a whole, whatever its tasks are at.
    const told =
      'The gate tests is flaky: it refused 2 of the last 2 trees and then passed them, with nothing changed.';
    const status = await bench.call(['status']);
    expect(status.stdout).toContain(told);
    expect(JSON.parse((await bench.call(['status', '--json'])).stdout)).toMatchObject({
      flakyGates: [{ name: 'tests', judged: 2, flaked: 2 }],
    });

    const bad = await bench.baton(['run', 'bad.yaml', '--json']);
    expect(bad.exitCode, bad.stderr).toBe(1);
    expect(JSON.parse((await bench.call(['gates', '--json'])).stdout)).toMatchObject({
      flakyAbove: 5,
      gates: [{ name: 'tests', judged: 3, refused: 1, flaked: 2, flaky: false, confirmations: 1 }],
    });
    // This run puts up with five.
    expect((await bench.call(['status'])).stdout).not.toContain('flaky');
    expect((await bench.call(['explain', 'bad', '--json'])).stdout).toContain('red 2 times on the same tree');
  },
);
