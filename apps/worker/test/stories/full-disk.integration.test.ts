import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDir, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createRig } from '../helpers/rig.ts';

const canMount =
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' }).status === 0;

test.runIf(canMount)(
  'counts no try when the disk is full as the work of an agent is committed, and saves that work when there is room',
  { tags: ['long'], timeout: 120_000 },
  async () => {
    await using rig = await createRig();
    await using small = await tempDir();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'none', small.path]);
    try {
      await using flags = await tempDir();
      const again = path.join(flags.path, 'again');
      const fill =
        'free=$(df -Pk . | tail -1 | tr -s " " | cut -d" " -f4); head -c "$((free * 600))" /dev/urandom >big';
      const command = ['sh', '-c', `[ -e ${again} ] && { echo small >small; exit 0; }; ${fill}`];
      const { run } = await rig.submit({
        name: 'full',
        stages: [{ name: 's', steps: [{ key: 'a', title: 'a', agent: { command } }] }],
      });
      const worker = await rig.worker({ stateDir: small.path });
      const task = async () => (await rig.tasks(run.id)).get('a');
      const waiting = await until(
        async () => {
          const now = await task();
          return now?.notBefore instanceof Date ? now : undefined;
        },
        { what: 'its task waits', timeoutMs: 30_000 },
      );
      expect(waiting).toMatchObject({ status: 'OPEN', tries: 0 });
      expect((await rig.store.tasks.explain(waiting.id)).text).toMatch(/The disk of .* is full/);
      writeFileSync(again, '');
      execFileSync('mount', ['-o', 'remount,size=400m', small.path]);
      await rig.settled(run.id);
      expect(await task()).toMatchObject({ status: 'CLOSED', tries: 0 });
      const saved = execFileSync('sh', ['-c', 'git -C repos/*/clone.git for-each-ref refs/baton/salvage'], {
        cwd: small.path,
        encoding: 'utf8',
      });
      expect(saved).toContain(waiting.id);
      await worker.stop();
    } finally {
      spawnSync('umount', ['-l', small.path]);
    }
  },
);

test.runIf(canMount)(
  'counts no try when the disk is full while a gate runs, names the disk, and lands the work when there is room',
  { timeout: 120_000 },
  async () => {
    await using rig = await createRig();
    await using small = await tempDir();
    await using flags = await tempDir();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'none', small.path]);
    try {
      const room = path.join(flags.path, 'room');
      // The base passes; the work does not until there is room.
      const fill = `[ ! -e made ] || [ -e ${room} ] || { head -c 100m /dev/zero >${small.path}/full; exit 1; }`;
      const { run } = await rig.submit({
        name: 'full',
        gates: [{ name: 'unit', command: ['sh', '-c', fill] }],
        stages: [
          {
            name: 's',
            steps: [{ key: 'a', title: 'a', agent: { command: ['sh', '-c', 'echo made >made'] } }],
          },
        ],
      });
      const worker = await rig.worker({ stateDir: small.path });
      const task = async () => (await rig.tasks(run.id)).get('a');
      const text = await until(
        async () => {
          const id = (await task())?.id;
          const said = id === undefined ? '' : (await rig.store.tasks.explain(id)).text;
          return said.includes('The disk of') ? said : undefined;
        },
        { what: 'the disk is named', timeoutMs: 30_000 },
      );
      expect(text).toMatch(/The disk of .* is full/);
      expect(await task()).toMatchObject({ status: 'DONE', tries: 0 });
      writeFileSync(room, '');
      execFileSync('rm', ['-f', path.join(small.path, 'full')]);
      await rig.settled(run.id);
      expect(await task()).toMatchObject({ status: 'CLOSED', tries: 0 });
      await worker.stop();
    } finally {
      spawnSync('umount', ['-l', small.path]);
    }
  },
);

test('holds a run, and calls no gate red, when there is no folder for temporary files', async () => {
  await using rig = await createRig();
  await using state = await tempDir();
  const missing = path.join(state.path, 'not-there');
  const { run, tasks } = await rig.submit({
    name: 'no-temporary',
    gates: [{ name: 'unit', command: ['true'] }],
    stages: [{ name: 's', steps: [{ key: 'a', title: 'a', agent: { command: ['true'] } }] }],
  });
  await rig.worker({ operatorEnv: { PATH: process.env['PATH'], TMPDIR: missing } });
  const held = await rig.settled(run.id, ['paused', 'waiting', 'stuck', 'failed']);
  expect(held.statusReason).toContain(`The folder for temporary files, ${missing}, cannot be written`);
  expect(held.statusReason).toContain('set TMPDIR to one that is there');
  const given = await until(
    async () => {
      const task = await rig.store.tasks.get(tasks[0]?.id ?? '');
      return task?.status === 'OPEN' ? task : undefined;
    },
    { what: 'the task is given back', timeoutMs: 10_000 },
  );
  expect(given.tries).toBe(0);
});
