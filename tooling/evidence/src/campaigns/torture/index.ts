import { availableParallelism } from 'node:os';
import { tortureRuns } from '../../../../../apps/cli/test/torture/runs-campaign.ts';
import { productionCatalogue } from '../../../../../packages/task-store/test/campaigns/torture/catalogue.ts';
import { tortureProcesses } from '../../../../../packages/task-store/test/campaigns/torture/processes-campaign.ts';
import { openTortureServer } from '../../../../../packages/task-store/test/campaigns/torture/server.ts';
import { simulateInThreads } from '../../../../../packages/task-store/test/campaigns/torture/simulated-threads.ts';
import {
  torturePostgres,
  tortureStore,
} from '../../../../../packages/task-store/test/campaigns/torture/store-campaign.ts';
import type { Campaign, CampaignOptions, Findings } from '../../campaign.ts';
import { findingsOf, parts, type Gathered, type Part } from './findings.ts';
import { addToTotals, totalsFile } from './totals.ts';

/** Real kills at every crash point, and simulated ones in numbers. */
export const torture: Campaign = {
  name: 'torture',
  shows:
    'every durable write and outer effect is a numbered point; processes and Postgres are killed at each of them, and no promise is broken',
  parts,
  adds: 'simulated trials of this run (100000); real trials follow from the points. Totals are kept in --state FILE',
  run: inflict,
};

const fullTrials = 100_000;
const shortTrials = 300;
/** What is left after 24 minutes is not begun: the whole must end within 25. */
const mostMs = 24 * 60_000;

const campaigns = {
  store: tortureStore,
  runs: tortureRuns,
  processes: tortureProcesses,
  postgres: torturePostgres,
};

async function inflict(options: CampaignOptions): Promise<Findings> {
  const { short, seed, say, only, trials, stateFile } = options;
  const wanted = (part: Part) => only === undefined || only.includes(part);
  const catalogue = await productionCatalogue();
  say(`${catalogue.points.length} crash points in the text of the production code`);
  const startedMs = performance.now();
  let isCutOff = false;
  const isOver = () => (isCutOff ||= performance.now() - startedMs > mostMs);
  const lanes = availableParallelism() + 1;
  const gathered: Gathered = {
    points: catalogue.points,
    sums: {},
    simulated: null,
    totals: null,
    isFull: !short && only === undefined,
    isCutOff: false,
  };
  if (wanted('simulated')) {
    const size = trials ?? (short ? shortTrials : fullTrials);
    say(`simulated: ${size} trials`);
    const threads = short ? 1 : availableParallelism();
    gathered.simulated = await simulateInThreads({ trials: size, seed, threads });
  }
  await using server = await openTortureServer();
  for (const [part, inflictOn] of Object.entries(campaigns) as [
    keyof typeof campaigns,
    typeof tortureRuns,
  ][]) {
    if (!wanted(part)) continue;
    gathered.sums[part] = await inflictOn({
      server,
      catalogue,
      seed,
      short,
      lanes,
      isOver,
      say: (line) => say(`${part}: ${line}`),
    });
  }
  gathered.isCutOff = isCutOff;
  const file = stateFile ?? (short ? null : totalsFile(process.env));
  if (file !== null) gathered.totals = addToTotals(file, countsOf(gathered));
  return findingsOf(gathered);
}

function countsOf({ sums, simulated }: Gathered): Parameters<typeof addToTotals>[1] {
  const all = Object.values(sums);
  const sum = (pick: (one: (typeof all)[number]) => number) =>
    all.reduce((count, one) => count + pick(one), 0);
  const joined = (pick: (one: (typeof all)[number]) => string[]) => [...new Set(all.flatMap(pick))];
  return {
    trials: sum((one) => one.trials),
    kills: sum((one) => one.kills),
    simulated: simulated?.trials ?? 0,
    violations: sum((one) => one.violations.length) + (simulated?.violations.length ?? 0),
    reached: joined((one) => one.reached),
    struck: joined((one) => one.struck),
  };
}
