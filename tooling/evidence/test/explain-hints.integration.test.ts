import { expect, it } from 'vitest';
import { commandsIn, followHints } from '../src/campaigns/explain/hints.ts';
import { play } from '../src/campaigns/explain/play.ts';
import { openStage } from '../src/campaigns/explain/stage.ts';

it('takes the commands out of an advice, and none out of a sentence', () => {
  expect(commandsIn('git branch baton/run abc && baton run --resume run')).toEqual([
    'git branch baton/run abc',
    'baton run --resume run',
  ]);
  expect(commandsIn('name a model, or lift the budget with `baton budget none run`')).toEqual([
    'baton budget none run',
  ]);
  expect(commandsIn('start a worker with labels gpu: BATON_LABELS=gpu baton up')).toEqual([
    'BATON_LABELS=gpu baton up',
  ]);
  expect(commandsIn('commit or stash the changes of the checkout')).toEqual([]);
});

it('carries out what is offered, and names a command that is refused or changes nothing', async () => {
  await using stage = await openStage();
  await play(stage, { worker: { id: 'w1', host: 'here', labels: [], status: 'online' } });
  await play(stage, {
    run: { name: 'run', planned: true, batch_size: 3, gates: [], tasks: [{ key: 'a' }, { key: 'b' }] },
  });
  const taskId = await stage.taskId('a');
  const found = await stage.store.tasks.explain(taskId);
  const follow = async (unblock: string) => {
    const hints = await followHints(stage, taskId, { ...found, unblock });
    return hints.map(({ problem }) => problem);
  };
  expect(await follow('baton approve run/a')).toEqual([expect.stringContaining('is refused')]);
  expect(await follow('baton retry run/b && baton status run')).toEqual([
    expect.stringContaining('is refused'),
    expect.stringContaining('changes nothing'),
  ]);
  expect(await follow(found.unblock ?? '')).toEqual([null]);
  await stage.store.feed.sequence(); // nobody else numbers events here
  expect((await stage.store.tasks.explain(taskId)).cause).toBe('ready');
});
