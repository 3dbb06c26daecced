import { fork } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { actions } from '../../../../packages/spawner/test/campaigns/salvage/actions.ts';
import { edgeCases, movedCases, moves } from '../../../../packages/spawner/test/campaigns/salvage/edges.ts';
import {
  ends,
  generate,
  singles,
  type SalvageCase,
} from '../../../../packages/spawner/test/campaigns/salvage/play.ts';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import type { Judged } from './salvage/play-main.ts';

const fullCases = 5_000;
const shortCases = 15;
/** A process plays so many cases on one clone, whose refs and objects grow with each. */
const casesOfProcess = 100;
/** Agents act in calls that hold their process, so several processes play at a time. */
const processes = 4;
const program = fileURLToPath(new URL('./salvage/play-main.ts', import.meta.url));

const caseFile = z.array(
  z.strictObject({
    name: z.string().min(1),
    does: z.array(z.string()).min(1),
    end: z.enum(ends).default('killed'),
    dieAt: z.number().int().min(0).default(3),
    seed: z.number().int().min(0).default(1),
  }),
);

/** Whether all that agents leave is saved, through the real pool. */
export const salvage: Campaign = {
  name: 'salvage',
  shows:
    'whatever an agent leaves in its worktree (file kinds, names, contents, attributes, nested repositories, states of its git) is byte for byte in a ref or named with the reason, whether it was done, killed, or its worker died in the middle of salvage; nothing holds the worker, and the next task begins clean',
  cases:
    'YAML or JSON files, each a list of { name, does: [action, …], end, dieAt, seed }: docs/evidence/README.md, "salvage"',
  adds: 'generated worktrees',
  run: playAll,
};

async function playAll({ short, seed, say, casesDir, trials }: CampaignOptions): Promise<Findings> {
  const count = trials ?? (short ? shortCases : fullCases);
  const own = casesDir === undefined ? [] : readCases(casesDir);
  const cases = [...own, ...(short ? [] : systematic()), ...generate({ seed, count })];
  const judged: Judged[] = [];
  const parts: SalvageCase[][] = [];
  for (let start = 0; start < cases.length; start += casesOfProcess)
    parts.push(cases.slice(start, start + casesOfProcess));
  const lane = async () => {
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const played = await playSome(part);
      judged.push(...played);
      for (const one of played.filter(isBroken)) say(brokenLine(one));
      say(`${judged.length} of ${cases.length} worktrees, ${judged.filter(isBroken).length} broken`);
    }
  };
  await Promise.all(Array.from({ length: processes }, lane));
  return findings(judged);
}

/** Each thing that agents do by itself, and what leads out of a worktree, with each end. */
const systematic = (): SalvageCase[] => [
  ...singles(),
  ...edgeCases('each end'),
  ...moves.flatMap((moved) => movedCases(moved, 'each end')),
];

/** A process that dies takes its cases with it: then nothing is shown. */
async function playSome(cases: readonly SalvageCase[]): Promise<readonly Judged[]> {
  const child = fork(program, { execArgv: process.execArgv });
  return new Promise((resolve, reject) => {
    let judged: readonly Judged[] | null = null;
    child.once('message', (told) => (judged = told as readonly Judged[]));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (judged !== null) resolve(judged);
      else
        reject(
          new Error(`the process that played ${cases[0]?.name ?? 'nothing'} ended with ${signal ?? code}`),
        );
    });
    child.send(cases);
  });
}

function readCases(folder: string): SalvageCase[] {
  const files = readdirSync(folder).filter((name) => /\.(ya?ml|json)$/.test(name));
  return files.flatMap((name) => {
    const cases = caseFile.parse(parse(readFileSync(path.join(folder, name), 'utf8')));
    const unknown = cases.flatMap(({ does }) => does).find((action) => actions[action] === undefined);
    if (unknown !== undefined)
      throw new Error(
        `${name}: there is no action "${unknown}". Actions: ${Object.keys(actions).join(', ')}.`,
      );
    return cases;
  });
}

const isBroken = ({ problems }: Judged) => problems.length > 0;

function brokenLine({ one, problems }: Judged): string {
  return `${one.name} [${one.does.join(', ')}] ${one.end} at ${one.dieAt}: ${problems.slice(0, 3).join('; ')}`;
}

function findings(judged: readonly Judged[]): Findings {
  const broken = judged.filter(isBroken).map(brokenLine);
  const outcomes = ['committed', 'refused', 'salvaged', 'set aside', 'nothing'] as const;
  const of = (end: string) => judged.filter(({ one }) => one.end === end);
  const longestMs = Math.round(Math.max(0, ...judged.map(({ ms }) => ms)));
  return {
    holds: broken.length === 0 && judged.some(({ outcome }) => outcome === 'salvaged'),
    figures: {
      worktrees: judged.length,
      actions: Object.keys(actions).length,
      broken: broken.length,
      longestMs,
      outcomes: Object.fromEntries(
        outcomes.map((name) => [name, judged.filter(({ outcome }) => outcome === name).length]),
      ),
    },
    table: {
      columns: ['end', 'worktrees', ...outcomes, 'broken'],
      rows: ends.map((end) => [
        end,
        of(end).length,
        ...outcomes.map((name) => of(end).filter(({ outcome }) => outcome === name).length),
        of(end).filter(isBroken).length,
      ]),
    },
    broken,
  };
}
