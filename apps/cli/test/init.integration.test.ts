import { existsSync } from 'node:fs';
import { readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import { inParts, listProcessesWithMarker, until } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { fakeProgram } from './support/fake-program.ts';
import { installNodeModules, nodeRepo } from './support/node-repo.ts';
import { planOf, writes } from './support/plans.ts';

test('init writes the gates that the repository has and an example plan, and never overwrites', async () => {
  await using bench = await createBench({
    'package.json': JSON.stringify({ name: 'x', scripts: { test: 'node --version' } }),
  });
  const dry = await bench.call(['init', '--dry-run', '--json']);
  expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, gates: ['tests'], workspace: null });
  expect(await bench.repo.git('status', '--porcelain')).toBe('');
  expect((await bench.call(['init', '--no-prove'])).exitCode).toBe(0);
  expect((await bench.call(['plan', 'check', 'plan.yaml'])).exitCode).toBe(0);
  expect((await bench.call(['run', 'plan.yaml', '--dry-run'])).exitCode).toBe(0);
  const config = path.join(bench.repo.path, 'baton.yaml');
  const before = await readFile(config, 'utf8');
  const again = await bench.call(['init', '--no-prove']);
  expect(again.exitCode).toBe(2);
  expect(again.stderr).toContain('error CONFLICT: baton.yaml and plan.yaml are already there');
  await rm(path.join(bench.repo.path, 'plan.yaml'));
  const half = await bench.call(['init', '--no-prove']);
  expect(half.exitCode, half.stderr).toBe(0);
  expect(half.stderr).toContain('wrote plan.yaml.\n  baton.yaml was already there and was left as it is.');
  expect(await readFile(config, 'utf8')).toBe(before);
});

test(
  'init writes its plan beside a plan.yaml of another program, and what it offers next works',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({ 'plan.yaml': 'floor: 3\nrooms: [a, b]\n' });
    const made = await bench.call(['init']);
    expect(made.exitCode, made.stderr).toBe(0);
    expect(made.stderr).toContain('wrote baton.yaml and baton-plan.yaml.');
    expect(made.stdout).toContain('Next:\n  baton plan check baton-plan.yaml\n  baton run baton-plan.yaml');
    expect((await bench.call(['plan', 'check', 'baton-plan.yaml'])).exitCode).toBe(0);
    expect((await bench.baton(['run', 'baton-plan.yaml'])).exitCode).toBe(0);
  },
);

test('what init offers next works from a folder of the repository and from outside', async () => {
  await using bench = await createBench({ 'docs/a.md': 'a\n' });
  const root = bench.repo.path;
  for (const [cwd, named] of [
    [path.join(root, 'docs'), []],
    [bench.home, ['--repo', root]],
  ] as const) {
    const made = await bench.call(['init', ...named], { cwd });
    expect(made.exitCode, made.stderr).toBe(0);
    const offered = (made.stdout.split('Next:\n')[1] ?? '').trim().split(/\n */);
    expect(offered).toHaveLength(2);
    for (const line of offered) {
      const [, ...words] = line.split(' ');
      const args = words[0] === 'run' ? [...words, '--dry-run'] : words;
      const ended = await bench.call(args, { cwd });
      expect(ended.exitCode, `${line}: ${ended.stderr}`).toBe(0);
    }
    await Promise.all(['baton.yaml', 'plan.yaml'].map((name) => rm(path.join(root, name))));
  }
});

test('Ctrl-C ends init in the middle of a long set-up, which ends with it', async () => {
  await using bench = await createBench();
  const pid = path.join(bench.home, 'pid');
  await bench.repo.write({
    'baton.yaml': `workspace: { setup: [sh, -c, "echo x > ${pid}; exec sleep 600"] }\n`,
  });
  const started = bench.start(['init']);
  await until(() => existsSync(pid), { what: 'the set-up runs', timeoutMs: 120_000 });
  started.child.kill('SIGINT');
  const ended = await started.ended;
  expect(ended).toMatchObject({ exitCode: 130 });
  expect(ended.stderr).toContain('error INTERRUPTED: ');
  expect(listProcessesWithMarker(bench.home)).toEqual([]);
  expect((await readdir(bench.home)).filter((name) => name.startsWith('prove-'))).toEqual([]);
});

test('init proves a set-up also where there are no gates', async () => {
  await using bench = await createBench({
    'baton.yaml': 'workspace: { setup: [sh, -c, "test -f ready || exit 7"] }\n',
  });
  const red = await bench.call(['init']);
  expect(red.exitCode).toBe(1);
  expect(red.stderr).toContain('Proving the set-up in a worktree of ');
  await bench.repo.commit({ ready: 'x' }, 'ready');
  const green = await bench.call(['init']);
  expect(green).toMatchObject({ exitCode: 0 });
  expect(green.stdout).toContain('the set-up works on ');
});

test('the first run of a repository with installed packages lands: with init and its plan, and by a goal alone', async () => {
  await using bench = await createBench(nodeRepo);
  await installNodeModules(bench.repo.path);
  await using bin = await fakeProgram('claude-agent-acp', 'exit 0');
  const goal = await bench.call(['run', 'say hello in a file', '--dry-run', '--agent', 'claude-code'], {
    env: { PATH: `${bin.path}:${process.env['PATH'] ?? ''}`, ANTHROPIC_API_KEY: 'none' },
  });
  expect(goal.exitCode, goal.stderr).toBe(0);
  expect(goal.stderr).toContain(
    'Set-up found: node_modules from your checkout. Gates found: tests (npm test).',
  );
  const first = await bench.call(['init', '--json']);
  expect(first.exitCode, first.stderr).toBe(0);
  expect(JSON.parse(first.stdout)).toMatchObject({
    gates: ['tests'],
    written: ['baton.yaml', 'plan.yaml'],
    workspace: { symlink: ['node_modules'] },
    proof: { passed: true, results: [{ name: 'tree' }, { name: 'tests', passed: true }] },
  });
  expect(first.stderr).toMatch(/✔ set-up .*✔ tests /s);
  const run = await bench.baton(['run', 'plan.yaml', '--json']);
  expect(run.exitCode, run.stderr).toBe(0);
  const agents = { own: { command: ['sh', '-c', 'echo hello > hello.txt'] } };
  await bench.repo.write({ 'baton.yaml': JSON.stringify({ agents, agent: 'own' }) });
  const byGoal = await bench.baton(['run', 'say hello in a file', '--json']);
  expect(byGoal.exitCode, byGoal.stderr).toBe(0);
  const { target } = JSON.parse(byGoal.stdout) as { target: string };
  expect(await bench.repo.git('show', `${target}:hello.txt`)).toBe('hello');
});

test(
  'a red base names what the worktree lacks and the checkout has, and the line and command of the hint work',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({
      ...nodeRepo,
      'baton.yaml': 'gates: [{ name: tests, command: [npm, test] }]\n',
      'plan.yaml': planOf('first', [{ key: 'a', agent: writes('a.txt', 'a\n') }]),
    });
    await installNodeModules(bench.repo.path);
    const red = await bench.baton(['run', 'plan.yaml']);
    expect(red.exitCode, red.stderr).toBe(2);
    expect(red.stderr).toContain('error BASE_RED: A required gate is red on ');
    expect(red.stderr).toContain('tiny-check: not found');
    expect(red.stderr).toContain('Your checkout has node_modules, which git ignores; the worktree has none.');
    const fix = 'Write `workspace: { symlink: [node_modules] }` in baton.yaml';
    expect(red.stderr).toContain(`fix: ${fix}; then carry the run on with `);
    for (const args of [['status'], ['explain', 'a'], ['task', 'a']]) {
      const told = await bench.call(args);
      expect(told.stdout, args[0]).toContain('tiny-check: not found\n');
      expect(told.stdout, args[0]).toContain(fix);
    }
    const [, slug = ''] = /--resume ([^ `]+)/.exec(red.stderr) ?? [];
    for (const name of ['a', slug])
      expect((await bench.call(['logs', name])).stderr, name).toContain('tiny-check: not found\n');
    const status = JSON.parse((await bench.call(['status', '--json'])).stdout) as {
      run: { statusReason: string };
    };
    expect(status.run.statusReason).toContain('tiny-check: not found\n');
    const [, line = ''] = /`(workspace: [^`]+)`/.exec(red.stderr) ?? [];
    const [, resume = ''] = /`baton (run --resume [^ `]+)`/.exec(red.stderr) ?? [];
    const config = await readFile(path.join(bench.repo.path, 'baton.yaml'), 'utf8');
    await bench.repo.write({ 'baton.yaml': `${config}${line}\n` });
    const ended = await bench.baton(resume.split(' '));
    expect(ended.exitCode, ended.stderr).toBe(0);
  },
);

test('init that finds a gate red in a worktree leaves its files and says the line; once it is there init is content', async () => {
  await using bench = await createBench(nodeRepo);
  await installNodeModules(bench.repo.path);
  await bench.repo.write({ 'baton.yaml': 'gates: [{ name: tests, command: [npm, test] }]\n' });
  const red = await bench.call(['init']);
  expect(red.exitCode, red.stderr).toBe(1);
  expect(red.stderr).toContain('wrote plan.yaml.\n  baton.yaml was already there and was left as it is.');
  expect(red.stdout).toContain('Last lines of tests:');
  expect(red.stdout).toContain('tiny-check: not found\n');
  expect(red.stdout).toContain('Your checkout has node_modules, which git ignores; the worktree has none.');
  expect(red.stdout).toContain('`baton run plan.yaml --allow-red tests`');
  const [, line = ''] = /`(workspace: [^`]+)`/.exec(red.stdout) ?? [];
  const config = await readFile(path.join(bench.repo.path, 'baton.yaml'), 'utf8');
  await bench.repo.write({ 'baton.yaml': `${config}${line}\n` });
  const green = await bench.call(['init']);
  expect([green.exitCode, green.stdout.split('\n')[0]], green.stderr).toEqual([
    0,
    expect.stringMatching(/^✔ the gates are green on [0-9a-f]{9}\.$/),
  ]);
  await bench.repo.write({
    'baton.yaml': `${config}workspace: { setup: [sh, -c, "echo no such package; exit 3"] }\n`,
  });
  const unmade = await bench.call(['init']);
  expect(unmade.exitCode, unmade.stderr).toBe(1);
  expect(unmade.stdout).toContain('no such package');
  expect((await readdir(bench.home)).filter((name) => name.startsWith('prove-'))).toEqual([]);
});

for (const [cases, tagged] of inParts(1, [
  [
    'just',
    { justfile: 'test-unit:\n  false\n\ntest *ARGS:\n  true\n' },
    { name: 'tests', called: 'test in .' },
  ],
  [
    'dotnet',
    {
      'src/App/App.csproj': '<Project Sdk="Microsoft.NET.Sdk" />\n',
      'tests/App Tests/App.csproj': '<PackageReference Include="Microsoft.NET.Test.Sdk" />\n',
    },
    { name: 'tests-tests-app-tests', called: 'test in tests/App Tests' },
  ],
]))
  test.each(cases)(
    'init and run ask %s for the tests of a repository that it tests, in a fresh worktree',
    tagged,
    async (program, files, { name, called }) => {
      await using bench = await createBench(files);
      const log = path.join(bench.home, 'calls');
      await using bin = await fakeProgram(
        program,
        `top=$(git rev-parse --show-prefix); top=\${top%/}; echo "$* in \${top:-.}" >> '${log}'`,
      );
      const env = { PATH: `${bin.path}:${process.env['PATH'] ?? ''}` };
      const made = await bench.call(['init', '--json'], { env });
      expect(made.exitCode, made.stderr).toBe(0);
      expect(JSON.parse(made.stdout)).toMatchObject({ gates: [name], proof: { passed: true } });
      expect((await readFile(log, 'utf8')).split('\n')).toEqual([called, '']);
      const missing = await bench.baton(['run', 'plan.yaml'], { env: { PATH: process.env['PATH'] ?? '' } });
      expect(missing.exitCode, missing.stderr).toBe(2);
      expect(missing.stderr).toMatch(new RegExp(`[Ii]nstall ${program}`));
      expect(missing.stderr).not.toContain('sh -c');
    },
  );
