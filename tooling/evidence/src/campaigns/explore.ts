import { rowsPageProblems } from '../../../../packages/task-store/test/campaigns/explore/rows-page.ts';
import {
  runExplore,
  type ExploreFindings,
} from '../../../../packages/task-store/test/campaigns/explore/run-explore.ts';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';

/** Every reachable state of a small store, bound to the decisions that the real one takes. */
export const explore: Campaign = {
  name: 'explore',
  shows:
    'every reachable state of the small sizes keeps the invariants, every reachable tuple has one coupled row for each possible fact, and every planted bug is found',
  patches:
    '*.patch: what the bug is, in words; then a unified diff against the sources of packages/fsm-core and packages/task-store, as of the root of the repository (a/packages/…); one that does not apply is an error',
  run,
};

async function run({ short, seed, patchesDir, say }: CampaignOptions): Promise<Findings> {
  const patches = patchesDir === undefined ? {} : { patchesDir };
  const found = await runExplore({ short, seed, say, ...patches });
  const broken = [...found.broken, ...rowsPageProblems(found.tuples, { whole: !short })];
  return { holds: broken.length === 0, figures: figuresOf(found), table: tableOf(found), broken };
}

function figuresOf({ sizes, walks, hunts, tuples }: ExploreFindings): Findings['figures'] {
  return {
    sizes: sizes.map(({ size, exploration, seconds, peakMegabytes }) => ({
      size,
      states: exploration?.states,
      steps: exploration?.steps,
      depth: exploration?.depth,
      fixpoint: exploration?.fixpoint,
      seconds: round(seconds),
      peakMegabytes,
    })),
    walks: walks.map(({ size, walks: walked, seconds }) => ({
      size,
      walks: walked?.walks,
      steps: walked?.steps,
      settled: walked?.settled,
      seconds: round(seconds),
    })),
    tuples: Object.keys(tuples).length,
    possibleFacts: Object.values(tuples).reduce((sum, facts) => sum + Object.keys(facts).length, 0),
    planted: hunts.length,
    found: hunts.filter(({ found: what }) => what !== null).length,
    hunts: hunts.map(({ name, found: what, steps, size }) => ({ name, found: what, steps, size })),
  };
}

const round = (seconds: number) => Math.round(seconds * 10) / 10;

function tableOf({ sizes, walks, hunts }: ExploreFindings): Findings['table'] {
  return {
    columns: ['what', 'states or walks', 'steps', 'depth', 'seconds', 'MB', 'found'],
    rows: [
      ...sizes.map(({ size, exploration, seconds, peakMegabytes }) => [
        size,
        exploration?.states ?? 0,
        exploration?.steps ?? 0,
        exploration?.depth ?? 0,
        round(seconds),
        peakMegabytes,
        exploration?.violation?.what ??
          (exploration?.fixpoint === true ? 'fixpoint, nothing' : 'no fixpoint'),
      ]),
      ...walks.map(({ size, walks: walked, seconds, peakMegabytes }) => [
        size,
        walked?.walks ?? 0,
        walked?.steps ?? 0,
        '',
        round(seconds),
        peakMegabytes,
        walked?.violation?.what ?? 'nothing',
      ]),
      ...hunts.map(({ name, states, steps, found, problem }) => [
        `planted: ${name}`,
        states,
        '',
        steps ?? '',
        '',
        '',
        problem ?? found ?? 'NOT FOUND',
      ]),
    ],
  };
}
