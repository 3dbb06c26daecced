import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '@baton/docs';
import { repositoryFiles } from '../files.ts';
import type { Rule } from '../rule.ts';
import { run } from '../run.ts';
import { phrasesIn, proseOf, type Counts, type Place } from './prose.ts';

const ceilingsFile = 'tooling/checks/words.json';

/** What is generated, recorded or written once for a release. */
const excluded =
  /^(\.changeset|docs\/(errors|config)\.md|docs\/(machines|api|schema)\/|docs\/evidence\/(?!README))|(^|\/)(fixtures|generated|CHANGELOG\.md)/;

const areas = {
  documents: /\.md$/,
  sources: /^(packages|apps)\/[^/]+\/src\/|\.test\.ts$/,
} as const;

type Area = keyof typeof areas;
type Ceilings = Record<Area, Counts>;

/** Documents, comments, messages and test titles keep to plain English. Source: CONTRIBUTING.md#language. */
export const words: Rule = {
  name: 'words',
  what: `phrases to avoid are not more than ${ceilingsFile} counts`,
  async check() {
    const found = await places();
    const recent = await recentlyChanged();
    const ceilings = readCeilings();
    return (Object.keys(areas) as Area[]).flatMap((area) =>
      wordProblems(area, { places: found[area], ceilings: ceilings[area], recent }),
    );
  },
  async fix() {
    const found = await places();
    const ceilings = readCeilings();
    const lowered = {
      documents: lowerCeilings(found.documents, ceilings.documents),
      sources: lowerCeilings(found.sources, ceilings.sources),
    };
    if (JSON.stringify(lowered) === JSON.stringify(ceilings)) return [];
    writeFileSync(path.join(root, ceilingsFile), `${JSON.stringify(lowered, null, 2)}\n`);
    return [ceilingsFile];
  },
};

/** What is wrong with the counts of one area: each phrase above its ceiling with its places, each ceiling that can be lowered. */
export function wordProblems(
  area: string,
  { places, ceilings, recent }: { places: readonly Place[]; ceilings: Counts; recent: ReadonlySet<string> },
): string[] {
  const counts = countsOf(places);
  const phrases = Object.keys({ ...ceilings, ...counts });
  const above = phrases.filter((phrase) => (counts[phrase] ?? 0) > (ceilings[phrase] ?? 0));
  const below = phrases.filter((phrase) => (counts[phrase] ?? 0) < (ceilings[phrase] ?? 0));
  const suspects = places
    .filter(({ phrase }) => above.includes(phrase))
    .sort((a, b) => Number(recent.has(b.file)) - Number(recent.has(a.file)));
  return [
    ...above.map(
      (phrase) =>
        `${area}: "${phrase}" ${counts[phrase] ?? 0} times, at most ${ceilings[phrase] ?? 0} allowed`,
    ),
    ...suspects.slice(0, 20).map(({ file, line, phrase }) => `${file}:${line}: "${phrase}"`),
    ...below.map(
      (phrase) =>
        `${area}: "${phrase}" only ${counts[phrase] ?? 0} times, ${ceilings[phrase] ?? 0} allowed: \`pnpm check words --fix\``,
    ),
  ];
}

/** The ceilings brought down to what is there; never raised. */
export function lowerCeilings(places: readonly Place[], ceilings: Counts): Counts {
  const counts = countsOf(places);
  const lowered = Object.entries(ceilings).map(
    ([phrase, ceiling]) => [phrase, Math.min(ceiling, counts[phrase] ?? 0)] as const,
  );
  return Object.fromEntries(lowered.filter(([, ceiling]) => ceiling > 0));
}

function countsOf(places: readonly Place[]): Counts {
  const counts: Record<string, number> = {};
  for (const { phrase } of places) counts[phrase] = (counts[phrase] ?? 0) + 1;
  return counts;
}

async function places(): Promise<Record<Area, Place[]>> {
  const files = (await repositoryFiles(/\.(md|tsx?)$/)).filter((file) => !excluded.test(file));
  const of = (area: Area) =>
    files
      .filter((file) => areas[area].test(file))
      .flatMap((file) =>
        phrasesIn(proseOf(file, readFileSync(path.join(root, file), 'utf8'))).map((place) => ({
          file,
          ...place,
        })),
      );
  return { documents: of('documents'), sources: of('sources') };
}

/** Files that differ from the commit before the last one: what is new is probably in them. */
async function recentlyChanged(): Promise<Set<string>> {
  const { stdout } = await run(['git', 'diff', '--name-only', 'HEAD~1']);
  return new Set(stdout.split('\n'));
}

function readCeilings(): Ceilings {
  return JSON.parse(readFileSync(path.join(root, ceilingsFile), 'utf8')) as Ceilings;
}
