import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { appArguments, seededRandom, tempDir } from '@baton/testkit';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { runProgram } from '../run-program.ts';
import { makeBenchRepo } from './bench-repo.ts';
import { kindsOf, stream, type Stream } from './spend/streams.ts';

const agent = fileURLToPath(new URL('./spend/agent.mjs', import.meta.url));
const atOnce = 16;
/**
 * A stop is late when its agent still spends this long after the report that passed its max_cost. Sixteen agents start at once on
 * whatever machine this is, so it is far more than the figure that a run prints.
 */
const lateMs = 5_000;
/** What a claim reserves for a small step: the bound of an agent that does not tell. */
const boundUsd = 0.5;

const result = z.object({
  tasks: z.array(
    z.object({
      key: z.string(),
      costMicroUsd: z.number().nullable(),
      unmeasured: z.number(),
      attempts: z.number(),
    }),
  ),
  costMicroUsd: z.number().nullable(),
  unmeasured: z.number(),
});

/** Agents that spend in every way, against their own ledger. */
export const spend: Campaign = {
  name: 'spend',
  shows:
    'caps are exceeded by no more than the quanta of the agents at work, and nothing unknown is shown as zero',
  cases:
    '*.yaml: "name", "quantumUsd" (null: it tells nothing that counts) and "steps": spend, tell, late, raw, waitMs, usage, die, heedless',
  run,
};

interface Round {
  name: string;
  streams: readonly Stream[];
  capUsd: number | null;
  maxCostUsd: number | null;
}

async function run({ short, seed, casesDir, say }: CampaignOptions): Promise<Findings> {
  const random = seededRandom(seed);
  const rounds: Round[] = [];
  const count = short ? 1 : 12;
  for (let number = 0; number < count; number += 1) {
    const streams = casesDir === undefined ? kindsOf(random) : readCases(casesDir);
    rounds.push({ name: `round ${number}`, streams, ...capsOf(number, random) });
  }
  const broken: string[] = [];
  const rows: (string | number)[][] = [];
  for (const round of rounds) {
    const judged = await play(round, { seed, say });
    broken.push(...judged.broken.map((each) => `${round.name}: ${each}`));
    rows.push([
      round.name,
      cap(round.capUsd),
      cap(round.maxCostUsd),
      judged.ledgerUsd,
      judged.bookedUsd,
      judged.overUsd,
      judged.stopMs,
    ]);
  }
  return {
    holds: broken.length === 0,
    figures: {
      seed,
      rounds: rounds.length,
      agents: rounds.reduce((sum, { streams }) => sum + streams.length, 0),
    },
    table: { columns: ['round', 'budget', 'max_cost', 'ledger', 'booked', 'over', 'stop ms'], rows },
    broken,
  };
}

const cap = (value: number | null): string => (value === null ? 'none' : `$${value}`);

function capsOf(number: number, random: () => number): Pick<Round, 'capUsd' | 'maxCostUsd'> {
  const capUsd = Math.round((4 + random() * 8) * 100) / 100;
  const maxCostUsd = 0.3;
  return [
    { capUsd, maxCostUsd },
    { capUsd, maxCostUsd: null },
    { capUsd: null, maxCostUsd },
    { capUsd: null, maxCostUsd: null },
  ][number % 4] as Pick<Round, 'capUsd' | 'maxCostUsd'>;
}

function readCases(dir: string): Stream[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .map((name) => stream.parse(parse(readFileSync(path.join(dir, name), 'utf8'))));
}

async function play(
  round: Round,
  { seed, say }: { seed: number; say: (line: string) => void },
): Promise<Judged> {
  await using folder = await tempDir();
  const [repo, ledger, file] = ['repo', 'ledger.txt', 'plan.yaml'].map((name) =>
    path.join(folder.path, name),
  ) as [string, string, string];
  mkdirSync(repo);
  writeFileSync(ledger, '');
  await makeBenchRepo(repo, { files: 3, seed });
  writeFileSync(file, stringify(planOf(round, ledger)));
  const { DATABASE_URL: _, ...env } = process.env;
  const ran = await runProgram(
    [process.execPath, ...appArguments('cli'), 'run', file, '--repo', repo, '--json'],
    {
      cwd: folder.path,
      env: { ...env, BATON_HOME: path.join(folder.path, 'home'), BATON_POSTGRES_KEEP_SECONDS: '0' },
    },
  );
  if (ran.stdout.trim() === '' || !existsSync(ledger))
    throw new Error(`baton run gave no result: ${ran.stderr}`);
  const told = result.parse(JSON.parse(ran.stdout));
  const judged = judge(round, { told, ledger: readLedger(ledger) });
  say(
    `${round.name}: ledger $${judged.ledgerUsd}, booked $${judged.bookedUsd}, ${judged.broken.length} broken`,
  );
  return judged;
}

function planOf({ streams, capUsd, maxCostUsd }: Round, ledger: string): object {
  const steps = streams.map(({ steps: script }, at) => ({
    key: `s${at}`,
    title: `s${at}`,
    scope: 'small',
    max_retries: 0,
    ...(maxCostUsd === null ? {} : { max_cost: maxCostUsd }),
    agent: { acp: [process.execPath, agent, ledger, `s${at}`, JSON.stringify(script)], model: 'gpt-4o' },
  }));
  return {
    name: 'spend',
    batch_size: 1,
    max_agents: atOnce,
    ...(capUsd === null ? {} : { budget: { usd: capUsd } }),
    stages: [{ name: 'all', steps }],
  };
}

/** One amount that an agent spent. */
interface Entry {
  key: string;
  usd: number;
  atMs: number;
}

function readLedger(file: string): Entry[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [key = '', usd, atMs] = line.split(' ');
    return key === '' ? [] : [{ key, usd: Number(usd), atMs: Number(atMs) }];
  });
}

const sumOf = (entries: readonly Entry[]): number => entries.reduce((sum, { usd }) => sum + usd, 0);

/** How long an agent went on spending after it had passed its max_cost, in milliseconds. */
function wentOnMs(entries: readonly Entry[], maxCostUsd: number): number {
  let spent = 0;
  const passed = entries.find(({ usd }) => (spent += usd) > maxCostUsd);
  return passed === undefined ? 0 : (entries.at(-1)?.atMs ?? 0) - passed.atMs;
}

interface Judged {
  broken: string[];
  ledgerUsd: number;
  bookedUsd: number;
  overUsd: number;
  stopMs: number;
}

function judge(
  { streams, capUsd, maxCostUsd }: Round,
  { told, ledger }: { told: z.output<typeof result>; ledger: readonly Entry[] },
): Judged {
  const broken: string[] = [];
  const tiny = 0.000_001 * streams.length;
  let stopMs = 0;
  for (const [at, { name, quantumUsd, isSteady }] of streams.entries()) {
    const task = told.tasks.find(({ key }) => key === `s${at}`);
    const own = ledger.filter(({ key }) => key === `s${at}`);
    const spent = sumOf(own);
    if (task === undefined || spent === 0) continue;
    const booked = (task.costMicroUsd ?? 0) / 1_000_000;
    if (task.costMicroUsd === 0) broken.push(`${name}: spent $${spent} and is shown as nothing`);
    if (quantumUsd === null && task.unmeasured === 0) broken.push(`${name}: is not marked as not measured`);
    const isBounded = capUsd !== null || maxCostUsd !== null;
    const quantum = quantumUsd ?? boundUsd;
    // A report that was on its way when the stop came may be lost with its agent: one quantum.
    if ((isBounded || quantumUsd !== null) && booked + quantum + tiny < spent)
      broken.push(`${name}: spent $${spent}, booked $${booked}`);
    if (maxCostUsd === null) continue;
    // The report that passes it, and one that is made while the stop is on its way.
    if (isSteady && spent > maxCostUsd + 2 * quantum + tiny)
      broken.push(`${name}: spent $${spent} of a max_cost of $${maxCostUsd}`);
    const went = quantumUsd === null ? 0 : wentOnMs(own, maxCostUsd);
    stopMs = Math.max(stopMs, went);
    if (went > lateMs) broken.push(`${name}: went on spending for ${went} ms beyond its max_cost`);
  }
  const ledgerUsd = sumOf(ledger);
  const quanta = streams.reduce((sum, { quantumUsd }) => sum + 2 * (quantumUsd ?? boundUsd), 0);
  const overUsd = capUsd === null ? 0 : Math.max(0, ledgerUsd - capUsd);
  if (overUsd > quanta)
    broken.push(`$${ledgerUsd} were spent of $${capUsd}: more than the quanta of $${quanta}`);
  const round = (value: number) => Math.round(value * 10_000) / 10_000;
  return {
    broken,
    ledgerUsd: round(ledgerUsd),
    bookedUsd: round((told.costMicroUsd ?? 0) / 1e6),
    overUsd: round(overUsd),
    stopMs,
  };
}
