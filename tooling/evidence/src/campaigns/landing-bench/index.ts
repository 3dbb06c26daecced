import type { Campaign, CampaignOptions, Findings } from '../../campaign.ts';
import { block } from './block.ts';
import { crowd } from './crowd.ts';
import { landings } from './landings.ts';
import { overhead } from './overhead.ts';
import { parsing } from './parsing.ts';
import { aimText, faultOf, isMet, shown, type Part, type Row } from './row.ts';
import { workspaces } from './workspaces.ts';

/** What `--only` takes, in the order in which it is measured. */
const parts: Readonly<Record<string, Part>> = { block, workspaces, landings, overhead, parsing, crowd };

/** What Baton adds to what git and agents need by themselves, from a claim to the landed commit. */
export const landingBench: Campaign = {
  name: 'landing-bench',
  shows:
    'a start never holds up the loop of a big process; a workspace is ready in a quarter of the time of git worktree add, a clean change lands in less than half of that of git merge --no-ff; what agents say costs little',
  parts: Object.keys(parts),
  run,
};

async function run({ short, seed, only, say }: CampaignOptions): Promise<Findings> {
  const rows: Row[] = [];
  for (const [name, part] of Object.entries(parts)) {
    if (only !== undefined && !only.includes(name)) continue;
    rows.push(...(await part({ short, seed, say })));
  }
  const broken = rows.map((row) => faultOf(row, { short })).filter((fault) => fault !== null);
  return {
    holds: broken.length === 0,
    figures: {
      rows: rows.map(({ what, value, unit, aim, figures = {} }) => ({
        ...{ what, value: rounded(value), unit: unit.trim(), aim },
        ...Object.fromEntries(Object.entries(figures).map(([key, figure]) => [key, rounded(figure)])),
      })),
    },
    table: {
      columns: ['what', 'Baton', 'against', 'ratio or figure', 'aim', 'met'],
      rows: rows.map((row) => [
        ...[row.what, row.baton, row.peer, shown(row.value, row.unit), aimText(row)],
        row.aim === null ? '–' : isMet(row) ? 'yes' : 'no',
      ]),
    },
    broken,
  };
}

const rounded = (figure: number | string): number | string =>
  typeof figure === 'number' ? Math.round(figure * 1_000) / 1_000 : figure;
