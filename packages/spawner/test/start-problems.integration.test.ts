import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentDefinition } from '@baton/contracts';
import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { checkAgent } from '../src/index.ts';
import { openIn, run } from './support/agents.ts';

const shell = '#!/bin/sh\ntrue\n';
const problems: [string, (file: string) => void, string][] = [
  ['a folder', (file) => mkdirSync(file), 'is a folder. Name a program in it.'],
  ['no executable', (file) => writeFileSync(file, shell), 'is not executable. Make it so with `chmod +x '],
  [
    'a script of a missing interpreter',
    (file) => writeFileSync(file, '#! /no/such/sh -e\n', { mode: 0o755 }),
    'names /no/such/sh in its first line, which is not there. Install that, or correct the line.',
  ],
  [
    'a script from Windows',
    (file) => writeFileSync(file, shell.replaceAll('\n', '\r\n'), { mode: 0o755 }),
    'has lines that end as on Windows. Save it with Unix line endings',
  ],
];

test.each(problems)(
  'an agent whose program is %s is refused with what is wrong with it',
  async (_what, make, told) => {
    await using folder = await tempDir();
    const program = path.join(folder.path, "my agé'nt");
    make(program);
    const definitions: AgentDefinition[] = [{ command: [program] }, { acp: [program] }];
    for (const definition of definitions) {
      expect(() => checkAgent({ name: 'a', definition, env: {} })).toThrow(
        `${program} ${told.split('.')[0]}.`,
      );
      await using a = await openIn(definition);
      const { finished } = await run(a.runner);
      expect(finished.summary).toContain(`${program} ${told}`);
      expect(finished.outcome).toMatch(/^(spawn_failed|missing_binary)$/);
    }
  },
);

test.each(problems)(
  'a program of the worktree that is %s is named as the repository has it',
  async (_what, make, told) => {
    await using folder = await tempDir();
    const workspace = { path: folder.path, taskFileDir: path.join(folder.path, '.task'), portBase: 21_000 };
    make(path.join(folder.path, 'agent'));
    await using a = await openIn({ command: ['./agent'] }, { workspace });
    const { summary } = (await run(a.runner)).finished;
    expect(summary).toContain(`./agent ${told}`);
    expect(summary).not.toContain(folder.path);
  },
);

test('the line that is offered makes a program executable, whatever its name', async () => {
  await using folder = await tempDir();
  const program = path.join(folder.path, "my 'agé'nt $(x)");
  writeFileSync(program, shell);
  await using a = await openIn({ command: [program] });
  const [, line = ''] = /`(.*)`/.exec((await run(a.runner)).finished.summary) ?? [];
  execFileSync('sh', ['-c', line]);
  expect((await run(a.runner)).finished.outcome).toBe('done');
});

test('a program in PATH is found behind one of its name that cannot be started', async () => {
  await using folder = await tempDir();
  const [first, second] = ['first', 'second'].map((name) => path.join(folder.path, name));
  for (const one of [first, second]) mkdirSync(one ?? '');
  for (const one of [first, second]) writeFileSync(path.join(one ?? '', 'agent'), shell);
  const check = () =>
    checkAgent({ name: 'a', definition: { command: ['agent'] }, env: { PATH: `${first}:${second}` } });
  expect(check).toThrow('agent is not executable');
  chmodSync(path.join(second ?? '', 'agent'), 0o755);
  expect(check).not.toThrow();
});
