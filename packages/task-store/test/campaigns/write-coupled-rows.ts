import { cornerSizes, sizeA, sizeSmall } from './world/sizes.ts';
import { exploreSize, type ExploreReport } from './explore/explore-size.ts';
import { writeRowsPage } from './explore/rows-page.ts';
import { joinTuples } from './explore/run-explore.ts';

// Writes docs/evidence/coupled-rows.md anew from what the smaller sizes reach.
const tuples: ExploreReport['tuples'] = {};
const faults = { crashes: 1, duplicates: 1, delays: 1, all: 1 };
for (const { name } of [sizeSmall, ...cornerSizes])
  joinTuples(tuples, exploreSize({ size: name, tuples: true }).tuples);
joinTuples(tuples, exploreSize({ size: sizeA.name, tuples: true, faults }).tuples);
writeRowsPage(tuples);
