import {
  runContention,
  type ContentionFigures,
} from '../../../../packages/task-store/test/campaigns/contention.ts';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { emptyDatabase } from '../empty-database.ts';

/** Claimers in several processes, all at one run. */
export const contention: Campaign = {
  name: 'contention',
  shows:
    '20 claimers in several processes at thousands of tasks: none claimed twice, none lost, one event for each move, every history sound and linearizable',
  run: contend,
};

async function contend({ short, seed, say }: CampaignOptions): Promise<Findings> {
  const size = short
    ? { claimers: 8, tasks: 120, processes: 2 }
    : { claimers: 20, tasks: 5000, processes: 4 };
  say(`${size.claimers} claimers in ${size.processes} processes, ${size.tasks} tasks`);
  await using database = await emptyDatabase();
  const figures = await runContention({ url: database.url, seed, ...size });
  const broken = problems(figures, size.tasks);
  return {
    holds: figures.holds && broken.length === 0,
    figures: { ...size, ...figures },
    table: {
      columns: ['what', 'expected', 'found'],
      rows: [
        ['tasks finished', size.tasks, figures.tasks - figures.lost],
        ['tasks lost', 0, figures.lost],
        ['attempts that two claimers got', 0, figures.claimedTwice],
        ['tasks finished by two', 0, figures.finishedTwice],
        ['events of task moves', figures.taskMovesExpected, figures.taskMoves],
        ['breaks of log and histories', 0, figures.broken],
        ['tasks whose calls no order explains', 0, figures.contradictory],
      ],
    },
    broken:
      figures.holds || broken.length > 0 ? broken : ['The store campaign says that the claim does not hold.'],
  };
}

function problems(figures: ContentionFigures, tasks: number): string[] {
  const { claims, lost, claimedTwice, finishedTwice, broken, taskMoves, taskMovesExpected } = figures;
  const { calls, contradictory } = figures;
  return [
    ...(claims >= tasks ? [] : [`Only ${claims} claims were made for ${tasks} tasks.`]),
    ...(lost === 0 ? [] : [`${lost} tasks are lost.`]),
    ...(claimedTwice === 0 ? [] : [`${claimedTwice} attempts were claimed twice.`]),
    ...(finishedTwice === 0 ? [] : [`${finishedTwice} tasks were finished twice.`]),
    ...(broken === 0 ? [] : [`${broken} histories are broken.`]),
    ...(contradictory === 0 ? [] : [`Of ${contradictory} tasks no order explains the calls.`]),
    ...(calls >= claims ? [] : [`Only ${calls} calls were written down for ${claims} claims.`]),
    ...(taskMoves === taskMovesExpected
      ? []
      : [`${taskMoves} moves are recorded, ${taskMovesExpected} were made.`]),
  ];
}
