import { expect, test } from 'vitest';
import { generate, openGround, play, singles } from './campaigns/salvage/play.ts';

test('each kind of thing that an agent leaves is in a ref or named, and so are mixtures of them, however it ended', async () => {
  await using ground = await openGround();
  const found: string[] = [];
  for (const one of [...singles(), ...generate({ seed: 1, count: 30 })]) {
    const { problems } = await play(ground, one);
    found.push(...problems.map((problem) => `${one.name} [${one.does.join(', ')}] ${one.end}: ${problem}`));
  }
  expect(found).toEqual([]);
}, 600_000);
