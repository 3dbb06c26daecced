import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { readServerEnv } from '@baton/server';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';

import { readSecretFile, readSettings, settingsVariables } from '../src/up/settings.ts';
import { createBench } from './support/bench.ts';

const config = {
  target: 'main',
  gates: [{ name: 'tests', command: ['npm', 'test'], timeout: '90s' }],
  agents: { mend: { command: ['mend'] } },
  agent: 'mend',
  workspace: { setup: ['npm', 'ci'], setup_timeout: '2m' },
  plugins: [{ name: 'file-log' }],
};
const rule = (more: object) => stringify({ rules: [{ name: 'a', task: { title: 'A' }, ...more }] });
const DATABASE_URL = 'postgresql://localhost/x';

test('the server reads of a repository exactly what its files say', async () => {
  await using bench = await createBench({
    'baton.yaml': stringify(config),
    'triggers.yaml': rule({ source: 'webhook' }),
  });
  const settings = await readSettings(bench.repo.path);
  const env = readServerEnv({ DATABASE_URL, HOME: '/h', ...settingsVariables(settings, {}) });
  expect(env).toMatchObject({
    repo: bench.repo.path,
    target: 'main',
    triggersFile: path.join(bench.repo.path, 'triggers.yaml'),
    plugins: [{ name: 'file-log' }],
    runDefaults: {
      gates: [{ name: 'tests', timeout: 90_000 }],
      agents: config.agents,
      defaultAgent: 'mend',
      workspace: { setup: ['npm', 'ci'], setup_timeout: 120_000 },
    },
  });
  const own = settingsVariables(settings, { BATON_TARGET: 'next', BATON_PLUGINS: '[]' });
  expect(own).toMatchObject({ BATON_TARGET: 'next', BATON_PLUGINS: '[]', BATON_REPO: bench.repo.path });
  const other = settingsVariables(settings, { BATON_REPO: '/elsewhere' });
  expect(other).toMatchObject({ BATON_REPO: '/elsewhere' });
  expect(Object.keys(other)).not.toContain('BATON_RUN_DEFAULTS');
  expect(Object.keys(other)).not.toContain('BATON_TARGET');
});

test('a branch that only people merge into is none that the server lands on', async () => {
  await using bench = await createBench({ 'baton.yaml': stringify({ ...config, landing: 'pull_request' }) });
  const settings = await readSettings(bench.repo.path);
  const env = readServerEnv({ DATABASE_URL, HOME: '/h', ...settingsVariables(settings, {}) });
  expect(env.target).toBeNull();
});

test('a repository without files of its own configures nothing', async () => {
  await using bench = await createBench();
  const variables = settingsVariables(await readSettings(bench.repo.path), {});
  expect(readServerEnv({ DATABASE_URL, HOME: '/h', ...variables })).toMatchObject({
    target: null,
    triggersFile: null,
    plugins: [],
    runDefaults: { gates: [], agents: {}, defaultAgent: null, workspace: null, routing: null },
  });
});

test('up says beforehand what it would use, and refuses wrong rules and secrets before anything starts', async () => {
  await using bench = await createBench({
    'baton.yaml': 'plugins: [{ name: file-log }]\n',
    'triggers.yaml': rule({ source: 'webhook' }),
  });
  const dry = await bench.call(['up', '--dry-run', '--json']);
  expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, triggers: ['a'], plugins: ['file-log'] });
  // A Postgres of one's own does not hide the repository.
  const env = { DATABASE_URL: 'postgresql://127.0.0.1:9/x' };
  expect((await bench.call(['up', '--dry-run'], { env })).stdout).toContain(
    'with 1 trigger rule and the plugins file-log',
  );
  expect((await bench.call(['up', '--dry-run'], { env, cwd: bench.home })).stdout).toContain(
    '0 trigger rules',
  );

  const missing = await bench.call(['up', '--webhook-secret-file', 'none.txt']);
  expect([missing.exitCode, missing.stderr]).toEqual([
    2,
    expect.stringContaining('error FILE_MISSING: none.txt'),
  ]);
  await bench.repo.write({ 'triggers.yaml': rule({ source: 'webhok' }) });
  const wrong = await bench.call(['up', '--dry-run']);
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('triggers.yaml:')]);
  expect(await bench.hasServer()).toBe(false);
});

test.each([
  ['whsec_abc\n', 'whsec_abc'],
  ['\n  whsec_abc\r\nwhsec_def=', 'whsec_abc,whsec_def='],
])('a file of %j holds the secrets %s', async (text, secrets) => {
  await using bench = await createBench();
  await writeFile(path.join(bench.home, 'secret'), text);
  expect(await readSecretFile('secret', { cwd: bench.home })).toBe(secrets);
});

test.each(['', 'abc', 'whsec_a,whsec_b', 'whsec_a\nwhsec_b\nwhsec_c'])(
  'a file of %j is refused without showing it',
  async (text) => {
    await using bench = await createBench();
    await writeFile(path.join(bench.home, 'secret'), text);
    await expect(readSecretFile('secret', { cwd: bench.home })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'secret does not hold one or two webhook secrets.',
    });
  },
);
