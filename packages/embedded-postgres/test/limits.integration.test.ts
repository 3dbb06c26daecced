import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { expect, test } from 'vitest';

import { limitToRaise } from '../src/shortage.ts';
import { tempHome } from './support.ts';

/** Runs a program of this folder in a shell with limits. */
function under(limits: string, program: string, home: string) {
  const line = `${limits}; exec "$0" --conditions=@baton/source --no-warnings "$1" "$2"`;
  const args = ['-c', line, process.execPath, path.join(import.meta.dirname, program), home];
  return spawnSync('sh', args, { encoding: 'utf8', input: '', cwd: '/' });
}

test('a limit that is too low for the server is named with the command that raises it, which works', async () => {
  await using place = await tempHome();
  const refused = under('ulimit -n 60', 'user-process.ts', place.home);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('Raise the limit of open files where Baton is started (`ulimit -n 1024`)');
  const started = under('ulimit -n 1024', 'user-process.ts', place.home);
  expect(started, started.stderr).toMatchObject({ status: 0 });
});

test('without a free descriptor nothing is decided of the server: it is there again with one', async () => {
  await using place = await tempHome();
  const asked = under('ulimit -n 200', 'out-of-files-main.ts', place.home);
  expect(asked.stderr).toBe('');
  expect(JSON.parse(asked.stdout)).toEqual([
    'EMBEDDED_FAILED: The packaged Postgres cannot be looked at: open files, processes or memory ran out (EMFILE).',
    'running',
    1,
  ]);
});

test.each([
  ['could not write to file "pg_wal/xlogtemp.1": File too large', 'ulimit -f unlimited'],
  ['could not fork new process for connection: Resource temporarily unavailable', 'ulimit -u'],
  ['could not map anonymous shared memory: Cannot allocate memory', 'ulimit -v unlimited'],
])('what a server says of a limit names the command that raises it (%s)', (said, command) => {
  expect(limitToRaise(said)).toContain(`\`${command}\``);
  expect(limitToRaise('FATAL: no such setting')).toBeNull();
});
