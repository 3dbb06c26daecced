import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, scripted } from '../helpers/rig.ts';

it('lands work in a local repository without a fetch there', async () => {
  await using folder = await tempDir();
  await using rig = await createRig();
  const log = path.join(folder.path, 'commands');
  const bin = path.join(folder.path, 'bin');
  mkdirSync(bin);
  const real = '$(PATH="${PATH#*:}" command -v git)';
  const text = `#!/bin/sh\necho "$PWD: $*" >> '${log}'\nexec "${real}" "$@"\n`;
  writeFileSync(path.join(bin, 'git'), text);
  chmodSync(path.join(bin, 'git'), 0o755);
  const step = (title: string) => ({
    title,
    agent: scripted({ steps: [{ write: { [`${title}.txt`]: `${title}\n` } }] }),
  });
  const { run } = await rig.submit({
    name: 'plain',
    stages: [{ name: 'all', steps: [step('one'), step('two')] }],
  });
  await rig.worker({ operatorEnv: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } });
  await rig.settled(run.id);
  expect(await rig.repo.git('show', `${run.target}:two.txt`)).toBe('two');
  const there = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`${rig.repo.path}: `));
  expect(there.filter((line) => line.includes(' unpack-objects '))).not.toEqual([]);
  expect(there.filter((line) => line.includes(' fetch '))).toEqual([]);
  expect(await rig.repo.git('fsck', '--full', '--strict', '--no-dangling')).toBe('');
});
