import { availableParallelism } from 'node:os';
import { tempDir } from '@baton/testkit';
import { afterStage } from '../../../../../apps/cli/test/torture/after-campaign.ts';
import { remoteStage } from '../../../../../apps/cli/test/torture/remote-campaign.ts';
import { repairStage } from '../../../../../apps/cli/test/torture/repair-campaign.ts';
import { secretsStage } from '../../../../../apps/cli/test/torture/secrets-campaign.ts';
import {
  checkedOutStage,
  oddRunsStage,
  ownServerStage,
  runsStage,
  underRunsStage,
} from '../../../../../apps/cli/test/torture/runs-campaign.ts';
import { checkpointStage } from '../../../../../apps/cli/test/torture/checkpoint-campaign.ts';
import { inProcessStage } from '../../../../../apps/cli/test/torture/in-process-campaign.ts';
import { rareRunsStage } from '../../../../../apps/cli/test/torture/rare-campaign.ts';
import {
  deprivedServerStage,
  freshDatabaseStage,
} from '../../../../../apps/cli/test/torture/server-campaign.ts';
import { productionCatalogue } from '../../../../../packages/task-store/test/campaigns/torture/catalogue.ts';
import { inflict } from '../../../../../packages/task-store/test/campaigns/torture/inflict.ts';
import { processesStage } from '../../../../../packages/task-store/test/campaigns/torture/processes-campaign.ts';
import { openTortureServer } from '../../../../../packages/task-store/test/campaigns/torture/server.ts';
import { simulateBeside } from '../../../../../packages/task-store/test/campaigns/torture/simulate-beside.ts';
import {
  bulkStage,
  postgresStage,
  storeStage,
} from '../../../../../packages/task-store/test/campaigns/torture/store-campaign.ts';
import type { Campaign, CampaignOptions, Findings } from '../../campaign.ts';
import { findingsOf } from './findings.ts';
import { parts, type Gathered, type Part } from './gathered.ts';
import { addToTotals, countsOf, totalsFile } from './totals.ts';

/** Real kills at every crash point, and simulated ones in numbers. */
export const torture: Campaign = {
  name: 'torture',
  shows:
    'every durable write and outer effect is a numbered point; processes and Postgres are killed at each of them, and no promise is broken',
  parts,
  adds: 'real trials in all parts together, with 200 simulated ones each (as many as the points give rise to, and 100000, when left out): fewer are chosen from the points by the seed, further ones strike at random. Totals are kept in --state FILE',
  isInterruptible: true,
  run: inflictAll,
};

const fullSimulated = 100_000;
const shortSimulated = 60;
const simulatedOfTrial = 200;
/** What is left after 40 minutes is not begun, and walks end then. Some 330 trials take 24 minutes of two quiet cores. */
const mostMs = 40 * 60_000;
const mostWalkMs = 40 * 60_000;

async function inflictAll(options: CampaignOptions): Promise<Findings> {
  const { short, seed, say, only, trials = null, stateFile, interrupted } = options;
  const wanted = (part: Part) => only === undefined || only.includes(part);
  const catalogue = await productionCatalogue();
  say(`${catalogue.points.length} crash points in the text of the production code`);
  const startedMs = performance.now();
  const gathered: Gathered = {
    points: catalogue.points,
    sums: {},
    simulated: null,
    totals: null,
    isFull: !short && only === undefined && trials === null,
    isCutOff: false,
    interruption: null,
  };
  const isOver = () => (gathered.isCutOff ||= performance.now() - startedMs > mostMs);
  const failed = new AbortController();
  const late = setTimeout(() => {
    gathered.isCutOff = true;
    failed.abort();
  }, mostWalkMs);
  const signal = AbortSignal.any([failed.signal, ...(interrupted === undefined ? [] : [interrupted])]);
  const sizeOf = () => (trials === null ? fullSimulated : Math.min(fullSimulated, trials * simulatedOfTrial));
  const simulation = wanted('simulated')
    ? simulateBeside({
        trials: short ? shortSimulated : sizeOf(),
        seed,
        processes: short ? 1 : availableParallelism(),
        signal,
      })
    : null;
  // Whoever waits for it hears of a failure later.
  simulation?.finished.catch(() => undefined);
  const given = { catalogue, signal };
  const stages = [
    storeStage(given),
    bulkStage(given),
    postgresStage(given),
    processesStage({ ...given, seed }),
    runsStage(given),
    oddRunsStage(given),
    checkedOutStage(given),
    repairStage(given),
    remoteStage(given),
    afterStage(given),
    secretsStage(given),
    rareRunsStage(given),
    checkpointStage(given),
    inProcessStage(given),
    ownServerStage(given),
    deprivedServerStage(given),
    freshDatabaseStage(given),
    underRunsStage(given),
  ].filter(({ part }) => wanted(part as Part));
  try {
    if (stages.length > 0) {
      await using compiled = await tempDir();
      await using servers = new AsyncDisposableStack();
      const lanes = short ? 2 : availableParallelism() + 2;
      const opened = await Promise.allSettled(
        Array.from({ length: lanes }, () => openTortureServer(compiled.path)),
      );
      for (const one of opened) if (one.status === 'fulfilled') servers.use(one.value);
      const failure = opened.find((one) => one.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
      const { sums, wanted: size } = await inflict(stages, {
        servers: opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
        seed,
        short,
        trials,
        signal,
        say,
        isOver,
      });
      gathered.sums = sums;
      gathered.size = size;
    }
    if (simulation !== null) gathered.simulated = await simulation.finished;
  } catch (error) {
    clearTimeout(late);
    failed.abort();
    await simulation?.finished.catch(() => undefined);
    throw error;
  }
  clearTimeout(late);
  gathered.interruption = interrupted?.aborted ? String(interrupted.reason) : null;
  const file = stateFile ?? (short ? null : totalsFile(process.env));
  if (file !== null) gathered.totals = addToTotals(file, countsOf(gathered));
  return findingsOf(gathered);
}
