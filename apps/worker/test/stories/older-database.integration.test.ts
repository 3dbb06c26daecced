import { expect, it } from 'vitest';
import { createRig } from '../helpers/rig.ts';

const plan = (name: string) => ({
  ...{ name, target: 'main' },
  stages: [{ name: 's', steps: [{ key: name, title: name, agent: { command: ['tee', name] } }] }],
});

it('lands at once where its database is older than the lane of the repository, and says so', async () => {
  await using rig = await createRig();
  const told: string[] = [];
  const tell = (text: string) => void told.push(text);
  await rig.worker({ log: { info: tell, warn: tell, error: tell } });
  await rig.settled((await rig.submit(plan('one'))).run.id);
  // As it is after a restore from a dump: the lane of the repository has seen many more holders.
  const ref = await rig.repo.git('for-each-ref', '--format=%(refname)', 'refs/baton/lane');
  await rig.repo.write({ '.git/newer': JSON.stringify({ epoch: 100_000, holder: 'later', intent: null }) });
  const value = await rig.repo.git('hash-object', '-w', '.git/newer');
  await rig.repo.git('update-ref', ref.trim(), value.trim());
  await rig.settled((await rig.submit(plan('two'))).run.id);
  expect(told).toContain('this database is older than the lane in the repository, and caught up with it');
  const after = await rig.repo.git('cat-file', '-p', ref.trim());
  expect((JSON.parse(after) as { epoch: number }).epoch).toBeGreaterThan(100_000);
});
