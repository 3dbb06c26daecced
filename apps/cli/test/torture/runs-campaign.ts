import { planStrikes, type CrashMoment, type CrashPassage, type CrashStrike } from '@baton/testkit';
import {
  inLanes,
  strikesInRecovery,
  sumOf,
  type Trials,
} from '../../../../packages/task-store/test/campaigns/torture/in-lanes.ts';
import {
  blow,
  type TortureOptions,
} from '../../../../packages/task-store/test/campaigns/torture/store-campaign.ts';

import { runTrial } from './run-trial.ts';

/** Making a folder that may be there already and the like: once is enough, at whatever moment the seed chooses. */
const harmless = /^fs:(mkdir|utimes|chmod|chown)/;
/** Points of the embedded server's own folder; only a run that starts it passes them. */
const ofServer = /embedded-postgres/;

/** Real runs of `baton run` on a real repository, killed at the points that they pass, and resumed. */
export async function tortureRuns(options: TortureOptions): Promise<Trials> {
  const { server, catalogue, seed, short } = options;
  const { compileCache } = server;
  const hold = (strikes: readonly CrashStrike[]) => runTrial(strikes, { server, catalogue, compileCache });
  if (short)
    return sumOf([await hold([blow('git:update-ref janitor/land/move-refs:localMove', { passage: 2 })])]);
  const recording = await hold([]);
  const wanted = strikesOf(recording.passages, seed);
  const first = await inLanes(
    wanted.map((strike) => [strike]),
    hold,
    options,
  );
  const known = new Set(recording.passages.map(({ point }) => point));
  const second = await inLanes(strikesInRecovery({ trials: first, known, seed }), hold, options);
  const own = await tortureOwnServer({ ...options, compileCache });
  return sumOf([recording, ...first, ...second, ...own]);
}

/** Everything before and after, files half-written too; what the store's own lives are killed at in detail, once. */
function strikesOf(passages: readonly CrashPassage[], seed: number): CrashStrike[] {
  const moments: readonly CrashMoment[] = ['before', 'middle', 'after'];
  return planStrikes(passages, { victim: 'self', moments, seed }).filter((strike, _, all) => {
    const { point, passage, moment } = strike;
    // The reaper ends with us: it has no end that we could see.
    if (/startReaper|startReader/.test(point) && moment === 'after') return false;
    const ofPoint = all.filter((other) => other.point === point);
    if (harmless.test(point) || point.startsWith('pg:')) return strike === ofPoint[seed % ofPoint.length];
    if (passage > 1) return false;
    return moment !== 'middle' || /^(fs:|git:(update-ref|fetch|clone)|spawn)/.test(point);
  });
}

/** Runs with an embedded server of their own: killed at its points, and its backend and itself killed under them. */
async function tortureOwnServer(options: TortureOptions & { compileCache: string }) {
  const { catalogue, seed, compileCache } = options;
  const hold = (strikes: readonly CrashStrike[]) =>
    runTrial(strikes, { server: null, catalogue, compileCache });
  const recording = await hold([]);
  const ours = recording.passages.filter(({ point }) => ofServer.test(point));
  const atServer = planStrikes(ours, { victim: 'self', moments: ['before', 'middle', 'after'], seed }).filter(
    ({ passage, point, moment }) =>
      passage === 1 &&
      !(harmless.test(point) && moment !== 'after') &&
      !(/launch/.test(point) && moment === 'after'),
  );
  const statements = recording.passages.filter(({ point }) =>
    /^pg:(apply|claim|write-intent|take-for)/.test(point),
  );
  const underIt = (['backend', 'postmaster'] as const).flatMap((victim) =>
    planStrikes(statements, { victim, moments: ['middle'], seed }).filter(({ passage }) => passage > 1),
  );
  const wanted = [...atServer, ...underIt].map((strike) => [strike]);
  return [recording, ...(await inLanes(wanted, hold, options))];
}
