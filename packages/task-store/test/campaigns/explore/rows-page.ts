import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ExploreReport } from './explore-size.ts';
import { factNames } from './tuple-facts.ts';

const file = fileURLToPath(new URL('../../../../../docs/evidence/coupled-rows.md', import.meta.url));
type Tuples = ExploreReport['tuples'];

const head = `# Coupled rows

Every tuple of task · turn · agent · execution that an open attempt can reach, with each fact that is possible there and
the row of the coupled steps that it takes; every other fact is impossible there, and refused. \`pnpm evidence explore\`
reaches the tuples, tries every fact on each, and holds this page against what it finds, both ways.

Facts: ${factNames.join(', ')}.
`;

/** The published table of reachable tuples. */
export function rowsPage(tuples: Tuples): string {
  const parts = Object.keys(tuples)
    .sort()
    .map((tuple) => {
      const facts = tuples[tuple] ?? {};
      const lines = factNames.flatMap((fact) => {
        const rows = facts[fact];
        return rows === undefined ? [] : [`- ${fact}: ${rows.join(' or ')}`];
      });
      return [`## ${tuple}`, '', ...lines].join('\n');
    });
  return `${[head.trim(), ...parts].join('\n\n')}\n`;
}

/** What the published table says otherwise than an exploration; a small one reaches less, a full one all of it. */
export function rowsPageProblems(tuples: Tuples, { whole }: { whole: boolean }): string[] {
  const published = readPage();
  const found = new Set(linesOf(tuples));
  const said = new Set(linesOf(published));
  return [
    ...[...found].filter((line) => !said.has(line)).map((line) => `not published: ${line}`),
    ...(whole
      ? [...said].filter((line) => !found.has(line)).map((line) => `published, and not reached: ${line}`)
      : []),
  ];
}

/** Writes the published table. */
export function writeRowsPage(tuples: Tuples): void {
  writeFileSync(file, rowsPage(tuples));
}

function linesOf(tuples: Tuples): string[] {
  return Object.entries(tuples).flatMap(([tuple, facts]) => [
    tuple,
    ...Object.entries(facts).map(([fact, rows]) => `${tuple}: ${fact} is ${rows.join(' or ')}`),
  ]);
}

function readPage(): Tuples {
  const tuples: Tuples = {};
  for (const part of readFileSync(file, 'utf8').split(/^## /m).slice(1)) {
    const [tuple = '', ...lines] = part.trim().split('\n');
    const facts = lines.flatMap((line) => {
      const fact = factNames.find((name) => line.startsWith(`- ${name}: `));
      return fact === undefined ? [] : [[fact, line.slice(fact.length + 4).split(' or ')] as const];
    });
    tuples[tuple] = Object.fromEntries(facts);
  }
  return tuples;
}
