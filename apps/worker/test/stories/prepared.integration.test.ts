import { expect, test } from 'vitest';
import { createRig } from '../helpers/rig.ts';

test('an agent finds its worktree checked out while the base was still verified', async () => {
  await using rig = await createRig({ 'a.txt': 'a\n' });
  await rig.worker();
  const isThere = `find ${rig.stateDir}/worktrees -path '*/agent/w1/tree/a.txt' | grep -q .`;
  const { run } = await rig.submit({
    name: 'early',
    // Green on the base once there is a worktree for an agent, which before took a green base.
    gates: [
      { name: 'waits', command: ['sh', '-c', `until ${isThere}; do sleep 0.05; done`], timeout: '30s' },
    ],
    stages: [
      { name: 's', steps: [{ key: 'f', title: 'f', agent: { command: ['sh', '-c', 'echo b >a.txt'] } }] },
    ],
  });
  expect(await rig.settled(run.id)).toMatchObject({ status: 'done' });
});
