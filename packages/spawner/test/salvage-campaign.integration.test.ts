import { expect, test } from 'vitest';
import { generate, openGround, play } from './campaigns/salvage/play.ts';
import { actions } from './campaigns/salvage/actions.ts';

test('each kind of thing that an agent leaves is in a ref or named, whether it was done, killed or its worker died', async () => {
  await using ground = await openGround();
  const singles = Object.keys(actions).map((does, at) => ({
    name: `single/${does}`,
    seed: at + 1,
    does: ['write', does, 'append'],
    end: 'killed' as const,
    dieAt: 0,
  }));
  const found: string[] = [];
  for (const one of process.env['N']
    ? generate({ seed: Number(process.env['S'] ?? 1), count: Number(process.env['N']) })
    : singles) {
    const { problems, ms, outcome } = await play(ground, one);
    if (process.env['V']) console.log(one.name, one.does.join(','), one.end, outcome, Math.round(ms));
    if (problems.length > 0)
      found.push(
        `${one.name} [${one.does.join(', ')}] ${one.end} ${one.dieAt}: ${problems.slice(0, 3).join(' | ')}`,
      );
  }
  expect(found).toEqual([]);
}, 600_000);
