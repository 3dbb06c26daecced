import { migrate } from '@baton/task-store';
import type { Campaign, CampaignOptions, Findings } from '../../campaign.ts';
import { profileRow } from './profile.ts';
import { backlogRow } from './row-backlog.ts';
import { chartsOf } from './charts.ts';
import { bulkRow } from './row-bulk.ts';
import { createRow } from './row-create.ts';
import { feedRow } from './row-feed.ts';
import { headRow } from './row-head.ts';
import { latencyRow } from './row-latency.ts';
import { oneRow } from './row-one.ts';
import { snapshotRow } from './row-snapshot.ts';
import { windowRow } from './row-window.ts';
import { reached, type Aim, type Row, type RowFindings } from './row.ts';
import { startBenchServer } from './server.ts';

const rows: readonly Row[] = [
  oneRow,
  bulkRow,
  headRow,
  backlogRow,
  feedRow,
  createRow,
  latencyRow,
  snapshotRow,
  windowRow,
];
/** Only when asked for: they claim nothing. */
const tools: readonly Row[] = [profileRow];

/** The store against other queues in Postgres, and against itself under load. */
export const storeBench: Campaign = {
  name: 'store-bench',
  shows:
    'the store keeps up with the best queues in Postgres on the same server, and stays as fast under load',
  parts: [...rows, ...tools].map(({ name }) => name),
  run: bench,
};

interface Done extends RowFindings {
  row: Row;
}

async function bench({ short, say, only }: CampaignOptions): Promise<Findings> {
  const chosen =
    only === undefined
      ? rows
      : [...rows, ...tools].filter(({ name }) => only.some((part) => partOf(part).row === name));
  const done: Done[] = [];
  await using server = await startBenchServer(short ? { makeStore: migrate, forgets: true } : {});
  const setting = await server.describe();
  for (const row of chosen) {
    say(`${row.name}: ${row.work}`);
    const startedMs = performance.now();
    const wanted = (contender: string) => isWanted(only, { row: row.name, contender });
    done.push({ ...(await row.run({ server, short, say, wanted })), row });
    say(`  ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  }
  return findings(done, { short, setting });
}

/** A part is a row, or `row/contender`. */
function partOf(part: string): { row: string; contender: string | undefined } {
  const [row = '', contender] = part.split('/');
  return { row, contender };
}

function isWanted(only: readonly string[] | undefined, asked: { row: string; contender: string }): boolean {
  const named = (only ?? []).map(partOf).filter(({ row, contender }) => row === asked.row && contender);
  return named.length === 0 || named.some(({ contender }) => contender === asked.contender);
}

function findings(
  done: readonly Done[],
  options: { short: boolean; setting: Record<string, string> },
): Findings {
  // The short form is too small for its figures to say anything; it shows that everybody did all their jobs.
  const judged = options.short ? [] : done.flatMap(({ row, aims }) => aims.map((aim) => ({ row, aim })));
  const missed = judged.filter(({ aim }) => !Number.isNaN(aim.ratio) && !reached(aim));
  const broken = [
    ...done.flatMap((each) => each.broken ?? []),
    ...missed.map(
      ({ row, aim }) => `${row.name}: ${aim.what} is ${aim.ratio.toFixed(2)}, ${wantedText(aim)}.`,
    ),
  ];
  const lines = done.flatMap(({ row, lines: all }) =>
    all.map((line) => [
      row.name,
      line.contender,
      line.perSecond,
      line.serverMs,
      line.clientMs,
      line.walBytes,
    ]),
  );
  const ratios = done.flatMap(({ row, aims }) =>
    aims
      .filter(({ ratio }) => !Number.isNaN(ratio))
      .map((aim) => [row.name, aim.what, aim.ratio.toFixed(2), wantedText(aim), verdict(aim), '']),
  );
  return {
    holds: broken.length === 0,
    figures: {
      server: options.setting,
      ...Object.fromEntries(done.map(({ row, figures, aims }) => [row.name, { ...figures, aims }])),
    },
    table: {
      columns: ['row', 'who', 'per second', 'server CPU ms', 'client CPU ms', 'log bytes'],
      rows: [...lines, ...ratios],
    },
    charts: chartsOf(done),
    broken,
  };
}

function wantedText({ least, most }: Aim): string {
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? '' : `at most ${most}`;
}

function verdict(aim: Aim): string {
  if (aim.least === undefined && aim.most === undefined) return '';
  return reached(aim) ? 'reached' : 'MISSED';
}
