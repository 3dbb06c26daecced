import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { shellText } from '@baton/contracts';
import { appArguments } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';

const program = shellText([process.execPath, ...appArguments('cli', process.env)]);

test(
  'what the demonstration offers at its end can be typed in the folder where it was called',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const demo = await bench.baton(['demo'], { env: { BATON_TYPED: program } });
    expect(demo.exitCode, demo.stderr).toBe(0);
    expect(demo.stdout).toContain('11 of 11 tasks landed');
    const [, passed, all] = /own tests pass on \S+: (\d+) of (\d+)/.exec(demo.stderr) ?? [];
    expect(passed).toBe(all);

    const offered = demo.stdout.split('\n').filter((line) => line.startsWith(`  ${program} `));
    expect(offered.map((line) => line.replace(`  ${program} `, '').split(' ')[0])).toEqual(['diff', 'merge']);
    const lookAround = /Look around: (.*)/.exec(demo.stderr)?.[1] ?? '';
    const env = { ...process.env, BATON_HOME: bench.home };
    for (const line of [...offered.map((each) => each.trim().split(/ {2,}/)[0] ?? ''), lookAround]) {
      const ended = await promisify(execFile)('sh', ['-c', line.trim()], { cwd: bench.repo.path, env });
      expect(ended.stdout, line).not.toBe('');
    }
  },
);
