import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { planStrikes, type CrashPassage, type CrashStrike } from '@baton/testkit';
import {
  allMoments,
  inPairs,
  type Stage,
  type StageOptions,
} from '../../../../packages/task-store/test/campaigns/torture/stage.ts';
import { planOf } from '../support/plans.ts';

import type { RunPlace } from './run-place.ts';
import { holdSteps, type RunStep } from './run-steps.ts';
import { runStep } from './run-trial.ts';
import { agentOf, nextOf, target, type TortureScript } from './tough-plan.ts';

const plantedFile = (folder: string) => path.join(folder, 'planted-ran');

/**
 * A gate that does harm once, when no agent is at work that could be blamed, and passes. It changes Baton's clone: settings that run a program, a hook, and a file that is
 * gone. Then a link takes the place of the worktree that it was run in.
 */
const harmful = (folder: string): string[] => {
  const planted = `touch ${plantedFile(folder)}`;
  const program = `const fs = require('node:fs');
const path = require('node:path');
const folder = ${JSON.stringify(folder)};
const once = path.join(folder, 'harm-was-done');
const isBase = !fs.readdirSync('.').some((name) => name.startsWith('floods-'));
if (isBase || fs.existsSync(once)) process.exit(0);
fs.writeFileSync(once, '');
const isClone = (name) => name.endsWith('clone.git');
for (const clone of fs.readdirSync(path.join(folder, 'projects'), { recursive: true }).filter(isClone)) {
  const bare = path.join(folder, 'projects', clone);
  fs.appendFileSync(path.join(bare, 'config'), ${JSON.stringify(`[core]\n\tfsmonitor = ${planted}\n`)});
  fs.mkdirSync(path.join(bare, 'hooks'), { recursive: true });
  const hook = path.join(bare, 'hooks/reference-transaction');
  fs.writeFileSync(hook, ${JSON.stringify(`#!/bin/sh\n${planted}\n`)}, { mode: 0o755 });
  fs.rmSync(path.join(bare, 'info/exclude'));
}
const tree = process.cwd();
const elsewhere = path.join(folder, 'elsewhere');
fs.mkdirSync(elsewhere);
process.chdir(folder);
fs.rmSync(tree, { recursive: true });
fs.symlinkSync(elsewhere, tree);`;
  return ['node', '-e', program];
};

/** Prints more than half of what a session's log may hold. */
const flood = `const line = Buffer.from('working'.padEnd(1023) + '\\n');
for (let at = 0; at < 9_000; at += 1) fs.writeSync(1, line);`;

/** A lock of a git of ours that died with its machine, an agent that talks without end, and a gate that does harm. */
const rarePlan: TortureScript = {
  text: (folder) =>
    planOf(
      'rare',
      [
        { key: 'floods', agent: agentOf(folder)(flood) },
        { key: 'after', agent: agentOf(folder)(), depends_on: ['floods'] },
      ],
      { target, gates: [{ name: 'harmful', command: harmful(folder) }] },
    ),
  nextText: nextOf(),
  // A gate that takes away what it judges is a "no".
  tries: { floods: 1, after: 0 },
  shared: /^shared$/,
  async prepare(repo) {
    const folder = path.join(repo.path, '.git/refs/heads/baton');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, `${path.basename(target)}.lock`), '');
  },
};

const rareStep: RunStep = {
  ...runStep,
  judge: async (place) => [...((await runStep.judge?.(place)) ?? []), ...ranPlanted(place)],
};

const ranPlanted = ({ home }: RunPlace): string[] =>
  existsSync(plantedFile(home)) ? ["what was planted in Baton's clone was run"] : [];

/** Runs in which all of this happens, killed where only these lead. */
export function rareRunsStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: false,
    hold: (strikes, server) =>
      holdSteps(strikes, {
        ...options,
        server,
        plan: rarePlan,
        compileCache: server.compileCache,
        steps: [rareStep],
      }),
    plan: (passages, seed) => inPairs(strikesOf(passages, seed), passages),
    few: () => [],
  };
}

function strikesOf(passages: readonly CrashPassage[], seed: number): CrashStrike[] {
  const rare = passages.filter(({ point }) =>
    /^fs:rename .*(session-log:append|discardTree)|clone-guard:restore|stale-locks/.test(point),
  );
  return planStrikes(rare, { victim: 'self', moments: allMoments, seed }).filter(
    ({ point, moment, passage }) =>
      passage === 1 && moment !== 'middle' && (!point.startsWith('fs:mkdir') || moment === 'after'),
  );
}
