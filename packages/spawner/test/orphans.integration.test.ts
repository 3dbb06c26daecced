import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { listProcessesWithMarker, tempDir, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { env } from './support/real.ts';

const finishing = fileURLToPath(new URL('./fixtures/finishing.ts', import.meta.url));
const firstChild = fileURLToPath(new URL('./fixtures/first-child.ts', import.meta.url));
const supervisor = fileURLToPath(new URL('./fixtures/supervisor.ts', import.meta.url));

test('kill -9 of the supervisor leaves no child: not in the group, not in a session of its own', async () => {
  await using folder = await tempDir();
  const marker = `orphan-${process.pid}`;
  const child = spawn(process.execPath, ['--conditions=@baton/source', supervisor, marker, folder.path], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await until(() => listProcessesWithMarker(marker).length === 4, {
      what: 'an agent, two programs and a grandchild run',
      timeoutMs: 20_000,
    });
  } finally {
    child.kill('SIGKILL');
  }
  await until(() => listProcessesWithMarker(marker).length === 0, {
    what: 'every child is gone',
    timeoutMs: 20_000,
  });
  expect(listProcessesWithMarker(marker)).toEqual([]);
});

test('not even the first child outlives a supervisor that is killed while it starts it', async () => {
  await using folder = await tempDir();
  const siblings = path.join(folder.path, 'siblings');
  const marker = `first-child-${process.pid}`;
  const others = () => listProcessesWithMarker(`BATON_RUN_MARKER=${marker}`).length;
  const child = spawn(process.execPath, ['--conditions=@baton/source', firstChild, marker, siblings], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  // Another Baton on this machine may end it as well: that its guard was there first shows in its parent's children.
  if (process.platform === 'linux') expect(readFileSync(siblings, 'utf8').trim().split('\n')).toHaveLength(2);
  await until(() => others() === 0, { what: 'the child is gone', timeoutMs: 20_000 });
});

test('a program that must not stop half-way comes to its own end after a kill -9 of the supervisor', async () => {
  await using folder = await tempDir();
  const marker = `finishing-${process.pid}`;
  const [begun = '', go = '', done = ''] = ['begun', 'go', 'done'].map((name) =>
    path.join(folder.path, name),
  );
  const child = spawn(process.execPath, ['--conditions=@baton/source', finishing, marker, begun, go, done], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const others = () => listProcessesWithMarker(`BATON_RUN_MARKER=${marker}`).length;
  try {
    await until(() => existsSync(begun) && others() === 1, { what: 'both programs run', timeoutMs: 20_000 });
  } finally {
    child.kill('SIGKILL');
  }
  await until(() => others() === 0, { what: 'the other program is gone', timeoutMs: 20_000 });
  expect(existsSync(done)).toBe(false);
  writeFileSync(go, '');
  await until(() => existsSync(done), { what: 'it has come to its end', timeoutMs: 20_000 });
});
