import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { runTests } from './mutants/run-tests.ts';
import { root } from './mutants/scratch.ts';

/** The test files of which `npm test` leaves something out: tests with the tag `long`, and later rounds of tests by chance. */
export const longTests: Campaign = {
  name: 'long-tests',
  shows:
    'the test files of which the suite leaves something out pass: variants with the tag `long`, tests by chance with all of their rounds',
  run,
};

const smallest = 'packages/spawner/test/add-listed.integration.test.ts';
const longestMs = 3_600_000;
const leavesOut = /\btestRounds\(\{|\binParts(<[^(]*>)?\(|\btags: \['long'\]/;

async function run({ short, say, interrupted }: CampaignOptions): Promise<Findings> {
  await using folder = await tempDir();
  const rows: [owner: string, files: number, passed: number, failed: number, again: string][] = [];
  const broken: string[] = [];
  const given = { folder: root, reportFolder: folder.path, serverHome: folder.path, longestMs, interrupted };
  const play = (owner: string, tests: readonly string[]) =>
    runTests(owner, { ...given, tests, bail: false, env: { BATON_TEST_ROUNDS: 'full' } });
  for (const [owner, tests] of byPackage(short ? [smallest] : await longFiles())) {
    say(`${owner}: ${tests.length} files`);
    const ran = await play(owner, tests);
    // As in `npm test`, what is red beside others is played once more, and named.
    const red = [...ran.redFiles.keys()];
    const again = red.length === 0 ? null : await play(owner, red);
    rows.push([owner, tests.length, ran.passed, ran.failed, red.join(', ')]);
    for (const { trouble } of again === null ? [ran] : [ran, again])
      if (trouble !== null) broken.push(`${owner}: no test ran: ${trouble}`);
    for (const [file, why] of again?.redFiles ?? []) broken.push(`${owner}/${file}: ${why}`);
  }
  return {
    holds: broken.length === 0 && rows.length > 0,
    figures: {
      packages: rows.map(([owner, files, passed, failed, again]) => ({
        owner,
        files,
        passed,
        failed,
        again,
      })),
    },
    table: { columns: ['package', 'files', 'passed', 'failed', 'played once more'], rows },
    broken,
  };
}

/** Files from the root of the repository, as their packages know them. */
function byPackage(files: readonly string[]): Map<string, string[]> {
  const packages = new Map<string, string[]>();
  for (const file of files) {
    const [owner, test] = file.split('/test/') as [string, string];
    packages.set(owner, [...(packages.get(owner) ?? []), `test/${test}`]);
  }
  return packages;
}

async function longFiles(): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob('{apps,packages}/*/test/**/*.test.ts', { cwd: root }))
    if (leavesOut.test(await readFile(path.join(root, file), 'utf8'))) found.push(file);
  return found.sort();
}
