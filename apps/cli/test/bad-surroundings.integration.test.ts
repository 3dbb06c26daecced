import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';

import { createTestDatabase } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { bareMachine, fakeProgram } from './support/fake-program.ts';
import { startOldPostgres } from './support/old-postgres.ts';
import { planOf, writes } from './support/plans.ts';

/** The command migrates by itself. */
const emptyDatabase = () => createTestDatabase({ migrate: async () => undefined, templateKey: 'empty' });
const plan = planOf('t', [{ key: 'a', agent: writes('a.txt', 'a\n') }]);
const agentPlan = (agent: unknown) => planOf('t', [{ key: 'a', agent }]);

test('a Postgres that is down is named without its password', async () => {
  await using bench = await createBench({ 'plan.yaml': plan });
  const ended = await bench.call(['run', 'plan.yaml'], {
    env: { DATABASE_URL: 'postgresql://me:hush-hush@127.0.0.1:9/baton' },
  });
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error DATABASE_UNREACHABLE: 127.0.0.1:9/baton does not answer');
  expect(ended.stderr).toContain('unset DATABASE_URL');
  expect(ended.stderr).not.toContain('hush-hush');
});

test('a Postgres that refuses the password says so', async () => {
  await using bench = await createBench({ 'plan.yaml': plan });
  await using database = await emptyDatabase();
  const url = new URL(database.url);
  url.password = 'wrong-one';
  const ended = await bench.call(['run', 'plan.yaml'], { env: { DATABASE_URL: url.href } });
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error DATABASE_LOGIN');
  expect(ended.stderr).not.toContain('wrong-one');
});

test('a Postgres that is too old is named with its version', async () => {
  await using bench = await createBench({ 'plan.yaml': plan });
  await using old = await startOldPostgres();
  const ended = await bench.call(['run', 'plan.yaml'], { env: { DATABASE_URL: old.url } });
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toMatch(/error DATABASE_TOO_OLD: .* is PostgreSQL 13\.20; 14 is the oldest/);
});

test.each([
  ['of another database', 'mysql://me:hush-hush@h/db'],
  ['whose password has a bare slash', 'postgresql://me:it@hush/hush:hush-hush@127.0.0.1:9/db'],
  ['whose password has a bare #', 'postgresql://me:it@hush#hush-hush@127.0.0.1:9/db'],
  ['that ends with a space', 'postgresql://me:hush-hush@127.0.0.1:9/db '],
])('an address %s is refused without quoting it', async (_what, url) => {
  await using bench = await createBench({ 'plan.yaml': plan });
  const ended = await bench.call(['run', 'plan.yaml'], { env: { DATABASE_URL: url } });
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error CONFIG_INVALID');
  expect(ended.stderr).toContain('special characters percent-encoded');
  expect(ended.stderr).not.toContain('hush');
});

test('with DATABASE_URL a run uses that server and no embedded one', async () => {
  await using bench = await createBench({ 'plan.yaml': plan });
  await using database = await emptyDatabase();
  const env = { DATABASE_URL: database.url };
  const ended = await bench.baton(['run', 'plan.yaml', '--json'], { env });
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(await bench.hasServer()).toBe(false);
  const outside = await bench.baton(['runs', '--json'], { env, cwd: '/' });
  expect(JSON.parse(outside.stdout)).toMatchObject({ runs: [{ status: 'done' }] });
});

test('a state folder that cannot be written is named', async () => {
  await using bench = await createBench({ 'plan.yaml': plan });
  const file = path.join(bench.home, 'a-file');
  await writeFile(file, '');
  const ended = await bench.call(['run', 'plan.yaml'], { env: { BATON_HOME: file } });
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error STATE_UNWRITABLE');
  expect(ended.stderr).toContain('BATON_HOME');
});

test('a port in use is refused before anything is started', async () => {
  await using bench = await createBench();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  try {
    const ended = await bench.call(['up', '--port', String(port)]);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain(`error PORT_IN_USE: Port ${port} on 127.0.0.1 is in use`);
    expect(ended.stderr).toContain('--port');
  } finally {
    other.close();
  }
});

test('an agent whose program is missing is refused before anything is claimed', async () => {
  await using bench = await createBench({
    'plan.yaml': agentPlan({ command: ['no-such-program-here', '--fix'] }),
  });
  const ended = await bench.call(['run', 'plan.yaml']);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error AGENT_MISSING');
  expect(ended.stderr).toContain('no-such-program-here');
  expect(await bench.repo.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
});

test('a supported agent that is not installed is refused with how to install it', async () => {
  await using bench = await createBench({ 'plan.yaml': agentPlan('claude-code') });
  await using machine = await bareMachine();
  const ended = await bench.call(['run', 'plan.yaml'], { env: { PATH: machine.path } });
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error AGENT_MISSING');
  expect(ended.stderr).toContain('npm install -g @agentclientprotocol/claude-agent-acp');
  const shortName = await bench.call(['run', 'say hello', '--agent', 'claude'], {
    env: { PATH: machine.path },
  });
  expect(shortName.stderr).toContain('There is no agent "claude"; did you mean "claude-code"?');
});

test('a supported agent that is installed but not logged in is refused with how to log in', async () => {
  await using bench = await createBench({ 'plan.yaml': agentPlan('codex') });
  await using bin = await fakeProgram('codex-acp', 'exit 0');
  await using machine = await bareMachine();
  const ended = await bench.call(['run', 'plan.yaml'], { env: { PATH: `${bin.path}:${machine.path}` } });
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error AGENT_NOT_LOGGED_IN');
  expect(ended.stderr).toMatch(/Set OPENAI_API_KEY or CODEX_API_KEY, or start codex once/);
});

test('a goal on a machine without an agent is exit code 2 and says what to install', async () => {
  await using bench = await createBench();
  await using machine = await bareMachine();
  const ended = await bench.call(['run', 'write a better readme'], { env: { PATH: machine.path } });
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error AGENT_MISSING');
  expect(ended.stderr).toMatch(/claude-code|codex|gemini|opencode/);
});

test('a goal is carried out by the agent of baton.yaml, verified by the gates of the repository', async () => {
  await using bench = await createBench({
    'baton.yaml': JSON.stringify({ agents: { own: writes('done.txt', 'x\n') }, agent: 'own' }),
    'package.json': JSON.stringify({ name: 'x', scripts: { test: 'node --version' } }),
  });
  const ended = await bench.baton(['run', 'write the file that says done', '--json']);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const result = JSON.parse(ended.stdout) as { target: string; tasks: unknown[] };
  expect(result.tasks).toMatchObject([{ title: 'write the file that says done', status: 'CLOSED' }]);
  expect(await bench.repo.git('show', `${result.target}:done.txt`)).toBe('x');
});
