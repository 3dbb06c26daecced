import { existsSync } from 'node:fs';
import path from 'node:path';
import { startFakeModelServer } from '@baton/testkit/model-server';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { ecosystems } from './first-hour/ecosystems.ts';
import { readmeSteps } from './first-hour/readme.ts';
import { situations } from './first-hour/situations.ts';
import { firstHour, type Hour } from './first-hour/stranger.ts';

const repositories = [...ecosystems, ...situations];

/** Baton as built, tried for the first time in repositories of many kinds. */
export const firstHourCampaign: Campaign = {
  name: 'first-hour',
  shows:
    'in repositories of every kind init, doctor, a plan, a goal and a merge end as they should at the first try, and nothing of the user changes but by the merge',
  parts: repositories.map(({ name }) => partOf(name)),
  run,
};

const command = path.resolve(import.meta.dirname, '../../../../apps/cli/dist/main.js');
/** The short form: one repository, and what the README says. */
const shortOne = 'npm, no dependency';
/** Each is mostly waiting for processes that it started. */
const lanes = 2;

/** The agent of goals: its model writes the file that the goal names. */
const script = {
  scripts: [
    {
      name: 'file',
      when: '[Ww]rite the file (\\w+)\\.txt',
      turns: [
        {
          say: 'I write it.',
          do: [{ tool: 'write_file', input: { path: '{{1}}.txt', content: '{{1}}\n' } }],
        },
        { say: 'Written.' },
      ],
    },
  ],
};

async function run({ short, only, say }: CampaignOptions): Promise<Findings> {
  if (!existsSync(command)) throw new Error('The command is not built. Run: pnpm build');
  const wanted = repositories.filter(({ name }) => only?.includes(partOf(name)) ?? true);
  const model = await startFakeModelServer({ script });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => model.close());
  const reach = { baton: [process.execPath, command] as const, modelUrl: model.url };
  const hours: Hour[] = [];
  const waiting = short ? wanted.filter(({ name }) => name === shortOne) : [...wanted];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const hour = await firstHour(next, short ? { ...reach, steps: await readmeSteps() } : reach);
      hours.push(hour);
      say(`${hour.repository}: ${resultOf(hour)}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return findings(hours.toSorted((a, b) => orderOf(a) - orderOf(b)));
}

const orderOf = ({ repository }: Hour) => repositories.findIndex(({ name }) => name === repository);

function partOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function resultOf({ missing, problems }: Hour): string {
  if (missing.length > 0) return `left out: no ${missing.join(', ')} here`;
  return problems.length === 0 ? 'as it should be' : problems.join('\n');
}

function findings(hours: readonly Hour[]): Findings {
  const tried = hours.filter(({ missing }) => missing.length === 0);
  const broken = tried.flatMap(({ repository, problems }) =>
    problems.map((text) => `${repository}: ${text}`),
  );
  const minutes = (seconds: number) => Number((seconds / 60).toFixed(2));
  return {
    holds: broken.length === 0 && tried.length > 0,
    figures: {
      repositories: tried.length,
      leftOut: hours.filter(({ missing }) => missing.length > 0).map(({ repository }) => repository),
      firstWork: tried.map(({ repository, commands, seconds }) => ({
        repository,
        commands,
        minutes: minutes(seconds),
      })),
    },
    table: {
      columns: ['repository', 'commands to the first landed work', 'minutes', 'result'],
      rows: hours.map((hour) => [
        hour.repository,
        hour.missing.length > 0 ? '' : hour.commands,
        hour.missing.length > 0 ? '' : minutes(hour.seconds).toFixed(2),
        hour.problems.length === 0 ? resultOf(hour) : 'not as it should be',
      ]),
    },
    broken,
  };
}
