import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Campaign, Findings } from './campaign.ts';
import { renderChart } from './chart.ts';
import { markdownTable } from './print.ts';

const folder = path.resolve(import.meta.dirname, '../../../docs/evidence');

/** What a full run ran on. */
export interface Setting {
  date: string;
  seed: number;
  cpu: string;
  cores: number;
  memoryGiB: number;
  os: string;
  node: string;
  git: string;
  postgres: string;
  commit: string;
}

/** The machine and the versions of now. */
export function setting(seed: number): Setting {
  const [cpu] = os.cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    seed,
    cpu: cpu?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    os: `${os.type()} ${os.release().split('-')[0] ?? ''}`,
    node: process.version,
    git: text('git', ['--version']).replace('git version ', ''),
    postgres: process.env.DATABASE_URL ? 'by DATABASE_URL' : `packaged ${packagedPostgres()}`,
    commit: text('git', ['rev-parse', '--short', 'HEAD']),
  };
}

function packagedPostgres(): string {
  const file = path.resolve(folder, '../../packages/embedded-postgres/package.json');
  const { dependencies } = JSON.parse(readFileSync(file, 'utf8')) as { dependencies: Record<string, string> };
  return dependencies['embedded-postgres'] ?? 'unknown';
}

const text = (file: string, args: string[]) =>
  execFileSync(file, args, { cwd: folder, encoding: 'utf8' }).trim();

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Keeps the result of a full run in docs/evidence as JSON, as a page and as its charts; returns the paths. */
export async function save(campaign: Campaign, findings: Findings, on: Setting): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const { holds, figures, table, charts = [], pages = [], broken } = findings;
  const json = path.join(folder, `${campaign.name}.json`);
  writeFileSync(json, `${JSON.stringify({ name: campaign.name, holds, setting: on, figures }, null, 2)}\n`);
  const drawn = await Promise.all(
    charts.map(async (chart, at) => {
      const name = `${campaign.name}-${at + 1}.svg`;
      writeFileSync(path.join(folder, name), await renderChart(chart));
      return { name, title: chart.title };
    }),
  );
  const further = pages.map(({ name, text }) => ({ file: `${campaign.name}-${name}.md`, text }));
  for (const { file, text } of further) writeFileSync(path.join(folder, file), text);
  const page = [
    `# ${campaign.name}`,
    '',
    `${sentence(campaign.shows)} **${holds ? 'Holds' : 'Does not hold'}.**`,
    '',
    markdownTable(table),
    '',
    ...drawn.flatMap(({ name, title }) => [`![${title}](${name})`, '']),
    ...further.map(({ file }) => `- [${file}](${file})`),
    ...(further.length > 0 ? [''] : []),
    ...broken.map((line) => `- ${line}`),
    ...(broken.length > 0 ? [''] : []),
    `Full run of \`pnpm evidence ${campaign.name} --seed ${on.seed}\` on ${on.date}: ${on.cpu}, ${on.cores} cores, ${on.memoryGiB} GiB, ${on.os}, Node ${on.node}, git ${on.git}, PostgreSQL ${on.postgres}, commit ${on.commit}.`,
    '',
  ].join('\n');
  const markdown = path.join(folder, `${campaign.name}.md`);
  writeFileSync(markdown, page);
  return [
    json,
    markdown,
    ...drawn.map(({ name }) => path.join(folder, name)),
    ...further.map(({ file }) => path.join(folder, file)),
  ];
}
