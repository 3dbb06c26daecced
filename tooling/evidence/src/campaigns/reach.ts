import { seededRandom } from '@baton/testkit';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { canNameHosts } from './reach/programs.ts';
import { disturbances, kinds, play, type Trial, type TrialOrder } from './reach/trial.ts';

/** Finished work lands wherever it was made: two state folders, two hosts on one remote, `baton run` beside workers, over HTTP. */
export const reach: Campaign = {
  name: 'reach',
  shows:
    'real workers with state folders of their own, killed and drained between: each task lands exactly once, nothing stalls, and explain never names a worker that is dead',
  adds: 'trials of each kind',
  run: reachAll,
};

const atOnce = 2;
const fullTrials = 6;

async function reachAll({ short, seed, say, trials = fullTrials }: CampaignOptions): Promise<Findings> {
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const orders: TrialOrder[] = short
    ? [{ kind: 'two hosts on one remote', disturbance: 'kill', afterMs: 500 }]
    : Array.from({ length: trials }).flatMap(() =>
        kinds.map((kind) => ({
          kind,
          disturbance: pick(disturbances),
          afterMs: Math.floor(random() * 3_000),
        })),
      );
  say(`${orders.length} trials, ${atOnce} at a time`);
  const played: Trial[] = [];
  const waiting = [...orders.entries()];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const trial = await play(next[1]);
      played.push(trial);
      say(
        `${trial.kind}, ${trial.disturbance}: ${trial.problems.length === 0 ? 'holds' : trial.problems.join('; ')}`,
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return findings(played);
}

function findings(played: readonly Trial[]): Findings {
  const broken = played.flatMap((trial) =>
    trial.problems.map(
      (problem) => `${trial.kind}, ${trial.disturbance} after ${trial.afterMs} ms: ${problem}`,
    ),
  );
  const causes: Record<string, number> = {};
  for (const { sampled } of played) for (const cause of sampled) causes[cause] = (causes[cause] ?? 0) + 1;
  const of = (kind: string) => played.filter((trial) => trial.kind === kind);
  const slowest = (trials: readonly Trial[]) =>
    Math.max(0, ...trials.map(({ durationMs }) => durationMs)) / 1_000;
  return {
    holds: broken.length === 0,
    figures: {
      trials: played.length,
      hostNames: canNameHosts ? 2 : 1,
      tasks: played.reduce((sum, { tasks }) => sum + tasks, 0),
      samples: played.reduce((sum, { sampled }) => sum + sampled.length, 0),
      slowestSeconds: Number(slowest(played).toFixed(1)),
      causes,
    },
    table: {
      columns: ['kind', 'trials', 'tasks', 'samples of explain', 'slowest s', 'broken'],
      rows: kinds.flatMap((kind) => {
        const trials = of(kind);
        if (trials.length === 0) return [];
        const samples = trials.reduce((sum, { sampled }) => sum + sampled.length, 0);
        const tasks = trials.reduce((sum, each) => sum + each.tasks, 0);
        const bad = trials.filter(({ problems }) => problems.length > 0).length;
        return [[kind, trials.length, tasks, samples, slowest(trials).toFixed(1), bad]];
      }),
    },
    broken,
  };
}
