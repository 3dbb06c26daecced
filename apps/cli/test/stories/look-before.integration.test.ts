import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createTestDatabase, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { fakeProgram } from '../support/fake-program.ts';
import { planOf } from '../support/plans.ts';
import { startAtTerminal } from '../support/terminal.ts';

/** Does its work, and skips the test that would have judged it. */
const skips = (name: string) => ({
  command: [
    'node',
    '-e',
    `const fs = require('node:fs');
fs.writeFileSync('${name}.js', 'exports.sum = () => 0;\\n');
fs.writeFileSync('test/${name}.test.js', fs.readFileSync('test/${name}.test.js', 'utf8').replace('test(', 'test.skip('));`,
  ],
});
const adds = "test('adds', () => { expect(sum(1, 1)).toBe(2); });\n";
const sign = 'tests skipped: 1 more in test/sum.test.js:1';

/** Is logged in, notes what it is asked with the text of the body, and opens one pull request. */
const fakeGh = `cd "$(dirname "$0")"
[ "$1" = auth ] && exit 0
[ -e asked ] && { echo 'a pull request for this branch already exists: https://hub.test/1' >&2; exit 1; }
for word; do echo "$word"; [ -f "$word" ] && cat "$word"; done > asked
echo https://hub.test/1`;

test('work that skips a test which its step does not own waits for a person, who looks at it and decides task by task', async () => {
  await using bench = await createBench({
    'test/sum.test.js': adds,
    'test/own.test.js': adds,
    'plan.yaml': planOf('held', [
      { key: 'sum', title: 'Sum numbers', agent: skips('sum') },
      { key: 'own', agent: skips('own'), files: ['test/own.test.js', 'own.js'] },
    ]),
  });
  await using database = await createTestDatabase({ migrate: () => Promise.resolve(), templateKey: 'empty' });
  const env = { DATABASE_URL: database.url };
  const call = (...args: string[]) => bench.call(args, { env });
  const held = await call('run', 'plan.yaml', '--json');
  expect(held.exitCode, held.stderr).toBe(3);
  expect(held.stderr).toMatch(/\? approval +sum +waits for a person \(tests skipped.*: `baton approve`/);
  expect(held.stderr).toMatch(/! weakened +own +tests skipped: .*; see `baton diff held-\w{4}\/own`/);
  const { tasks } = JSON.parse(held.stdout) as { tasks: { key: string; status: string }[] };
  expect(tasks).toMatchObject([
    { key: 'sum', status: 'PENDING_APPROVAL' },
    { key: 'own', status: 'CLOSED' },
  ]);
  expect((await call('explain', 'sum')).stdout).toContain(sign);

  const look = await call('diff', 'sum');
  expect(look.stdout).toMatch(
    /^sum {2}\? waits for approval {2}Sum numbers\nattempt 1 of 1 by command\nreason/,
  );
  expect(look.stdout).toContain(sign);
  expect(look.stdout).toContain("+test.skip('adds'");
  const names = await call('diff', 'sum', '--name-only');
  expect(names.stdout).toBe('sum.js\ntest/sum.test.js\n');
  const data = JSON.parse((await call('diff', 'sum', '--stat', '--json')).stdout) as object;
  expect(data).toMatchObject({
    weakened: [sign],
    change: { kind: 'candidate', ref: 'refs/baton/candidate/sum' },
    files: [{ path: 'sum.js', added: 1, removed: 0 }, { path: 'test/sum.test.js' }],
  });
  expect(data).not.toHaveProperty('diff');
  expect(await bench.repo.git('show', '--format=%s', '--name-only', 'refs/baton/candidate/sum')).toContain(
    'sum.js',
  );
  const landed = await call('diff', 'own');
  expect(landed.stdout).toMatch(/✔ landed[^]*weakened {2}.*tests skipped: 1 more in test\/own\.test\.js/);
  expect((await call('diff')).stdout).toContain('Waits for approval: sum.');
  const none = await call('diff', 'sum', '--attempt', '7');
  expect(none.stderr).toContain('sum has no attempt 7.');

  const listed = await call('approve');
  expect(listed.stdout).toMatch(
    /^sum {2}\? waits for approval[^]*reason {2}[^]* test\/sum\.test\.js +\| 2 \+-/,
  );
  expect(listed.stdout).toContain(sign);
  expect((await call('approve', '--all', '--dry-run')).stdout).toBe('Would approve sum.\n');

  const left = startAtTerminal(bench, ['approve'], env);
  await left.sees(/reason {2}[^]* test\/sum\.test\.js +\| 2 \+-[^]*Land it\? sum: /);
  left.type('d');
  await left.sees(/\+test\.skip\('adds'[^]*Land it\? sum: /);
  left.type('maybe');
  await left.sees(/y lands it, n refuses it[^]*Land it\? sum: /);
  left.type('n');
  await left.sees('What should the next try do otherwise?');
  left.type(null);
  expect((await left.ended).exitCode).toBe(130);

  const approving = startAtTerminal(bench, ['approve', 'sum'], env);
  await approving.sees('Land it? sum: ');
  approving.type('y');
  await approving.sees('Approved sum.');
  const { stdout } = await approving.ended;
  const [, resume = ''] =
    /^1 approved, 0 rejected\.\nCarry the run on with `baton ([^`]+)`\./.exec(stdout) ?? [];
  const landedNow = await call(...resume.split(' '));
  expect(landedNow.exitCode, landedNow.stderr).toBe(0);
  const told = /! 2 tasks weakened tests or gates: sum, own\. See `baton diff held-\w{4}\/sum`\./;
  expect(landedNow.stdout).toMatch(told);
  expect((await call('status')).stdout).toMatch(told);

  await using hub = await tempDir();
  await bench.repo.git('init', '--quiet', '--bare', hub.path);
  await bench.repo.git('remote', 'add', 'origin', hub.path);
  const typed = await call('merge', '--pr');
  expect(typed.exitCode).toBe(1);
  const [, push = '', create = ''] =
    /^gh is not \w.*:\n {2}(.*)\n {2}(gh pr create .*)\n/.exec(typed.stdout) ?? [];
  expect(await bench.repo.git('ls-remote', 'origin')).toBe('');
  await using gh = await fakeProgram('gh', fakeGh);
  const path = { PATH: `${gh.path}:${process.env['PATH'] ?? ''}` };
  const dry = await bench.call(['merge', '--pr', '--dry-run'], { env: { ...env, ...path } });
  expect(dry.stdout).toContain(`\n  ${push}\n  ${create}\n`);
  const opened = await bench.call(['merge', '--pr'], { env: { ...env, ...path } });
  expect(opened.stdout).toMatch(
    /^Opened a pull request of baton\/held-\w{4} into main: https:\/\/hub\.test\/1\.\n/,
  );
  expect(opened.stdout).toMatch(told);
  expect(await bench.repo.git('ls-remote', 'origin')).toMatch(
    /^[0-9a-f]{40}\trefs\/heads\/baton\/held-\w{4}$/,
  );
  const asked = await readFile(join(gh.path, 'asked'), 'utf8');
  expect(asked).toMatch(/--base\nmain\n--head\nbaton\/held-\w{4}\n--title\nheld\n--body-file\n/);
  expect(asked).toMatch(/\| `sum` \| `Sum numbers` \| [0-9a-f]{12} \| `command` \| 1 \|/);
  expect(asked).toContain(`- \`sum\`: \`${sign}\``);
  const again = await bench.call(['merge', '--pr'], { env: { ...env, ...path } });
  expect(again.stdout).toMatch(/^There is a pull request of .* https:\/\/hub\.test\/1\.\n/);

  expect((await call('merge')).stdout).toMatch(told);
  await bench.repo.git('branch', '-D', push.split('/').slice(-2).join('/'));
  expect((await call('merge')).stdout).toMatch(/^main already holds everything of baton\/held-\w{4}\.\n/);
  expect((await call('approve')).stdout).toBe('Nothing waits for a person.\n');
});
