import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Exec } from '@baton/contracts';
import { inParts, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createVerifyPool } from '../src/index.ts';
import { exec } from './support/real.ts';
import { sh, ways } from './support/verifying.ts';
import { workspaces } from './support/workspaces.ts';

const withFewFiles = (fixture: string, ...more: string[]): unknown => {
  const file = fileURLToPath(new URL(`./fixtures/${fixture}-main.ts`, import.meta.url));
  const line = 'ulimit -n 100; exec "$0" --conditions=@baton/source "$@"';
  const { stdout } = spawnSync('sh', ['-c', line, process.execPath, file, ...more], { encoding: 'utf8' });
  return JSON.parse(stdout);
};

test('a process that cannot be looked at for want of open files is not taken for dead', () => {
  expect(withFewFiles('unseen-processes')).toEqual([
    [true, true, false],
    [true, false, false],
  ]);
});

test('a program that cannot be started for want of open files is an outcome, and the next one starts', () => {
  expect(withFewFiles('no-descriptors')).toMatchObject([
    { exitCode: null, spawnError: 'EMFILE' },
    { exitCode: 0 },
  ]);
});

for (const [cases, tagged] of inParts(1, ['3', '2', '1']))
  test.each(cases)(
    'an agent whose streams cannot all be opened (%s free descriptors) does not begin, and the error says what ran out',
    tagged,
    async (free) => {
      await using folder = await tempDir();
      const made = path.join(folder.path, 'made');
      expect(withFewFiles('few-descriptors', free, made)).toEqual({ error: 'EMFILE' });
      expect(existsSync(made)).toBe(false);
    },
  );

test.each(ways.flatMap((way) => ['EAGAIN', 'EMFILE', 'ENOMEM'].map((error) => [way, error] as const)))(
  'a gate for whose process there is no room (%s, %s) is no red gate: nothing is decided',
  async (isolation, error) => {
    await using w = await workspaces({ 'a.txt': 'a\n' }, null);
    const crowded: Exec = async (argv, options) =>
      argv.includes('gate')
        ? { ...(await exec(['true'], options)), exitCode: null, spawnError: error }
        : exec(argv, options);
    const dir = path.join(w.state.path, 'worktrees', 'r1', 'verify-1');
    const pool = createVerifyPool({ ...w.poolOptions, exec: crowded, dir, isolation });
    const judge = (line: string) =>
      pool.use({ head: w.head, onto: w.head }, async (place) => (await sh(place, line)).exitCode);
    await expect(judge('gate')).rejects.toMatchObject({
      code: 'WORKSPACE_FAILED',
      retryable: true,
      message: expect.stringContaining(error),
    });
    expect(await judge('cat a.txt')).toBe(0);
    expect(await judge('exit 3')).toBe(3);
  },
);
