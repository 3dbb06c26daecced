import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createRig, scripted } from '../helpers/rig.ts';

const rules = { attemptsMs: null, salvageMs: null, worktreesMs: null };

test('no new work starts while the state folder takes more than it may, and what waits says so until a worker finds room', async () => {
  await using rig = await createRig();
  const { run, tasks } = await rig.submit({
    name: 'room',
    stages: [
      { name: 's', steps: [{ title: 'One', agent: scripted({ steps: [{ write: { 'a.txt': 'a\n' } }] }) }] },
    ],
  });
  writeFileSync(path.join(rig.stateDir, 'big'), Buffer.alloc(2_000_000));
  const full = await rig.worker({ keep: { ...rules, maxBytes: 1_000_000 } });
  const told = await until(
    async () => {
      const explained = await rig.store.tasks.explain(tasks[0]?.id ?? '');
      return explained.cause === 'state_full' ? explained : undefined;
    },
    { what: 'explain names the full state folder', timeoutMs: 20_000 },
  );
  expect(told.text).toMatch(
    /STATE_FULL: .* takes \d+\.\d MB, and retention\.disk in baton\.yaml allows 1\.0 MB/,
  );
  expect(told).toMatchObject({
    owner: 'a person',
    unblock: expect.stringContaining('raise retention.disk in baton.yaml') as string,
  });
  expect((await rig.store.tasks.attempts(tasks[0]?.id ?? '')).every(({ counted }) => !counted)).toBe(true);
  expect(await rig.repo.git('for-each-ref', 'refs/heads/baton')).toBe('');
  await full.stop();

  rmSync(path.join(rig.stateDir, 'big'));
  await rig.worker({ keep: { ...rules, maxBytes: 1_000_000_000 } });
  await rig.settled(run.id);
});
