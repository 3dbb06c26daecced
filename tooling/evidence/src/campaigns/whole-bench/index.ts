import type { Campaign, CampaignOptions, Findings } from '../../campaign.ts';
import { addPeer, measureCell, singlePass, type Cell } from './cell.ts';
import { cellFigures, rounded } from './figures.ts';
import { aims, aimsOf, faultOf, missingOf } from './judge.ts';
import { playLong, type LongFigures } from './long.ts';
import type { Pass } from './pass.ts';
import { openScene, type Scene } from './scene.ts';
import { isWanted, long, partNames, shortLong, shortSizes, sizes } from './sizes.ts';
import { tableOf } from './table.ts';

/** A whole plan through the real command, against what its outside programs need by themselves and against a peer's way. */
export const wholeBench: Campaign = {
  name: 'whole-bench',
  shows: `a plan of small tasks takes at most ${aims.ratio} times the sum of its git, process and gate floors on 5,000 files, with trains at most ${aims.trains.ratio} times; at most ${aims.gits} git processes and ${aims.statements} statements a task; 32 agents land at least ${aims.crowdRate} of the rate of 2, and 2,000 tasks end as fast as they began`,
  parts: partNames,
  run: bench,
};

/** What was played. */
interface Played {
  cells: Cell[];
  long: { figures: LongFigures; pass: Pass } | null;
}

async function bench({ short, seed, only, say }: CampaignOptions): Promise<Findings> {
  await using scene = await openScene({ short, seed, say });
  return findingsOf(await play(scene, { short, only }), { short });
}

async function play(
  scene: Scene,
  { short, only }: { short: boolean; only: readonly string[] | undefined },
): Promise<Played> {
  const cells: Cell[] = [];
  const singles = new Map<number, Pass>();
  for (const size of short ? shortSizes : sizes) {
    const withBaton = isWanted(only, 'baton', size);
    if (!withBaton && !isWanted(only, 'peer', size)) continue;
    const single = withBaton ? (singles.get(size.files) ?? (await singlePass(scene, size))) : null;
    if (single !== null) singles.set(size.files, single);
    cells.push(await measureCell(scene, size, single));
  }
  // The short form has shown each way of measuring by then.
  const order = short ? shortLong : long;
  const withLong = short && only === undefined ? false : isWanted(only, 'long', order);
  const playedLong = withLong ? await playLong(scene, order) : null;
  const withPeers: Cell[] = [];
  for (const cell of cells)
    withPeers.push(isWanted(only, 'peer', cell.size) ? await addPeer(scene, cell) : cell);
  return { cells: withPeers, long: playedLong };
}

function findingsOf({ cells, long: played }: Played, { short }: { short: boolean }): Findings {
  const figures = cells.map(cellFigures);
  const longFigures = played?.figures ?? null;
  const passes = [
    ...cells.flatMap(({ baton }) => (baton === null ? [] : [...new Set(Object.values(baton))])),
    ...(played === null ? [] : [played.pass]),
  ];
  const judged = aimsOf(figures, longFigures);
  const broken = [
    ...(passes.length + cells.length === 0 ? ['--only names nothing that is measured.'] : []),
    ...new Set(passes.flatMap(problemsOf)),
    ...figures.filter((_, at) => cells[at]?.baton !== null).flatMap(missingOf),
    // The short form is too small for its figures to say anything; it shows that everything is measured.
    ...(short ? [] : judged.map(faultOf).filter((fault) => fault !== null)),
  ];
  return {
    holds: broken.length === 0,
    figures: plain({ cells: figures, long: longFigures, aims: judged }),
    table: tableOf(figures, longFigures),
    broken,
  };
}

const problemsOf = ({ agents, files, tasks, problems }: Pass): string[] =>
  problems.map((problem) => `${tasks} tasks, ${agents} agents, ${files} files: ${problem}`);

/** As JSON has it: numbers to two places, what was not measured null. */
function plain(figures: object): Record<string, unknown> {
  const readable = (_: string, value: unknown) => (typeof value === 'number' ? rounded(value) : value);
  return JSON.parse(JSON.stringify(figures, readable)) as Record<string, unknown>;
}
