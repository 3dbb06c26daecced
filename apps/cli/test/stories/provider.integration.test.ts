import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { fakeAgent, type FakeScript } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench, type Bench } from '../support/bench.ts';
import { planOf } from '../support/plans.ts';

/** An agent over ACP that does what the script says that stands in a file, which may change between its starts. */
async function scriptedAgent(
  bench: Bench,
): Promise<{ program: string; does(script: FakeScript): Promise<void> }> {
  const file = path.join(bench.home, 'script.json');
  const program = path.join(bench.home, 'agent');
  const { argv } = fakeAgent({}, { speaks: 'acp', scriptIn: 'env' });
  await writeFile(program, `#!/bin/sh\nBATON_FAKE_SCRIPT=$(cat ${file}) exec ${argv.join(' ')}\n`);
  await chmod(program, 0o755);
  return { program, does: (script) => writeFile(file, JSON.stringify(script)) };
}

const limited = {
  code: 429,
  message: "You've hit your 5-hour limit · resets Jan 1, 2090, 12am (UTC)",
};
const works: FakeScript = { steps: [{ write: { 'a.txt': 'a\n' } }, { say: 'written' }] };

test(
  'a limit that ends in years ends the command, names the limit, and --resume asks the provider again',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const agent = await scriptedAgent(bench);
    await agent.does({ steps: [{ fail: limited }] });
    await bench.repo.write({
      'plan.yaml': planOf('t', [{ key: 'a', agent: { acp: [agent.program] }, max_retries: 0 }]),
    });
    const held = await bench.baton(['run', 'plan.yaml']);
    expect(held.exitCode, held.stderr).toBe(3);
    expect(held.stderr).toContain("You've hit your 5-hour limit");
    expect(held.stderr).toContain('Nothing moves before 2090-01-01 00:00 UTC.');
    expect(held.stderr).toContain('Nothing is to be put right.');
    expect((await bench.call(['explain', 'a'])).stdout).toContain('5-hour limit');
    const [, line = ''] = /`baton (run --resume [^`]+)`/.exec(held.stderr) ?? [];
    const again = await bench.baton(line.split(' '));
    expect(again.exitCode, again.stderr).toBe(3);
    await agent.does(works);
    const ended = await bench.baton(line.split(' '));
    expect(ended.exitCode, ended.stderr).toBe(0);
    const { stdout } = await bench.call(['tasks', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ tasks: [{ key: 'a', tries: 0 }] });
  },
);

test('a provider that fails costs no try, however often, and is named while its task waits', async () => {
  await using bench = await createBench();
  const agent = await scriptedAgent(bench);
  await agent.does({ steps: [{ fail: { code: 503, message: 'upstream connect error' } }] });
  await bench.repo.write({
    'plan.yaml': planOf('t', [{ key: 'a', agent: { acp: [agent.program] }, max_retries: 0 }]),
  });
  const run = bench.start(['run', 'plan.yaml']);
  await expect
    .poll(() => run.stderr(), { timeout: 60_000 })
    .toMatch(/The provider of a fails \(upstream connect error\); no try is counted\. Until /);
  expect(run.stderr()).toMatch(/released +a +upstream connect error/);
  const { stdout } = await bench.call(['explain', 'a', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ cause: 'provider_parked' });
  run.child.kill('SIGINT');
  await run.ended;
  await agent.does(works);
  const ended = await bench.baton(['run', '--resume']);
  expect(ended.exitCode, ended.stderr).toBe(0);
});
