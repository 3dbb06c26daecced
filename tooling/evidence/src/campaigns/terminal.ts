import { spawnSync } from 'node:child_process';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { playHour, type PlayedHour } from './terminal/hour.ts';
import type { Size } from './terminal/terminal.ts';

const sizes: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
];

/** A person's first hour, typed at real terminals, with the screens that came of it. */
export const terminalCampaign: Campaign = {
  name: 'terminal',
  shows:
    'at terminals of 80×24 and 200×50 a first hour of link, doctor, init, run, Ctrl-C, resume, diff, approve, reject and merge ends as it should, and every line fits',
  parts: sizes.map(nameOf),
  run,
};

async function run({ short, only, say }: CampaignOptions): Promise<Findings> {
  if (spawnSync('script', ['--version']).error !== undefined)
    throw new Error('It needs script(1), which is not in PATH.');
  const wanted = sizes
    .filter((size) => only?.includes(nameOf(size)) ?? true)
    .slice(0, short ? 1 : sizes.length);
  const hours: PlayedHour[] = [];
  for (const size of wanted) {
    say(`A terminal of ${nameOf(size)}.`);
    hours.push(await playHour(size, { short }));
  }
  const broken = hours.flatMap((hour) => [
    ...hour.shown.flatMap(({ command, problems }) =>
      problems.map((problem) => `${nameOf(hour.size)}: ${command}: ${problem}`),
    ),
    ...(hour.broken === null ? [] : [`${nameOf(hour.size)}: ${hour.broken}`]),
  ]);
  return {
    holds: broken.length === 0,
    figures: { sizes: wanted.map(nameOf), commands: hours.map(({ shown }) => shown.length) },
    table: {
      columns: ['command', ...hours.map(({ size }) => `lines at ${nameOf(size)}`)],
      rows: (hours[0]?.shown ?? []).map(({ command }, at) => [
        `\`${command}\``,
        ...hours.map(({ shown }) => shown[at]?.lines.length ?? 0),
      ]),
    },
    broken,
    pages: hours.map((hour) => ({ name: nameOf(hour.size), text: pageOf(hour) })),
  };
}

function nameOf({ columns, rows }: Size): string {
  return `${columns}x${rows}`;
}

function pageOf({ size, shown }: PlayedHour): string {
  const block = (lines: readonly string[]) => ['```text', ...lines, '```', ''];
  const steps = shown.flatMap(({ says, during, lines }) => [
    `**${says}**`,
    '',
    ...during.flatMap((screen) => [...block(screen.slice(-size.rows)), 'And at its end:', '']),
    ...block(lines),
  ]);
  return [
    `# A first hour at a terminal of ${size.columns} columns and ${size.rows} rows`,
    '',
    'What stood on the screen, from each command on. Ids, times and folders are replaced; colours are left out.',
    '',
    ...steps,
  ].join('\n');
}
