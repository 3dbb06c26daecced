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
  const waiting = [...cases];
  // A campaign that ended early wants no more: what is played comes to its end, and cleans up.
  process.once('disconnect', () => waiting.splice(0));
  void playAll(waiting).then((judged) => {
    if (!process.connected) return;
    process.send?.(judged);
    process.disconnect();
  });
});

async function playAll(waiting: SalvageCase[]): Promise<Judged[]> {
  await using ground = await openGround();
  const judged: Judged[] = [];
  const lane = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
      judged.push({ ...(await play(ground, one)), one });
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return judged;
}
