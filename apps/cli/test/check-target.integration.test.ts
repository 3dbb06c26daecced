import { execFileSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { createBench, type Bench } from './support/bench.ts';
import { createHub } from './support/hub.ts';
import { planOf, writes } from './support/plans.ts';

const steps = [{ key: 'a', agent: writes('a.txt', 'a\n') }];
const into = (target: string, more: object = {}) => planOf('t', steps, { target, ...more });
const requested = { landing: 'pull_request' };

interface Refused {
  error: { code: string; at: string; fix: string };
}

async function check(bench: Bench, env: Record<string, string> = {}): Promise<Refused['error'] | null> {
  const ended = await bench.call(['plan', 'check', 'plan.yaml', '--json'], { env });
  expect(ended.exitCode, ended.stderr).toBe(ended.stdout.includes('"error"') ? 2 : 0);
  return ended.exitCode === 0 ? null : (JSON.parse(ended.stdout) as Refused).error;
}

/** Types the first command that a text names in a shell. */
function type(bench: Bench, text: string, value = ''): void {
  const line = /`(git [^`]+)`/.exec(text)?.[1]?.replace('URL', value) ?? '';
  execFileSync('sh', ['-c', line], { cwd: bench.repo.path, stdio: 'pipe' });
}

test('the check of a plan names the command that makes its target possible, and then passes', async () => {
  await using bench = await createBench();
  const { git } = bench.repo;
  await bench.repo.write({ 'plan.yaml': into('release/ü-1') });
  for (const [prepare, code] of [
    [[], 'does not exist'],
    [['branch', '-m', 'release/ü-1', 'release'], 'cannot be made'],
  ] as const) {
    if (prepare.length > 0) await git(...prepare);
    const refused = await check(bench);
    expect(refused).toMatchObject({ code: 'REF_INVALID', at: 'target' });
    expect((await bench.call(['plan', 'check', 'plan.yaml'])).stderr).toContain(code);
    type(bench, refused?.fix ?? '');
    if (prepare.length > 0) type(bench, (await check(bench))?.fix ?? '');
    expect(await check(bench)).toBeNull();
  }
});

test('the check of a plan with pull requests looks for a remote, not for a local branch, and asks no host', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': into('release', requested) });
  const refused = await check(bench);
  expect(refused).toMatchObject({ code: 'NOT_FOUND', at: 'landing' });
  type(bench, refused?.fix ?? '', 'https://host.invalid/shop.git');
  expect(await check(bench)).toBeNull();
  await bench.repo.write({ 'baton.yaml': 'landing: pull_request\n', 'plan.yaml': planOf('t', steps) });
  await bench.repo.git('checkout', '--quiet', '--detach');
  expect(await check(bench)).toMatchObject({ code: 'REF_INVALID', at: 'target' });
});

test.each([['here'], ['nowhere']])(
  'a branch for pull requests that is %s, and not at the remote, is pushed by the command that a run names',
  async (where) => {
    await using bench = await createBench();
    await using hub = await createHub(bench.repo);
    await bench.repo.write({ 'plan.yaml': into('release', requested) });
    if (where === 'here') await bench.repo.git('branch', 'release');
    const dry = () => bench.call(['run', 'plan.yaml', '--dry-run'], { env: hub.env });
    const refused = await dry();
    expect(refused.stderr).toContain('error REF_INVALID: origin has no branch release.');
    type(bench, refused.stderr);
    const ended = await dry();
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(ended.stdout).toContain('pull requests into release of origin');
  },
);
