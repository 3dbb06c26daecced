import { openGround, play, type SalvageCase } from './play.ts';

/** Cases that are played at a time: most of a case is waiting for git. */
const lanes = 4;

/** Plays cases on a ground that they share, and gives what is wrong, with the case. */
export async function problemsOf(cases: readonly SalvageCase[]): Promise<string[]> {
  await using ground = await openGround();
  const found: string[] = [];
  const waiting = [...cases];
  const lane = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const { name, does, end } = one;
      const { problems } = await play(ground, one);
      found.push(...problems.map((problem) => `${name} [${does.join(', ')}] ${end}: ${problem}`));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return found;
}
