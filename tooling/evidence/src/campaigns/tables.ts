import {
  runTables,
  unreachedEdges,
  type MachineFigures,
} from '../../../../packages/task-store/test/campaigns/tables.ts';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { emptyDatabase } from '../empty-database.ts';
import { kernelTables, type MachineCount } from './kernel-tables.ts';

/** The tables of the five machines, by the kernel and by the database. */
export const tables: Campaign = {
  name: 'tables',
  shows:
    'every legal cell of the five machines is reached and every other refused, by kernel and by database; the product itself takes every move but a published few',
  run: runBoth,
};

async function runBoth({ say }: CampaignOptions): Promise<Findings> {
  const kernel = kernelTables();
  say('kernel: done; database: moves through the public API, then every illegal cell by direct insert');
  await using database = await emptyDatabase();
  const { byMachine, unreachedPublished: notTaken } = await runTables({ url: database.url });
  const broken = [
    ...kernel.flatMap((machine) => machine.broken),
    ...kernel.flatMap((machine) => databaseProblems(machine, byMachine[machine.machine])),
    ...listProblems(notTaken),
  ];
  return {
    holds: broken.length === 0,
    figures: { kernel: kernel.map(({ broken: _, ...counts }) => counts), database: byMachine, notTaken },
    table: {
      columns: [
        'machine',
        'states',
        'cells',
        'legal',
        'kernel: reached',
        'kernel: refused',
        'API: moves taken',
        'not taken',
        'database: refused',
      ],
      rows: kernel.map((machine) => row(machine, byMachine[machine.machine], notTaken)),
    },
    broken,
  };
}

function row(
  kernel: MachineCount,
  database: MachineFigures | undefined,
  notTaken: readonly string[],
): (string | number)[] {
  const { machine, states, cells, legal, reached, refused } = kernel;
  // No rows of the cognitive machine are stored: its moves are taken by the kernel only.
  const taken =
    machine === 'cognitive' ? 'by the kernel' : `${database?.reached ?? 0} of ${database?.legal ?? 0}`;
  return [
    machine,
    states,
    cells,
    legal,
    reached,
    refused,
    taken,
    notTaken
      .filter((edge) => edge.startsWith(`${machine}: `))
      .join(', ')
      .replaceAll(`${machine}: `, ''),
    `${database?.refusedByDatabase ?? 0} of ${database?.illegal ?? 0}`,
  ];
}

function databaseProblems(
  { machine, refused }: MachineCount,
  database: MachineFigures | undefined,
): string[] {
  if (!database) return [`${machine}: the database part left it out`];
  if (database.illegal !== refused)
    return [`${machine}: kernel and database disagree on how many cells are illegal`];
  const open = database.illegal - database.refusedByDatabase;
  return open === 0 ? [] : [`${machine}: the database accepts ${open} illegal cells`];
}

/** The moves that no product path takes stand in a published list, which is exact. */
function listProblems(notTaken: readonly string[]): string[] {
  return [
    ...notTaken.filter((edge) => !unreachedEdges.includes(edge)).map((edge) => `${edge} was not taken`),
    ...unreachedEdges
      .filter((edge) => !notTaken.includes(edge))
      .map((edge) => `${edge} was taken, yet is published as not taken`),
  ];
}
