import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';

import { inParts, appArguments } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench, type Bench } from './support/bench.ts';
import { planOf, writes } from './support/plans.ts';

const plan = planOf('t', [{ key: 'a', agent: writes('new.txt', 'new\n') }]);

/** Types the first command of git that a text names, in a shell. */
function type(bench: Bench, text: string, name = ''): void {
  const line = /`(git [^`]+)`/.exec(text)?.[1]?.replace('NAME', name) ?? 'false';
  const typed = spawnSync('sh', ['-c', line], { cwd: bench.repo.path, encoding: 'utf8' });
  expect(typed.stderr, line).not.toMatch(/fatal|error/);
}

for (const [cases, tagged] of inParts(1, ['-x', 'HEAD']))
  test.each(cases)(
    'work lands beside a checked out branch that is named %s, and merge names a way to take it',
    tagged,
    async (name) => {
      await using bench = await createBench({ 'plan.yaml': plan });
      const { git } = bench.repo;
      await git('update-ref', `refs/heads/${name}`, 'HEAD');
      await git('symbolic-ref', 'HEAD', `refs/heads/${name}`);
      const before = await git('rev-parse', '--verify', `refs/heads/${name}`);
      const ran = await bench.baton(['run', 'plan.yaml']);
      expect(ran.exitCode, ran.stderr).toBe(0);
      const refused = await bench.call(['merge']);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain(`error REF_INVALID: "${name}", which is checked out,`);
      type(bench, refused.stderr, 'usable');
      expect((await bench.call(['merge'])).stdout).toContain('into usable: now at');
      expect(await git('show', 'refs/heads/usable:new.txt')).toBe('new');
      expect(await git('rev-parse', '--verify', 'refs/heads/usable~1')).toBe(before);
    },
  );

test(
  'a conflict with a branch whose name a shell would read is resolved by the command that merge names',
  { tags: ['long'] },
  async () => {
    const target = "it's;$(touch pwned)&x".replace(' ', '-');
    await using bench = await createBench({ 'plan.yaml': plan });
    await bench.repo.git('branch', target);
    const ran = await bench.baton(['run', 'plan.yaml', '--target', target]);
    expect(ran.exitCode, ran.stderr).toBe(0);
    await bench.repo.write({ 'new.txt': 'mine\n' });
    await bench.repo.git('add', 'new.txt');
    await bench.repo.git('commit', '--quiet', '-m', 'mine');
    const refused = await bench.call(['merge']);
    expect(refused.stderr).toContain('conflicts in new.txt');
    type(bench, refused.stderr);
    expect(await bench.repo.git('status', '--porcelain')).toBe('AA new.txt');
    expect(await bench.repo.git('rev-parse', 'MERGE_HEAD')).toBe(
      await bench.repo.git('rev-parse', `refs/heads/${target}`),
    );
  },
);

test(
  'work that meets on the target is merged by its `.gitattributes`, as a person would merge it',
  { tags: ['long'] },
  async () => {
    const lines = '1\n2\n3\n4\n5\n6\n7\n';
    const both = (line: string, file: string) => ({ command: ['sh', '-c', `${line} ${file}`] });
    const attributes = { '.gitattributes': '*.log merge=union\nlock -merge\n' };
    for (const [file, first, second] of [
      ['my.log', 'echo one >>', 'echo two >>'],
      ['lock', 'sed -i s/1/one/', 'sed -i s/7/two/'],
    ] as const) {
      const steps = [
        { key: 'a', agent: both(first, file) },
        { key: 'b', agent: both(second, file) },
      ];
      const files = { ...attributes, [file]: lines, 'plan.yaml': planOf('t', steps) };
      await using bench = await createBench(files);
      const ran = await bench.baton(['run', 'plan.yaml', '--target', 'main']);
      expect(ran.exitCode, ran.stderr).toBe(0);
      const landed = await bench.repo.git('show', `main:${file}`);
      if (file === 'lock') expect(landed).toBe('one\n2\n3\n4\n5\n6\ntwo');
      else expect(landed.split('\n').sort()).toEqual([...lines.trim().split('\n'), 'one', 'two'].sort());
      if (file === 'my.log') expect(ran.stdout + ran.stderr).not.toContain('conflict');
      expect(await bench.repo.git('status', '--porcelain')).toBe('');
    }
  },
);

test(
  'a tag with the name of the branch that is checked out hides neither its changes nor its name',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({ 'plan.yaml': plan });
    const { git } = bench.repo;
    await git('tag', 'main');
    await bench.repo.write({ 'plan.yaml': `# changed\n${plan}` });
    const refused = await bench.call(['run', 'plan.yaml', '--target', 'main']);
    expect(refused.stderr).toContain('error REPO_DIRTY: main is checked out with uncommitted changes');
    await git('commit', '--all', '--quiet', '--message', 'changed');
    const ran = await bench.baton(['run', 'plan.yaml']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect((await bench.call(['merge'])).stdout).toMatch(/^Took baton\/\S+ into main: now at/);
    expect(await git('show', 'refs/heads/main:new.txt')).toBe('new');
  },
);

test.runIf(process.platform === 'linux')(
  'a repository below a folder whose name is no UTF-8 is refused for that, and runs once it is renamed',
  async () => {
    await using bench = await createBench({ 'plan.yaml': plan });
    const place = (name: string) => Buffer.from(`${bench.home}/${name}`, 'latin1');
    mkdirSync(place('caf\xe9'));
    const typed = (line: string) =>
      spawnSync(
        'sh',
        ['-c', line, process.execPath, ...appArguments('cli'), 'run', 'repo/plan.yaml', '--repo', 'repo'],
        {
          cwd: bench.home,
          env: { ...process.env, BATON_HOME: path.join(bench.home, 'state') },
          encoding: 'utf8',
        },
      );
    cpSync(bench.repo.path, path.join(bench.home, 'repo'), { recursive: true });
    const refused = typed('mv repo caf* && cd caf* && exec "$0" "$@" --dry-run');
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('error REPO_NOT_FOUND');
    expect(refused.stderr).toContain('is no UTF-8 text: rename that folder');
    const ran = typed('mv caf* cafe && cd cafe && exec "$0" "$@" --dry-run');
    expect(ran.status, ran.stderr).toBe(0);
  },
);
