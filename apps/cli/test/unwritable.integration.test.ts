import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';

import { inParts, createTestDatabase } from '@baton/testkit';
import { afterAll, expect, test } from 'vitest';

import { createBench, type Bench } from './support/bench.ts';
import { planOf, writes } from './support/plans.ts';

const plan = planOf('t', [{ key: 'a', agent: writes('a.txt', 'a\n') }]);
const isRoot = process.getuid?.() === 0;
/** Its rights keep root out as well. */
const shutToAll = ['/sys/fs', '/dev/fd'].find((folder) => existsSync(folder)) ?? '/';
const shut: string[] = [];

/** Puts a folder that cannot be written in the place of one. */
async function shutFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  if (isRoot) return symlink(shutToAll, folder);
  await mkdir(folder);
  shut.push(folder);
  return chmod(folder, 0o500);
}

afterAll(async () => {
  for (const folder of shut) await chmod(folder, 0o700).catch(() => undefined);
});

async function refusals(bench: Bench, commands: readonly (readonly string[])[]): Promise<void> {
  for (const args of commands) {
    const ended = await bench.call(args);
    const said = ended.stdout + ended.stderr;
    expect(ended.exitCode, said).not.toBe(0);
    expect(said, args.join(' ')).toContain('REPO_UNWRITABLE');
    expect(said).toMatch(/chown -R|mount it for writing/);
  }
}

for (const [cases, tagged] of inParts(1, ['refs/baton', 'refs/heads/baton', 'logs']))
  test.each(cases)(
    'a repository whose %s cannot be written is refused before anything begins',
    tagged,
    async (name) => {
      await using bench = await createBench({ 'plan.yaml': plan });
      await shutFolder(path.join(bench.repo.path, '.git', name));
      const before = await readdir(path.join(bench.repo.path, '.git'));
      await refusals(bench, [['run', 'plan.yaml'], ['init', '--no-prove'], ['doctor']]);
      expect(existsSync(path.join(bench.repo.path, 'baton.yaml'))).toBe(false);
      expect(await readdir(path.join(bench.repo.path, '.git'))).toEqual(before);
      // What only looks needs no right to write.
      expect((await bench.call(['run', 'plan.yaml', '--dry-run'])).exitCode).toBe(0);
    },
  );

test('a state folder that cannot be written is named also where Postgres is another', async () => {
  await using bench = await createBench({ 'plan.yaml': plan });
  await using database = await createTestDatabase({ migrate: async () => undefined, templateKey: 'empty' });
  const home = isRoot ? shutToAll : path.join(bench.home, 'shut');
  if (!isRoot) await shutFolder(home);
  for (const args of [['run', 'plan.yaml'], ['up'], ['init'], ['doctor']]) {
    const ended = await bench.call(args, { env: { BATON_HOME: home, DATABASE_URL: database.url } });
    expect(ended.stdout + ended.stderr).toContain('STATE_UNWRITABLE');
    expect(ended.stdout + ended.stderr).toContain('BATON_HOME');
  }
  expect(existsSync(path.join(bench.repo.path, 'baton.yaml'))).toBe(false);
});

test.runIf(process.platform === 'linux')(
  'a home and a state folder in a file system without new folders hang nothing',
  async () => {
    await using bench = await createBench();
    const none = `/proc/${process.pid}/none`;
    const version = await bench.baton(['--version'], { env: { HOME: none } });
    expect(version.exitCode, version.stderr).toBe(0);
    const demo = await bench.call(['demo'], { env: { BATON_HOME: none } });
    expect(demo.exitCode).toBe(2);
    expect(demo.stderr).toContain('error STATE_UNWRITABLE');
  },
);
