import { writeFile } from 'node:fs/promises';

import { fakeAgent, tempDir, type FakeScript } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { bareMachine, fakeProgram } from './support/fake-program.ts';
import { installNodeModules, nodeRepo } from './support/node-repo.ts';

test('doctor says what is there, and exits 1 with the way out when something has to be put right', async () => {
  await using bench = await createBench(nodeRepo);
  await installNodeModules(bench.repo.path);
  const well = await bench.call(['doctor', '--json']);
  expect(well.exitCode, well.stdout).toBe(0);
  const { checks } = JSON.parse(well.stdout) as { checks: { name: string; status: string }[] };
  expect(checks).toContainEqual(expect.objectContaining({ name: 'git', status: 'ok' }));
  expect(checks).toContainEqual(expect.objectContaining({ name: 'postgres', status: 'ok' }));
  expect(checks).toContainEqual({
    name: 'set-up',
    status: 'warn',
    text: 'a worktree lacks node_modules',
    fix: 'Write `workspace: { symlink: [node_modules] }` in baton.yaml.',
  });
  await bench.repo.write({ 'baton.yaml': 'workspace: { symlink: [node_modules] }\n' });
  const ill = await bench.call(['doctor'], { env: { DATABASE_URL: 'postgresql://127.0.0.1:9/x' } });
  expect(ill.exitCode).toBe(1);
  expect(ill.stdout).toMatch(
    /^warn rights +Baton has no sandbox yet: agents run with your rights, and what /m,
  );
  expect(ill.stdout).not.toMatch(/bubblewrap|bwrap/);
  expect(ill.stdout).toMatch(/^ok +set-up +worktrees get node_modules from your checkout$/m);
  expect(ill.stdout).toMatch(/^fail postgres +DATABASE_UNREACHABLE: .*\n +fix: /m);
});

/** A line of a shell script that is an agent which speaks the protocol. */
function speaks(script: FakeScript): string {
  const { argv } = fakeAgent(script, { speaks: 'acp' });
  return `exec ${argv.map((word) => `'${word}'`).join(' ')}`;
}

test('doctor sees the agents that people have, and with --probe asks each for one word', async () => {
  await using bench = await createBench();
  await using machine = await bareMachine();
  const usage = { inputTokens: 90, outputTokens: 10, costUsd: 0.01 };
  await using well = await fakeProgram('claude-agent-acp', speaks({ steps: [{ say: 'ready' }, { usage }] }));
  const wrongKey = { code: -32000, message: 'Authentication required' };
  await using ill = await fakeProgram('opencode', speaks({ acp: { failOn: { 'session/new': wrongKey } } }));
  await using bare = await fakeProgram('codex', '[ "$1" = --version ] && echo codex-cli 0.169.0');
  const PATH = [well, ill, bare, machine].map((one) => one.path).join(':');
  const asked = await bench.call(['doctor', '--probe'], { env: { PATH, CLAUDE_CODE_OAUTH_TOKEN: 'k' } });
  expect(asked.exitCode).toBe(1);
  expect(asked.stderr).toMatch(
    /^Asking claude-code, opencode for one word, for 60 seconds at most\. .* costs /m,
  );
  expect(asked.stdout).toMatch(/^ok +agent +claude-code \(claude-agent-acp\)$/m);
  expect(asked.stdout).toMatch(
    /^warn agent +codex \(codex 0\.169\.0\): Baton cannot start it yet\n +fix: codex-acp connects it to Baton: `npm install -g @agentclientprotocol\/codex-acp`\.$/m,
  );
  expect(asked.stdout).toMatch(/^ok +agent +opencode .*: may be logged in, `baton doctor --probe` asks it$/m);
  expect(asked.stdout).toMatch(/^ok +probe +claude-code answered in [\d.]+ s \(100 tokens, \$0\.01\d*\)$/m);
  expect(asked.stdout).toMatch(
    /^fail probe +opencode: not logged in, .*\n +fix: Start opencode once by hand/m,
  );
});

test('a key is shown once, listed by its beginning only, and can be revoked', async () => {
  await using bench = await createBench();
  const created = await bench.call(['keys', 'create', 'ci', '--scope', 'viewer', 'trigger', '--json']);
  const { id, key } = JSON.parse(created.stdout) as { id: string; key: string };
  const listed = await bench.call(['keys', 'list', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject({
    keys: [{ id, name: 'ci', scopes: ['viewer', 'trigger'], revokedAt: null }],
  });
  expect(listed.stdout).not.toContain(key);
  const unknown = await bench.call(['keys', 'revoke', 'c']);
  expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
  expect(unknown.stderr).toContain('There is no key "c".');
  expect((await bench.call(['keys', 'list'])).stdout).not.toContain('revoked');
  expect((await bench.call(['keys', 'revoke', 'ci'])).stdout).toContain(`Revoked ci (${id}).`);
  const again = await bench.call(['keys', 'revoke', 'ci']);
  expect(again.exitCode).toBe(0);
  expect(again.stdout).toMatch(new RegExp(`^ci \\(${id}\\) was revoked already, .*\\.\n$`));
  expect(JSON.parse((await bench.call(['keys', 'revoke', id, '--json'])).stdout)).toEqual({
    ...{ id, name: 'ci', revoked: true, already: true },
  });
  for (const _ of [1, 2]) await bench.call(['keys', 'create', 'twin']);
  const several = await bench.call(['keys', 'revoke', 'twin']);
  expect(several.exitCode).toBe(2);
  expect(several.stderr).toContain('2 keys can be meant by "twin".');
  expect((await bench.call(['keys', 'list'])).stdout).toContain('revoked');
  expect((await bench.call(['keys', 'create', 'x', '--scope', 'everything'])).exitCode).toBe(2);
});

test('triggers test says which rule fires on an event, which rests and why', async () => {
  const rules = {
    rules: [
      {
        name: 'deploy-failed',
        source: 'webhook',
        filters: { kind: ['deploy.failed'] },
        task: { title: 'Mend {{event.data.service}}', goal: 'Make it deploy.' },
      },
      { name: 'other', source: 'webhook', filters: { kind: ['other'] }, task: { title: 'x', goal: 'y' } },
    ],
  };
  await using bench = await createBench({
    'triggers.yaml': JSON.stringify(rules),
    'body.json': JSON.stringify({ service: 'shop' }),
  });
  const ended = await bench.call(['triggers', 'test', 'body.json', '--kind', 'deploy.failed', '--json']);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    rules: [
      { rule: 'deploy-failed', fires: true },
      { rule: 'other', fires: false },
    ],
  });
  expect((await bench.call(['triggers', 'test', 'nothing.json'])).stderr).toContain('error FILE_MISSING');
});

test('triggers test reads kind, sender and cause of a bare body as the server does, and refuses what it refuses', async () => {
  const rule = {
    name: 'mend',
    source: 'webhook',
    filters: { kind: 'deploy.failed', senders: 'ci' },
    conditions: { max_depth: 1 },
    task: { title: 'x' },
  };
  const body = { type: 'deploy.failed', sender: 'ci' };
  await using bench = await createBench({
    'triggers.yaml': JSON.stringify({ rules: [rule] }),
    'body.json': JSON.stringify(body),
    'deep.json': JSON.stringify({ ...body, baton: { run_id: 'r1', depth: 2 } }),
    'odd.json': JSON.stringify({ ...body, baton: { run_id: 'r1', depth: '2' } }),
  });
  const fires = async (...args: string[]) => {
    const { stdout } = await bench.call(['triggers', 'test', ...args, '--json']);
    return (JSON.parse(stdout) as { rules: { fires: boolean; why: string[] }[] }).rules[0];
  };
  expect(await fires('body.json')).toMatchObject({ fires: true });
  expect(await fires('body.json', '--sender', 'other')).toMatchObject({ fires: false });
  expect(await fires('deep.json')).toMatchObject({ fires: false, why: [expect.stringContaining('a loop')] });
  const odd = await bench.call(['triggers', 'test', 'odd.json']);
  expect(odd).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('baton.depth') as string });
});

test('plugins list loads what baton.yaml names and refuses what does not exist', async () => {
  await using bench = await createBench({ 'baton.yaml': 'plugins: []\n' });
  const listed = await bench.call(['plugins', 'list', '--json']);
  const { plugins } = JSON.parse(listed.stdout) as { plugins: { name: string; used: boolean }[] };
  expect(plugins.length).toBeGreaterThan(0);
  expect(plugins.every((plugin) => !plugin.used)).toBe(true);
  await bench.repo.write({ 'baton.yaml': 'plugins: [{ name: no-such-plugin }]\n' });
  const refused = await bench.call(['plugins', 'list']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('error PLUGIN_INVALID: The plugin "no-such-plugin" cannot be used');
});

test('reading commands start no server where nothing ever ran', async () => {
  await using bench = await createBench();
  expect(JSON.parse((await bench.call(['runs', '--json'])).stdout)).toEqual({ runs: [] });
  const status = await bench.call(['status']);
  expect(status.exitCode).toBe(2);
  expect(status.stderr).toContain('error NOT_FOUND: Nothing has run in this repository yet.');
  expect(await bench.hasServer()).toBe(false);
});

test('doctor and init name a Python of PATH that imports the checkout, and gates get an environment of their own', async () => {
  await using bench = await createBench({
    'setup.py': 'from setuptools import setup\nsetup(name="tiny", package_dir={"": "src"})\n',
    'src/tiny.py': '',
    'tests/test_a.py': 'import tiny\ndef test_a():\n    pass\n',
  });
  await using packages = await tempDir();
  await using bin = await fakeProgram('python3', `printf '%s\\0%s\\n' /usr ${packages.path}`);
  const env = { PATH: `${bin.path}:${process.env['PATH'] ?? ''}` };
  await writeFile(`${packages.path}/tiny.egg-link`, `${bench.repo.path}/src\n../`);
  const made = await bench.call(['init', '--no-prove', '--json'], { env });
  expect(JSON.parse(made.stdout)).toMatchObject({
    workspace: {
      setup: ['sh', '-c', 'python3 -m venv .venv && .venv/bin/python -m pip install -e . pytest'],
    },
    warnings: [expect.stringContaining(`(${packages.path}/tiny.egg-link)`)],
  });
  await bench.repo.write({ 'baton.yaml': 'gates: [{ name: all, command: [sh, -c, "pytest -q"] }]\n' });
  const ill = await bench.call(['doctor', '--json'], { env });
  expect(ill.exitCode).toBe(1);
  const { checks } = JSON.parse(ill.stdout) as { checks: { name: string; status: string }[] };
  expect(checks).toContainEqual({
    name: 'set-up',
    status: 'fail',
    text: `python3 of PATH imports the source of this checkout (${packages.path}/tiny.egg-link), so these gates judge the checkout and not the work: all`,
    fix: expect.stringMatching(
      /^Write `workspace: \{ setup: .*start these gates with \.venv\/bin\/python/,
    ) as unknown,
  });
});

test('plugins list warns of what a plugin started while it was loaded and did not wait for', async () => {
  await using bench = await createBench({
    'baton.yaml': 'plugins: [{ name: ./early.mjs }]\n',
    'early.mjs': `void Promise.reject(new Error('nobody waits'));
      export const plugin = { name: 'early', version: '1.0.0', setup() {} };`,
  });
  const { exitCode, stdout, stderr } = await bench.call(['plugins', 'list']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('early');
  expect(stderr).toContain(
    'the plugin "early" did not wait for something that failed while it was loaded: nobody waits',
  );
});
