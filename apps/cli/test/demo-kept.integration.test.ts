import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { until } from '@baton/testkit';
import { expect, test } from 'vitest';

import { noteLeft } from '../src/demo/left-as-is.ts';
import { makeDemoRepository } from '../src/demo/make-repository.ts';
import { createTools } from '../src/project/project.ts';
import { readEnv } from '../src/env.ts';
import { createBench } from './support/bench.ts';

const git = (root: string, ...args: string[]) =>
  execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    encoding: 'utf8',
  });

/** What a person does in a demonstration, by name. */
const works: Record<string, (root: string) => unknown> = {
  nothing: () => undefined,
  commit: (root) => git(root, 'commit', '--quiet', '--allow-empty', '-m', 'mine'),
  'commit that was reset away': (root) => {
    git(root, 'commit', '--quiet', '--allow-empty', '-m', 'mine');
    git(root, 'reset', '--quiet', '--hard', 'HEAD~1');
  },
  branch: (root) => git(root, 'branch', 'mine'),
  stash: async (root) => {
    await writeFile(path.join(root, 'README.md'), 'mine');
    git(root, 'stash', '--quiet');
  },
  'edited file': (root) => writeFile(path.join(root, 'README.md'), 'mine'),
  'edited file that git overlooks': (root) => {
    git(root, 'update-index', '--skip-worktree', 'README.md');
    return writeFile(path.join(root, 'README.md'), 'mine');
  },
  'new file': (root) => writeFile(path.join(root, 'mine.txt'), 'mine'),
  'ignored file': async (root) => {
    await writeFile(path.join(root, '.git', 'info', 'exclude'), '*.log\n');
    await writeFile(path.join(root, 'mine.log'), 'mine');
  },
  worktree: (root) => git(root, 'worktree', 'add', '--quiet', '--detach', `${root}-w`),
};

test(
  'a new demonstration removes old ones, and none that a person worked in or that did not end',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench();
    const tools = createTools({ env: readEnv({ ...process.env, BATON_HOME: bench.home }) });
    const make = (stamp: string) => makeDemoRepository({ home: bench.home, git: tools.git, stamp });
    const made = new Map<string, string>();
    for (const [n, [name, work]] of Object.entries(works).entries()) {
      const demo = await make(`10000101000000-${n}`);
      await noteLeft(tools.git, demo);
      await work(demo.root);
      made.set(name, demo.root);
    }
    const during = await make('10000101000001-1');
    await works['new file']?.(during.root);
    await noteLeft(tools.git, during);
    made.set('new file while it ran', during.root);
    made.set('killed', (await make('10000101000001-2')).root);
    for (const last of ['1', '2']) await noteLeft(tools.git, await make(`10000101000002-${last}`));

    const started = bench.start(['demo']);
    await until(() => started.stderr().includes(' stay: '), {
      what: 'it said what stays',
      timeoutMs: 60_000,
    });
    started.child.kill('SIGINT');
    await started.ended;
    const [, told = ''] = /11 earlier demonstrations .* stay: (.*)/.exec(started.stderr()) ?? [];
    const stay = [...made.keys()].filter((name) => name !== 'nothing');
    expect(told.replace(/\x1b.*/, '').split(', ')).toEqual(stay.map((name) => made.get(name)));
    expect([...made].filter(([, root]) => existsSync(root)).map(([name]) => name)).toEqual(stay);
  },
);
