import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

test
  .skipIf(!existsSync('/dev/full'))
  .each([
    ...['plan schema', 'projects', 'runs --help', 'doctor --json'],
    ...['help', '--help', '-h', '--version', '-V', '--version --json', 'help plans', 'help run'],
  ])('an answer that nothing could be written of is no success: baton %s', async (line) => {
  await using home = await tempDir();
  const script = `"$0" --conditions=@baton/source "$@" > /dev/full`;
  const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, main, ...line.split(' ')], {
    cwd: home.path,
    env: { ...process.env, BATON_HOME: home.path },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toContain('error: stdout cannot be written (ENOSPC)');
});
