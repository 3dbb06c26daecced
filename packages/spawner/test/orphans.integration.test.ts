import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { listProcessesWithMarker, tempDir, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { env } from './support/real.ts';

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
