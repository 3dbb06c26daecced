import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { appArguments, compileCache } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createBench } from './support.ts';

function start(env: Record<string, string>): ChildProcess & { told: () => string } {
  const child = spawn(process.execPath, appArguments('server'), {
    env: { PATH: process.env['PATH'] ?? '', ...compileCache(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  child.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()));
  return Object.assign(child, { told: () => told });
}

test('the program says when it is ready and where, answers, and ends cleanly on SIGTERM', async () => {
  await using bench = await createBench();
  const child = start({ DATABASE_URL: bench.databaseUrl, BATON_PORT: '0', BATON_HOME: bench.folder });
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const [line] = (await once(lines, 'line')) as [string];
  const { ready, url } = JSON.parse(line) as { ready: boolean; url: string };
  expect(ready).toBe(true);
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ ok: true });
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

test('the program ends with 2 and names the way out: no database, a wrong variable, a port in use', async () => {
  await using bench = await createBench();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const port = String(typeof address === 'object' ? address?.port : 0);
  const cases: [Record<string, string>, string[]][] = [
    [{}, ['CONFIG_INVALID', 'DATABASE_URL']],
    [{ DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }, ['DATABASE_UNREACHABLE', 'fix:']],
    [{ DATABASE_URL: bench.databaseUrl, BATON_PORT: 'http' }, ['CONFIG_INVALID', 'BATON_PORT']],
    [{ DATABASE_URL: bench.databaseUrl, BATON_PORT: port }, ['PORT_IN_USE', port, 'BATON_PORT']],
  ];
  for (const [env, words] of cases) {
    const child = start({ BATON_HOME: bench.folder, ...env });
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, child.told()]).toEqual([2, expect.any(String)]);
    for (const word of words) expect(child.told()).toContain(word);
  }
  taken.close();
});

test('a server without a state folder says so and answers', async () => {
  await using bench = await createBench();
  const child = start({ DATABASE_URL: bench.databaseUrl, BATON_PORT: '0', BATON_HOME: '/proc/baton' });
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const [line] = (await once(lines, 'line')) as [string];
  expect(JSON.parse(line)).toMatchObject({ ready: true });
  expect(child.told()).toContain('/proc/baton/server cannot be written');
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});
