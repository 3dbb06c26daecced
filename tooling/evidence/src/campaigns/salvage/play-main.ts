import {
  openGround,
  play,
  type Played,
  type SalvageCase,
} from '../../../../../packages/spawner/test/campaigns/salvage/play.ts';

/** What the campaign hears of one case. */
export type Judged = Played & { one: SalvageCase };

/** Cases of one process that are played at a time. */
const lanes = 3;

process.once('message', (cases: readonly SalvageCase[]) => {
  void playAll(cases).then((judged) => {
    process.send?.(judged);
    process.disconnect();
  });
});

async function playAll(cases: readonly SalvageCase[]): Promise<Judged[]> {
  await using ground = await openGround();
  const judged: Judged[] = [];
  const waiting = [...cases];
  const lane = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
      judged.push({ ...(await play(ground, one)), one });
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return judged;
}
