import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf, type Step } from '../support/plans.ts';

/** An agent that does this, as `sh`. */
const does = (script: string) => ({ command: ['sh', '-c', `cat >/dev/null; ${script}`] });

const statusesOf = (stdout: string) => {
  const { tasks } = JSON.parse(stdout) as { tasks: { key: string; status: string }[] };
  return Object.fromEntries(tasks.map(({ key, status }) => [key, status]));
};

test(
  'tasks that are done together land together, and `baton task` says with what one was judged',
  { tags: ['long'] },
  async () => {
    const keys = ['a', 'b', 'c', 'd'];
    await using bench = await createBench({ 'readme.txt': 'x\n' });
    await using place = await tempDir();
    const meets = (key: string) =>
      does(`: > '${place.path}/${key}'
while [ "$(ls '${place.path}' | wc -l)" -lt 4 ]; do sleep 0.05; done
echo x > ${key}.txt`);
    const steps: Step[] = keys.map((key) => ({ key, max_retries: 0, agent: meets(key) }));
    const gates = [{ name: 'slow', command: ['sleep', '1'] }];
    await bench.repo.write({ 'plan.yaml': planOf('together', steps, { gates, max_agents: 4 }) });
    const ended = await bench.baton(['run', 'plan.yaml', '--json']);
    expect(statusesOf(ended.stdout)).toEqual({ a: 'CLOSED', b: 'CLOSED', c: 'CLOSED', d: 'CLOSED' });
    const told = await Promise.all(keys.map(async (key) => (await bench.baton(['task', key])).stdout));
    expect(
      told.filter((text) => /train \(builtin, advisory\) judged as one with [a-d]/.test(text)).length,
    ).toBeGreaterThan(1);
  },
);
