import os from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '@baton/embedded-postgres';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { areasOf, chosenFaults, readFaults } from './mutants/fault.ts';
import { findings } from './mutants/findings.ts';
import { inLanes } from './mutants/in-lanes.ts';
import { baseline, type Outcome, plant } from './mutants/plant.ts';
import type { TestRun } from './mutants/run-tests.ts';
import { makeScratch, type Scratch } from './mutants/scratch.ts';

const ours = path.join(import.meta.dirname, '../../mutants');

/** Planted faults, each of which some test must notice. */
export const mutants: Campaign = {
  name: 'mutants',
  shows: 'every planted fault in kernel, store, spawner, janitor and worker turns a test of its package red',
  patches:
    '*.patch: "fault: <one line>" and "tests: <files of the package, or leave the line out>" ("owner: <package>" where the file is in none), an empty line, then a unified diff from the root (a/packages/…, b/packages/…)',
  parts: areasOf(ours),
  isInterruptible: true,
  run,
};

/** Copies that faults are planted in side by side: one more than processors, for runs also wait for their database. */
const mostLanes = Math.min(4, os.availableParallelism() + 1);

async function run({ short, patchesDir, only, say, interrupted }: CampaignOptions): Promise<Findings> {
  const all = chosenFaults(await readFaults(patchesDir ?? ours), only);
  const faults = short ? all.filter(({ owner }) => owner === 'packages/fsm-core').slice(0, 2) : all;
  await using stack = new AsyncDisposableStack();
  const scratches: Scratch[] = [];
  for (let lane = 0; lane < Math.min(mostLanes, faults.length); lane++)
    scratches.push(stack.use(await makeScratch()));
  const serverHome = path.join(scratches[0]?.folder ?? '', 'pg');
  // One server for all runs; each would start its own otherwise.
  if (!short && !process.env.DATABASE_URL) {
    const server = await startEmbeddedPostgres({ home: serverHome, database: 'postgres' });
    stack.defer(() => server.release());
  }
  const surroundings = { serverHome, interrupted };
  const isOver = () => interrupted?.aborted === true;

  // What has most faults has most tests, too: its run without a fault begins first, and its faults come last.
  const owners = [...Map.groupBy(faults, ({ owner }) => owner)].toSorted(
    ([, some], [, others]) => others.length - some.length,
  );
  const green = new Map(owners.map(([owner]) => [owner, Promise.withResolvers<TestRun>()]));
  let told = 0;
  const jobs = [
    ...owners.map(([owner, own]) => async (scratch: Scratch) => {
      const without = await baseline(scratch, own, surroundings);
      green.get(owner)?.resolve(without);
      say(`${owner}: ${without.passed} tests are green without a fault, ${without.failed} red`);
      return null;
    }),
    ...owners.toReversed().flatMap(([owner, own]) =>
      own.map((fault) => async (scratch: Scratch) => {
        const without = await green.get(owner)?.promise;
        if (without === undefined || isOver()) return null;
        const startedMs = performance.now();
        const outcome = await plant(scratch, fault, { ...surroundings, without });
        if (isOver()) return null;
        const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
        const says = outcome.says && `: ${outcome.says}`;
        say(
          `[${++told}/${faults.length}] ${fault.name}: ${outcome.result}, ${seconds} s. ${outcome.by}${says}`,
        );
        return outcome;
      }),
    ),
  ];
  const outcomes = await inLanes(scratches, jobs, { isOver, work: (job, scratch) => job(scratch) });
  // What is not planted now must still fit the sources, or it would be missed no sooner than in the next full run.
  const others = all.filter((fault) => !faults.includes(fault));
  const misfits = await inLanes(scratches, others, {
    isOver,
    work: async ({ name, patch }, scratch) => ({ name, says: await scratch.misfit(patch) }),
  });
  return findings(
    outcomes
      .filter((outcome): outcome is Outcome => outcome !== null)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    { planned: faults.length, looked: misfits.filter((looked) => looked !== null) },
  );
}
