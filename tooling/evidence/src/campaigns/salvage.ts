import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { actions } from '../../../../packages/spawner/test/campaigns/salvage/actions.ts';
import {
  ends,
  generate,
  openGround,
  play,
  singles,
  type Played,
  type SalvageCase,
} from '../../../../packages/spawner/test/campaigns/salvage/play.ts';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';

const fullCases = 5_000;
const shortCases = 15;
/** One clone serves so many cases: its refs and objects grow with each. */
const casesOfGround = 250;
const lanes = 3;

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

interface Judged extends Played {
  one: SalvageCase;
}

async function playAll({ short, seed, say, casesDir, trials }: CampaignOptions): Promise<Findings> {
  const count = trials ?? (short ? shortCases : fullCases);
  const own = casesDir === undefined ? [] : readCases(casesDir);
  const cases = [...own, ...(short ? [] : singles()), ...generate({ seed, count })];
  const judged: Judged[] = [];
  for (let start = 0; start < cases.length; start += casesOfGround) {
    judged.push(...(await playSome(cases.slice(start, start + casesOfGround))));
    say(`${judged.length} of ${cases.length} worktrees, ${judged.filter(isBroken).length} broken`);
  }
  return findings(judged);
}

async function playSome(cases: readonly SalvageCase[]): Promise<Judged[]> {
  await using ground = await openGround();
  const judged: Judged[] = [];
  const waiting = [...cases];
  const lane = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
      judged.push({ ...(await play(ground, one)), one });
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return judged;
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

function findings(judged: readonly Judged[]): Findings {
  const broken = judged
    .filter(isBroken)
    .map(
      ({ one, problems }) =>
        `${one.name} [${one.does.join(', ')}] ${one.end} at ${one.dieAt}: ${problems.slice(0, 3).join('; ')}`,
    );
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
