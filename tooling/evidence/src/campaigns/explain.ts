import { hostname } from 'node:os';
import path from 'node:path';
import type { Cause, Explanation } from '@baton/task-store';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { disagreement, doors, type Door } from './explain/ask.ts';
import type { ExplainCase } from './explain/format.ts';
import { followHints, type Hint } from './explain/hints.ts';
import { differences } from './explain/judge.ts';
import { loadCases } from './explain/load.ts';
import { play } from './explain/play.ts';
import { openStage } from './explain/stage.ts';
import { walk, type Walked } from './explain/walk.ts';

const ownCases = path.resolve(import.meta.dirname, '../../cases/explain');

/** The list of docs/spec/store.md#explain; a campaign without one of them has not shown it. */
const listed: readonly Cause[] = [
  'dependency',
  'dependency_failed',
  'not_before',
  'run_paused',
  'run_limit',
  'budget',
  'price_unknown',
  'state_full',
  'path_lock',
  'not_carried',
  'no_capable_worker',
  'workers_draining',
  'provider_parked',
  'plan_approval',
  'approval',
  'blocked',
  'subtasks',
  'running',
  'lease_silent',
  'verifying',
  'lane',
  'conflict',
  'checkout_dirty',
  'checkout_blocked',
  'checkout_hidden',
  'target_in_use',
  'target_moved',
  'retries_exhausted',
  'head_unreadable',
  'landing_failed',
  'landing_behind',
  'agent_unavailable',
  'feed_behind',
];

/** Why a task does not move, in a store that was brought there by its public API. */
export const explain: Campaign = {
  name: 'explain',
  shows:
    'for every cause of the list a real store in that situation names it, with who moves the task next, also through server and command, and each command that an explanation offers is typed there and helps; in a random walk no task is ever without a true answer',
  cases: 'YAML or JSON files, each a list of { name, steps, ask, expect }: tooling/README.md, "explain"',
  run: explainAll,
};

const lanes = 6;

interface Played {
  name: string;
  expected: string;
  found: Explanation | null;
  doors: Door[];
  hints: Hint[];
  problems: string[];
}

async function explainAll({ short, seed, say, casesDir }: CampaignOptions): Promise<Findings> {
  const own = short ? oneForEach(await loadCases(ownCases)) : await loadCases(ownCases);
  const given = casesDir === undefined ? [] : await loadCases(casesDir);
  const cases = [...own, ...given];
  say(`${cases.length} situations`);
  const walks = { count: short ? 2 : 40, steps: short ? 40 : 400 };
  const played = await inTurn(cases, (each, at) => playCase(each, doorsOf(each, { at, short })));
  say(`random walks: ${walks.count} of ${walks.steps} steps`);
  const walked = await inTurn(Array.from({ length: walks.count }), (_, at) =>
    walk({ seed: seed * 1_000 + at, steps: walks.steps }),
  );
  return findings(played, walked);
}

/** The first situation of each cause. */
function oneForEach(cases: readonly ExplainCase[]): ExplainCase[] {
  return cases.filter(
    ({ expect }, at) => cases.findIndex((each) => each.expect.cause === expect.cause) === at,
  );
}

/** The short form asks at every fourteenth case; the server numbers the feed, so that one situation ends with it. */
function doorsOf(each: ExplainCase, { at, short }: { at: number; short: boolean }): Door[] {
  if (each.processes !== undefined) return [];
  if (each.expect.cause === 'feed_behind' || (short && at % 14 !== 0)) return [];
  return at % 7 === 0 ? ['command', 'server'] : ['server'];
}

async function playCase(each: ExplainCase, through: Door[]): Promise<Played> {
  const played: Played = {
    name: each.name,
    expected: each.expect.cause,
    found: null,
    doors: through,
    hints: [],
    problems: [],
  };
  await using stage = await openStage();
  try {
    for (const step of each.steps) await play(stage, step);
    const taskId = await stage.taskId(each.ask);
    const found = await stage.store.tasks.explain(taskId, each.processes);
    played.found = found;
    played.problems.push(...differences(each.expect, found));
    // The command knows its own host, and that it is in no repository: it names those of the run in what it offers.
    const here = { there: [], gone: [], ...each.processes, host: hostname(), here: null };
    const onHost = await stage.store.tasks.explain(taskId, here);
    for (const door of through) {
      const known = door === 'command' ? onHost : found;
      const problem = disagreement(await doors[door](stage, taskId), known, door);
      if (problem !== null) played.problems.push(problem);
    }
    // The last thing: it moves the situation.
    for (const gone of each.processes?.gone ?? []) await play(stage, { ended: { worker: gone } });
    played.hints = await followHints(stage, taskId, found);
    played.problems.push(...played.hints.flatMap(({ problem }) => problem ?? []));
  } catch (error) {
    played.problems.push(error instanceof Error ? error.message : String(error));
  }
  return played;
}

/** Some at a time: most of it is waiting for databases to be made and dropped. */
async function inTurn<T, R>(items: readonly T[], work: (item: T, at: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...items.entries()];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      results[next[0]] = await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

function findings(played: readonly Played[], walked: readonly Walked[]): Findings {
  const missing = listed.filter((cause) => !played.some(({ found }) => found?.cause === cause));
  const broken = [
    ...played.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`)),
    ...missing.map((cause) => `${cause} was never named`),
    ...walked.flatMap((walk) => walk.broken),
  ];
  const causes: Record<string, number> = {};
  for (const walk of walked)
    for (const [cause, times] of Object.entries(walk.causes)) causes[cause] = (causes[cause] ?? 0) + times;
  const sum = (of: 'steps' | 'asked') => walked.reduce((total, walk) => total + walk[of], 0);
  return {
    holds: broken.length === 0,
    figures: {
      situations: played.length,
      causes: listed.length - missing.length,
      throughServer: played.filter((each) => each.doors.includes('server')).length,
      throughCommand: played.filter((each) => each.doors.includes('command')).length,
      hints: countHints(played.flatMap(({ hints }) => hints)),
      walks: walked.length,
      walkSteps: sum('steps'),
      walkQuestions: sum('asked'),
      walkCauses: causes,
    },
    table: {
      columns: ['situation', 'cause', 'also', 'next', 'as expected'],
      rows: played.map(({ name, found, problems }) => [
        name,
        found?.cause ?? '–',
        found?.also.join(', ') ?? '–',
        found?.owner ?? '–',
        problems.length === 0 ? 'yes' : 'no',
      ]),
    },
    broken,
  };
}

/** How often each kind of offered command was carried out (`moved`), allowed, or is left to the stories of the apps. */
function countHints(hints: readonly Hint[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind, done } of hints) {
    const name = `${kind} (${done})`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
