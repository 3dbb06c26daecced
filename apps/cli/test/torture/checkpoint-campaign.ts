import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { readCheckpointLog } from '@baton/fsm-core';
import {
  crashPointArguments,
  planStrikes,
  readCrashLog,
  tellStrike,
  tempDir,
  type CrashStrike,
} from '@baton/testkit';
import { runWatched } from '../../../../packages/task-store/test/campaigns/torture/run-watched.ts';
import {
  allMoments,
  type Stage,
  type StageOptions,
} from '../../../../packages/task-store/test/campaigns/torture/stage.ts';
import type { Trial } from '../../../../packages/task-store/test/campaigns/torture/trial.ts';

import { checkpointsOfLife, type CheckpointOrder } from './checkpoint-life.ts';

const program = fileURLToPath(new URL('./checkpoint-life.ts', import.meta.url));

/** Loops around a model that keep their log in a file, killed as they write, and as they open what the one before left. */
export function checkpointStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: true,
    hold: (strikes, { compileCache }) => trialOf(strikes, { ...options, compileCache }),
    plan: (passages, seed) =>
      planStrikes(passages, { victim: 'self', moments: allMoments, seed })
        .filter(({ point, moment }) => !point.startsWith('fs:mkdir') || moment === 'after')
        .map((strike) => [strike]),
    few: () => [],
  };
}

async function trialOf(
  strikes: readonly CrashStrike[],
  { catalogue, compileCache, signal }: StageOptions & { compileCache: string },
): Promise<Trial> {
  await using folder = await tempDir();
  const order: CheckpointOrder = {
    log: path.join(folder.path, 'logs', 'log.jsonl'),
    said: path.join(folder.path, 'said'),
  };
  const trial: Trial = { strikes, kills: 0, violations: [], passages: [] };
  const wrong = (violation: string) =>
    trial.violations.push(`${strikes.map(tellStrike).join(', ')}: ${violation}`);
  for (const [at, strike] of [...strikes, null].entries()) {
    const log = path.join(folder.path, `log-${at}`);
    const watched = crashPointArguments(path.join(folder.path, 'order'), { log, catalogue, strike });
    const ended = await runWatched([...watched, program, JSON.stringify(order)], {
      env: { NODE_COMPILE_CACHE: compileCache },
      longestMs: 60_000,
      signal,
    });
    if (signal?.aborted) return trial;
    const passages = readCrashLog(log);
    trial.passages.push(...passages);
    const isKilled = passages.some(({ struck }) => struck !== undefined);
    if (isKilled) trial.kills += 1;
    if (isKilled ? ended.signal !== 'SIGKILL' : ended.exitCode !== 0)
      wrong(`the process ended with ${ended.signal ?? ended.exitCode}: ${ended.stderr.slice(-2_000)}`);
    (await lost(order)).forEach(wrong);
  }
  const wanted = checkpointsOfLife().map(({ timing }) => timing);
  const kept = (await keptIn(order)).map(({ timing }) => timing);
  if (kept.join() !== wanted.join()) wrong(`the log holds ${kept.join(', ')}`);
  return trial;
}

/** What it said was kept, and is not. */
async function lost(order: CheckpointOrder): Promise<string[]> {
  const said = (await readFile(order.said, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  const kept = (await keptIn(order)).map(({ timing }): string => timing);
  return said.filter((timing) => !kept.includes(timing)).map((timing) => `${timing} was kept, and is lost`);
}

const keptIn = async ({ log }: CheckpointOrder) =>
  readCheckpointLog(await readFile(log, 'utf8').catch(() => '')).checkpoints;
