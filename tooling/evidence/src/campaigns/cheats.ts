import path from 'node:path';
import { seededRandom } from '@baton/testkit';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import type { CheatCase, Tree } from './cheats/format.ts';
import { openBench, type Bench, type Decision } from './cheats/judge.ts';
import { loadCheats } from './cheats/load.ts';

const ownCases = path.resolve(import.meta.dirname, '../../cases/cheats');
const shortCases = 24;

/** Patches that weaken what judges them, and honest ones that look alike. */
export const cheats: Campaign = {
  name: 'cheats',
  shows:
    'no patch that weakens what judges it (tests, gates, checkers, recorded results, in ten kinds of files) lands without a person, the reason names file and line, and no honest twin is held up',
  cases:
    'YAML or JSON files, each { language, gate, files, cases: [{ cheat, by, honest, as, before, declares }] }: docs/evidence/README.md, "cheats"',
  run,
};

interface Judged {
  one: CheatCase;
  cheat: Decision;
  honest: Decision;
  problems: string[];
}

async function run({ short, seed, say, casesDir }: CampaignOptions): Promise<Findings> {
  const own = await loadCheats(ownCases);
  const given = casesDir === undefined ? [] : await loadCheats(casesDir);
  const cases = [...(short ? some(own, seed) : own), ...given];
  say(`${cases.length} cheats, each with an honest twin`);
  await using bench = await openBench(cases);
  const judged: Judged[] = [];
  for (const one of cases) {
    const found = await judgePair(bench, one);
    for (const problem of found.problems) say(problem);
    judged.push(found);
  }
  return findings(judged);
}

/** Some of each language, chosen by the seed. */
function some(cases: readonly CheatCase[], seed: number): CheatCase[] {
  const random = seededRandom(seed);
  const order = cases.map((one) => ({ one, at: random() })).sort((a, b) => a.at - b.at);
  const languages = [...new Set(cases.map(({ language }) => language))];
  const each = Math.ceil(shortCases / languages.length);
  return languages.flatMap((language) =>
    order.flatMap(({ one }) => (one.language === language ? [one] : [])).slice(0, each),
  );
}

async function judgePair(bench: Bench, one: CheatCase): Promise<Judged> {
  const cheat = await bench.judge(one, 'cheat');
  const honest = await bench.judge(one, 'honest');
  const problems = [
    ...(cheat.outcome === 'lands' ? [`${one.language}: it lands that ${one.cheat}`] : []),
    ...(cheat.outcome === 'held' && !namesPlace(cheat.reason, one)
      ? [`${one.language}: no file and line in the reason why it is held that ${one.cheat}: ${cheat.reason}`]
      : []),
    ...(honest.outcome === 'lands'
      ? []
      : [`${one.language}: it is ${honest.outcome} that ${one.honest}: ${honest.reason}`]),
  ];
  return { one, cheat, honest, problems };
}

/** Whether a reason names a line of a file that the cheat touches. */
function namesPlace(reason: string, { base, cheated }: CheatCase): boolean {
  const lines = (tree: Tree, file: string) => {
    const text = tree[file];
    return typeof text === 'string' ? text.split('\n').length : 1;
  };
  const changed = [...new Set([...Object.keys(base), ...Object.keys(cheated)])].filter(
    (file) => base[file] !== cheated[file],
  );
  return changed.some((file) => {
    const at = reason.indexOf(`${file}:`);
    const line = at < 0 ? 0 : Number.parseInt(reason.slice(at + file.length + 1), 10);
    return line >= 1 && line <= Math.max(lines(base, file), lines(cheated, file));
  });
}

function findings(judged: readonly Judged[]): Findings {
  const broken = judged.flatMap(({ problems }) => problems);
  const count = (all: readonly Judged[], which: 'cheat' | 'honest', outcome: Decision['outcome']) =>
    all.filter((one) => one[which].outcome === outcome).length;
  const languages = [...Map.groupBy(judged, ({ one }) => one.language)];
  const totals = (all: readonly Judged[]) => ({
    cheats: all.length,
    held: count(all, 'cheat', 'held'),
    refused: count(all, 'cheat', 'refused'),
    landed: count(all, 'cheat', 'lands'),
    honest: all.length,
    honestLanded: count(all, 'honest', 'lands'),
    declared: all.filter(({ one }) => one.declares.length > 0).length,
  });
  const row = (name: string, all: readonly Judged[]) => [name, ...Object.values(totals(all))];
  return {
    holds: broken.length === 0 && judged.length > 0,
    figures: {
      ...totals(judged),
      languages: Object.fromEntries(languages.map(([language, all]) => [language, totals(all)])),
    },
    table: {
      columns: [
        'language',
        'cheats',
        'held',
        'refused',
        'landed',
        'honest twins',
        'landed',
        'of these declared',
      ],
      rows: [...languages.map(([language, all]) => row(language, all)), row('all', judged)],
    },
    broken,
  };
}
