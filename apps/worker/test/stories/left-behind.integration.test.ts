import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createExec, createGit, listLeftOut, listSalvage, openClone } from '@baton/spawner';
import { createRig, scripted } from '../helpers/rig.ts';

const git = createGit({
  exec: createExec({ clock: { now: () => new Date(), monotonicMs: () => performance.now() } }),
  env: process.env,
});

it('names to the next attempt the files that git cannot hold, keeps the work, and lands an honest try', async () => {
  await using rig = await createRig({
    'run.ps1': Buffer.from('\ufeffecho\n', 'utf16le'),
    'tool.txt': 'tool\n',
    '.gitattributes': '*.ps1 text working-tree-encoding=UTF-16\n',
  });
  const pipe =
    "require('fs').rmSync('tool.txt'); require('child_process').execFileSync('mkfifo', ['tool.txt'])";
  const agent = scripted({
    attempts: [
      [{ write: { 'run.ps1': 'plain\n', 'work.txt': 'first\n' } }],
      [{ write: { 'work.txt': 'second\n' } }, { run: [process.execPath, '-e', pipe] }],
      [{ write: { 'work.txt': 'third\n' } }],
    ],
  });
  const { run } = await rig.submit({
    name: 'left',
    stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', agent, max_retries: 0 }] }],
  });
  await rig.worker();
  for (const _ of ['first', 'second']) {
    await rig.settled(run.id, ['failed']);
    const task = (await rig.tasks(run.id)).get('job');
    await rig.store.tasks.retry(task?.id ?? '', { actor: 'operator:test', reason: 'once more' });
  }
  await rig.settled(run.id);
  expect(await rig.repo.git('show', `${run.target}:work.txt`)).toBe('third');
  const task = (await rig.tasks(run.id)).get('job');
  const [first, second, third] = await rig.store.tasks.attempts(task?.id ?? '');
  expect(first).toMatchObject({
    outcome: 'agent_failed',
    rejections: [expect.stringContaining('run.ps1: BOM is required') as string],
    salvageRef: expect.stringMatching(/^refs\/baton\/salvage\//) as string,
  });
  expect(second).toMatchObject({
    outcome: 'agent_failed',
    rejections: [expect.stringContaining('tool.txt: it is a named pipe') as string],
  });
  expect(third).toMatchObject({ outcome: 'done' });
});

it('sets the worktree aside when not all in it can be saved, says so in the attempt, and continues in another', async () => {
  await using rig = await createRig();
  const large =
    "const fs = require('fs'); fs.ftruncateSync(fs.openSync('large.bin', 'w'), 201 * 1024 * 1024)";
  const agent = scripted({
    attempts: [
      [{ write: { 'work.txt': 'first\n' } }, { run: [process.execPath, '-e', large] }, { exit: 3 }],
      [{ write: { 'work.txt': 'second\n' } }],
    ],
  });
  const { run } = await rig.submit({
    name: 'large',
    stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', agent, max_retries: 0 }] }],
  });
  await rig.worker();
  await rig.settled(run.id, ['failed']);
  const task = (await rig.tasks(run.id)).get('job');
  await rig.store.tasks.retry(task?.id ?? '', { actor: 'operator:test', reason: 'once more' });
  await rig.settled(run.id);
  expect(await rig.repo.git('show', `${run.target}:work.txt`)).toBe('second');
  const [first] = await rig.store.tasks.attempts(task?.id ?? '');
  expect(first?.summary).toContain('its worktree is set aside: large.bin could not be saved');
  const clone = await openClone({ git, stateDir: rig.stateDir, repoId: run.repoId, location: rig.repo.path });
  const aside = (await listSalvage(clone, task?.id)).find(({ kind }) => kind === 'set-aside');
  expect(readFileSync(path.join(String(aside?.path), 'work.txt'), 'utf8')).toBe('first\n');
  expect(existsSync(path.join(String(aside?.path), 'large.bin'))).toBe(true);
});

it(
  'begins each task of a batch with set-up as it was, and names what the task before it did there',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig({ 'a.txt': 'one\n', '.gitignore': 'packages/\nbuilt/\n.env\n' });
    await rig.repo.write({ 'packages/dep.js': 'original\n', '.env': 'A=1\n' });
    const keys = ['m1', 'm2'];
    const script = (key: string) => [
      `mkdir d; cat packages/dep.js .env built/* 2>/dev/null > d/${key}`,
      'echo changed > packages/dep.js; echo A=2 > .env; mkdir built; echo x > built/x',
    ];
    const steps = (key: string) => [{ run: ['bash', '-c', script(key).join('\n')] }, { say: 'made' }];
    const agent = scripted(
      { tasks: Object.fromEntries(keys.map((key) => [key, { steps: steps(key) }])) },
      'acp',
    );
    const { run, tasks } = await rig.submit({
      name: 'left',
      workspace: { symlink: ['packages'], copy: ['.env'] },
      agents: { one: agent },
      agent: 'one',
      stages: [{ name: 's', steps: keys.map((key) => ({ key, title: key, files: [`d/${key}`] })) }],
    });
    await rig.worker({ capacity: 1 });
    await rig.settled(run.id);
    expect(await rig.store.tasks.sessions({ runId: run.id })).toHaveLength(1);
    for (const name of keys)
      expect(await rig.repo.git('show', `${run.target}:d/${name}`)).toBe('original\nA=1');
    const clone = await openClone({
      git,
      stateDir: rig.stateDir,
      repoId: run.repoId,
      location: rig.repo.path,
    });
    for (const { id } of tasks) {
      const [list] = await listLeftOut(clone, id);
      expect(list?.leftOut.map(({ file, reason }) => `${reason} ${file}`).sort()).toEqual([
        ...['ignored built/', 'set_up .env', 'set_up packages/dep.js'],
      ]);
    }
  },
);
