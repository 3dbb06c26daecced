import { migrate } from '../../../../packages/task-store/src/index.ts';
import { play } from '../../../../packages/task-store/test/model/play.ts';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { emptyDatabase } from '../empty-database.ts';

/** The store against a model of it in plain TypeScript, command by command. */
export const model: Campaign = {
  name: 'model',
  shows:
    'random commands of people, agents and lanes, duplicates and late reports included: after each one every row of the store is as a model of it says, every task has an answer, every history leads to its row',
  run: playModel,
};

async function playModel({ short, seed, say }: CampaignOptions): Promise<Findings> {
  const rounds = short ? 1 : 6;
  const size = short ? { numRuns: 5, maxCommands: 40 } : { numRuns: 40, maxCommands: 80 };
  const total = { runs: 0, commands: 0, reports: 0, broken: 0 };
  const ends: Record<string, number> = {};
  const broken: string[] = [];
  for (let round = 0; round < rounds && broken.length === 0; round++) {
    say(`round ${round + 1} of ${rounds}: ${size.numRuns} runs of up to ${size.maxCommands} commands`);
    await using database = await emptyDatabase();
    await migrate(database.url);
    const played = await play({ url: database.url, seed: seed + round, ...size });
    for (const key of ['runs', 'commands', 'reports', 'broken'] as const) total[key] += played[key];
    for (const [state, count] of Object.entries(played.ends)) ends[state] = (ends[state] ?? 0) + count;
    if (played.counterexample !== null) broken.push(`Seed ${seed + round}: ${played.counterexample}`);
    if (played.broken > 0) broken.push(`Seed ${seed + round}: ${played.broken} histories are broken.`);
  }
  return {
    holds: broken.length === 0 && total.reports > 0,
    figures: { ...total, ends },
    table: {
      columns: ['what', 'count'],
      rows: [
        ['runs', total.runs],
        ['commands, each followed by a comparison of every row', total.commands],
        ['reports that the store accepted', total.reports],
        ['broken histories', total.broken],
        ...Object.entries(ends)
          .sort(([one], [other]) => one.localeCompare(other))
          .map(([state, count]): [string, number] => [`tasks left ${state}`, count]),
      ],
    },
    broken,
  };
}
