import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { runTests } from './mutants/run-tests.ts';
import { root } from './mutants/scratch.ts';

/** The tests by chance, with all of their rounds. */
export const longTests: Campaign = {
  name: 'long-tests',
  shows: 'the tests by chance, of which the suite plays the first rounds, pass with all of their rounds',
  run,
};

const smallest = 'packages/spawner/test/add-listed.integration.test.ts';
const longestMs = 3_600_000;

async function run({ short, say, interrupted }: CampaignOptions): Promise<Findings> {
  await using folder = await tempDir();
  const rows: [file: string, passed: number, failed: number][] = [];
  const broken: string[] = [];
  for (const file of short ? [smallest] : await filesByChance()) {
    say(file);
    const [owner, test] = file.split('/test/') as [string, string];
    const ran = await runTests(owner, {
      ...{ folder: root, reportFolder: folder.path, serverHome: folder.path, longestMs, interrupted },
      ...{ tests: [`test/${test}`], bail: false, env: { BATON_TEST_ROUNDS: 'full' } },
    });
    rows.push([file, ran.passed, ran.failed]);
    if (ran.trouble !== null) broken.push(`${file}: no test ran: ${ran.trouble}`);
    if (ran.failed > 0) broken.push(`${file}: ${[...ran.redFiles.values()].join('; ')}`);
  }
  return {
    holds: broken.length === 0 && rows.length > 0,
    figures: { files: rows.map(([file, passed, failed]) => ({ file, passed, failed })) },
    table: { columns: ['file', 'passed', 'failed'], rows },
    broken,
  };
}

/** The test files of packages that ask how many rounds to play. */
async function filesByChance(): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob('packages/*/test/*.test.ts', { cwd: root }))
    if ((await readFile(path.join(root, file), 'utf8')).includes('testRounds({')) found.push(file);
  return found.sort();
}
