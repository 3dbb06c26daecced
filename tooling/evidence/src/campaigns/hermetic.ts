import { createExec, findIsolation } from '@baton/spawner';
import { seededRandom, tempDir } from '@baton/testkit';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { actors, type ActorName } from './hermetic/actors.ts';
import { costOf, type Cost } from './hermetic/cost.ts';
import { loadWrites } from './hermetic/load.ts';
import { openStage, type Answers, type Stage, type Way } from './hermetic/stage.ts';
import { writes, type Write } from './hermetic/writes.ts';

/** Whatever is left behind, by whomever, a later verdict is the one of a virgin state. */
export const hermetic: Campaign = {
  name: 'hermetic',
  shows:
    'what agents, gates, commits and earlier runs leave behind (set-up, ignored and other files, git, links, processes) changes no later verdict, with namespaces and without; what that costs at 5,000 files and 300 MB of packages',
  cases: 'YAML or JSON files, each a list of { name, line }: a line of shell that leaves something in a tree',
  run,
};

interface Case {
  write: Write;
  actor: ActorName;
  judged: 'good' | 'bad';
  way: Way;
}

const shortCases = 6;
const costAim = 1.3;

async function run({ short, seed, say, casesDir }: CampaignOptions): Promise<Findings> {
  const ways = await waysHere();
  const given = casesDir === undefined ? [] : await loadWrites(casesDir);
  const all = shuffled(casesOf([...writes, ...given], ways), seed);
  const own = all.filter(({ write }) => given.includes(write));
  const cases = short ? [...all.slice(0, shortCases), ...own.slice(0, shortCases)] : all;
  say(`${cases.length} contaminations, ${ways.join(' and ')}`);
  const broken: string[] = [];
  const counts = new Map<string, number>();
  for (const way of ways) {
    await using stage = await openStage(way);
    const virgin = { good: await stage.judge(stage.good), bad: await stage.judge(stage.bad) };
    broken.push(...virginFaults(virgin, way));
    let done = 0;
    for (const each of cases.filter((one) => one.way === way)) {
      const fault = await tryOne(stage, each, virgin[each.judged]);
      if (fault !== null) say(fault);
      if (fault !== null) broken.push(fault);
      const key = `${each.actor}, ${way}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if ((done += 1) % 50 === 0) say(`${way}: ${done} judged, ${broken.length} broken`);
    }
  }
  const cost = await costOf(
    short ? { files: 100, installed: 100, rounds: 1 } : { files: 5_000, installed: 19_800, rounds: 9 },
  );
  say(`a plain reset ${cost.plainMs} ms, hermetic ${cost.hermeticMs} ms`);
  return findings({ counts, broken, cost, ways, short });
}

/** The verdict that stands alone; a tree that could not be left alone was not judged, which is no wrong verdict. */
async function tryOne(
  stage: Stage,
  { write, actor, judged, way }: Case,
  virgin: Answers,
): Promise<string | null> {
  const name = `${write.name}, ${actor}, ${judged} commit, ${way}`;
  try {
    const answers = await actors[actor](stage, { write, judged: stage[judged] });
    const wrong = Object.keys(virgin).filter((question) => answers[question] !== virgin[question]);
    return wrong.length === 0
      ? null
      : `${name}: ${wrong.join(', ')} answered otherwise than in a virgin state`;
  } catch (error) {
    return `${name}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A question that says the same of both commits would show nothing. */
function virginFaults({ good, bad }: { good: Answers; bad: Answers }, way: Way): string[] {
  return Object.keys(good)
    .filter((question) => good[question] !== true || bad[question] !== false)
    .map((question) => `${way}: "${question}" does not tell the good commit from the bad one`);
}

function casesOf(all: readonly Write[], ways: readonly Way[]): Case[] {
  const names = Object.keys(actors) as ActorName[];
  return all.flatMap((write, at) =>
    names.flatMap((actor, turn) =>
      ways.map((way): Case => ({ write, actor, way, judged: (at + turn) % 2 === 0 ? 'good' : 'bad' })),
    ),
  );
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  const random = seededRandom(seed);
  return list
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

async function waysHere(): Promise<Way[]> {
  await using dir = await tempDir();
  const exec = createExec({ clock: { now: () => new Date(), monotonicMs: () => performance.now() } });
  const env = { PATH: process.env['PATH'] ?? '' };
  const found = await findIsolation({ exec, env, dir: dir.path, wish: 'auto' });
  return found.kind === 'overlay' ? ['overlay', 'copy'] : ['copy'];
}

function findings({
  counts,
  broken,
  cost,
  ways,
  short,
}: {
  counts: ReadonlyMap<string, number>;
  broken: readonly string[];
  cost: Cost;
  ways: readonly Way[];
  short: boolean;
}): Findings {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    holds: broken.length === 0,
    figures: {
      contaminations: total,
      broken: broken.length,
      ways,
      cost: { ...cost, aim: costAim, met: short ? null : cost.ratio <= costAim },
    },
    table: {
      columns: ['left by', 'contaminations'],
      rows: [
        ...[...counts].sort(([a], [b]) => a.localeCompare(b)),
        ['cost against a plain reset', `${cost.ratio} (${cost.hermeticMs} ms to ${cost.plainMs} ms)`],
      ],
    },
    broken,
  };
}
