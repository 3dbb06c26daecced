import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createBench, type Bench } from './support/bench.ts';

const canMount =
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' }).status === 0;

async function doctor(bench: Bench, TMPDIR: string) {
  const { exitCode, stdout } = await bench.call(['doctor', '--json'], { env: { TMPDIR } });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; fix?: string }[] };
  return { exitCode, checks, failed: checks.filter(({ status }) => status === 'fail') };
}

test('doctor names a folder for temporary files that cannot be used, and the variable that names another', async () => {
  await using bench = await createBench();
  await writeFile(path.join(bench.home, 'a-file'), '');
  for (const name of ['gone', 'a-file']) {
    const { exitCode, failed } = await doctor(bench, path.join(bench.home, name));
    expect(exitCode).toBe(1);
    expect(failed).toMatchObject([
      { name: 'temporary', fix: expect.stringContaining('set TMPDIR') as string },
    ]);
  }
  const well = await doctor(bench, bench.home);
  expect(well.failed).toEqual([]);
  expect(well.checks.map(({ name }) => name)).not.toContain('temporary');
});

test.runIf(canMount)(
  'where temporary files have no room, doctor offers TMPDIR and not BATON_HOME',
  async () => {
    await using bench = await createBench();
    const small = await mkdtemp(path.join(bench.home, 'small-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', small]);
    try {
      const { exitCode, failed } = await doctor(bench, small);
      expect(exitCode).toBe(1);
      const [{ name, fix } = { name: '', fix: '' }, ...others] = failed;
      expect([name, fix, others]).toEqual(['temporary', expect.stringContaining('set TMPDIR'), []]);
      expect(fix).not.toContain('BATON_HOME');
    } finally {
      spawnSync('umount', ['-l', small]);
    }
  },
);
