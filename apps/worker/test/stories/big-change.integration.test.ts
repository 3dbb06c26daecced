import { expect, test } from 'vitest';
import { createRig } from '../helpers/rig.ts';

test(
  'a file of 70 MB of source is refused by its size, as any large file is',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    const write = `require('fs').mkdirSync('src'); require('fs').writeFileSync('src/bundle.js', 'exports.a = 1;\\n'.repeat(4.7e6))`;
    const { run } = await rig.submit({
      name: 'bundle',
      stages: [
        {
          name: 'all',
          steps: [
            { key: 'job', title: 'job', agent: { command: [process.execPath, '-e', write] }, max_retries: 0 },
          ],
        },
      ],
    });
    await rig.worker();
    await rig.settled(run.id, ['failed']);
    const task = (await rig.tasks(run.id)).get('job');
    const moves = await rig.store.tasks.history({ machine: 'task', entityId: task?.id ?? '' });
    expect(JSON.stringify(moves)).toContain('files above 5.0 MB: src/bundle.js');
  },
);
