import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf, type Step } from '../support/plans.ts';

/** An agent that does this, as `sh`. */
const does = (script: string) => ({ command: ['sh', '-c', `cat >/dev/null; ${script}`] });

const statusesOf = (stdout: string) => {
  const { tasks } = JSON.parse(stdout) as { tasks: { key: string; status: string }[] };
  return Object.fromEntries(tasks.map(({ key, status }) => [key, status]));
};

test('work whose tests pass without it is refused under `red_green`, with their names', async () => {
  await using bench = await createBench({
    'sum.sh': 'echo 3\n',
    'test/sum.test.sh': '[ "$(sh sum.sh)" = 3 ]\n',
  });
  const writes = (name: string, of: string) =>
    does(`echo 'echo 6' > ${name}.sh; echo '[ "$(sh ${of})" ]' > test/${name}.test.sh`);
  const steps: Step[] = [
    { key: 'honest', max_retries: 0, agent: writes('honest', 'honest.sh') },
    { key: 'idle', max_retries: 0, agent: writes('idle', 'sum.sh') },
  ];
  const command = ['sh', '-c', 'for f in test/*.test.sh; do sh "$f" || exit 1; done'];
  const gates = [{ name: 'tests', command, red_green: true }];
  await bench.repo.write({ 'plan.yaml': planOf('red-green', steps, { gates }) });
  const ended = await bench.baton(['run', 'plan.yaml', '--json']);
  expect(statusesOf(ended.stdout)).toEqual({ honest: 'CLOSED', idle: 'FAILED' });
  const honest = await bench.baton(['task', 'honest']);
  expect(honest.stdout).toContain('its tests are red without its work (tests)');
  const { stdout } = await bench.baton(['task', 'idle']);
  expect(stdout).toMatch(
    /✘ red-green \(builtin\) the tests that it adds or changes \(test\/idle\.test\.sh\) pass without/,
  );
});
