import { spawnSync } from 'node:child_process';
import { appendFile, lstat, readdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';

import { startEmbeddedPostgres } from '@baton/embedded-postgres';
import { planStrikes, type CrashMoment, type CrashStrike } from '@baton/testkit';
import { projectState } from '@baton/worker';
import {
  allMoments,
  blow,
  inGroups,
  inPairs,
  type Stage,
  type StageOptions,
} from '../../../../packages/task-store/test/campaigns/torture/stage.ts';

import { holdSteps, type RunStep } from './run-steps.ts';
import { runStep, runTrial } from './run-trial.ts';
import { slightPlan, type TortureScript } from './tough-plan.ts';

/** Beyond this the server's log is begun anew. */
const mostLogBytes = 5 * 1024 * 1024;
const passwordFile = 'pg-password';
/** What only a server passes that was not started as it should be. */
const ofRareStarts = /start:startEmbeddedPostgres|as-root:giveTo|start-postmaster:boundLog/;

const serverHome = (home: string, repoRoot: string) => projectState({ home, repoRoot }).pgHome;

/**
 * Words before a program under which root may make no user namespaces, as in most containers: who stands in a changed root may not.
 * None where that cannot be had: not as root, or in a container, where it is so anyway.
 */
const withoutNamespaces = ['unshare', '--mount', 'chroot', `/proc/${process.pid}/root`, 'env', '-C'];
function deprived(cwd: string): string[] {
  const words = [...withoutNamespaces, cwd];
  const [program = '', ...args] = [...words, 'true'];
  return process.getuid?.() === 0 && spawnSync(program, args).status === 0 ? words : [];
}

/** On a cluster that root made where it could make namespaces, with a log that has grown too long. */
const deprivedPlan: TortureScript = {
  ...slightPlan,
  under: deprived,
  async prepare(repo, folder) {
    const home = serverHome(folder, repo.path);
    const made = await startEmbeddedPostgres({ home });
    await made.release();
    await appendFile(
      path.join(home, 'server.log'),
      `${'of old'.padEnd(99)}\n`.repeat(mostLogBytes / 100 + 1),
    );
  },
};

/** A start that is refused, since the password was mislaid; then it is found again. */
const refusedStep: RunStep = {
  points: ofRareStarts,
  async call(place, how) {
    if (how.at > 0 && !how.wasKilled) return null;
    const file = path.join(serverHome(place.home, place.repo.path), passwordFile);
    await rename(file, `${file}.mislaid`);
    const ended = await runStep.call(place, { ...how, at: 0 });
    await rename(`${file}.mislaid`, file);
    const isRefused = ended?.exitCode !== 0 && ended?.stderr.includes(passwordFile);
    return ended && { ...ended, exitCode: isRefused ? 0 : 1, what: `${ended.what} without its password` };
  },
};

const laterStep: RunStep = {
  ...runStep,
  judge: async (place) => [
    ...((await runStep.judge?.(place)) ?? []),
    ...(await wrongServer(serverHome(place.home, place.repo.path))),
  ],
};

/** The log is bounded, all data is one account's, and nobody's share or claim is left. */
async function wrongServer(home: string): Promise<string[]> {
  const wrong: string[] = [];
  const { size } = await stat(path.join(home, 'server.log'));
  if (size > mostLogBytes) wrong.push(`the server's log holds ${size} bytes`);
  const dataDir = path.join(home, 'pg');
  const owners = new Set([(await stat(dataDir)).uid]);
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true }))
    owners.add((await lstat(path.join(entry.parentPath, entry.name))).uid);
  if (owners.size !== 1) wrong.push(`the data belongs to ${[...owners].join(' and ')}`);
  const left = (
    await Promise.all(['pg-users', 'pg-waiting'].map((name) => readdir(path.join(home, name))))
  ).flat();
  return [...wrong, ...left.map((name) => `an entry of a user of the server is left: ${name}`)];
}

/** Runs whose embedded server does not start as it should, killed where only these lead. */
export function deprivedServerStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: false,
    hold: (strikes, { compileCache }) =>
      holdSteps(strikes, {
        ...options,
        server: null,
        plan: deprivedPlan,
        compileCache,
        steps: [refusedStep, laterStep],
      }),
    plan(passages, seed) {
      const rare = passages.filter(({ point }) => ofRareStarts.test(point));
      const strikes = planStrikes(rare, { victim: 'self', moments: allMoments, seed });
      // One file: there is no half of its removal. Who looks at a struck server starts it, which shortens its log.
      const at = (name: string) =>
        strikes.filter(({ point, moment }) => point.includes(name) && moment !== 'middle');
      const refused = at('start:');
      const long = at('boundLog').map((strike, n) => [strike, ...refused.slice(n, n + 1)]);
      return [...long, ...inGroups(at('giveTo'), 2)];
    },
    few: () => [],
  };
}

/** Ends a process when its cluster is made but not in its place; its successors die while they clear up after it. */
function cleared(moment: CrashMoment, points: readonly string[]): CrashStrike[] {
  const left = blow('fs:rename embedded-postgres/cluster:createCluster', { moment: 'before' });
  return [left, ...points.map((point) => blow(`fs:rm embedded-postgres/${point}`, { moment }))];
}

const clearing = ['lock:acquire', 'entries:livingEntries', 'cluster:removeUnfinished'];

/** Runs that make their database, killed while its schema is being made, and while what they left is cleared. */
export function freshDatabaseStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: false,
    hold: (strikes, { compileCache }) =>
      runTrial(strikes, { ...options, server: null, plan: slightPlan, compileCache }),
    plan(passages, seed) {
      const migrating = passages.slice(
        0,
        passages.findIndex(({ point }) => point === 'pg:create-run'),
      );
      const ofSchema = migrating.filter(({ point }) => /^pg:(schema|insert _prisma|commit)/.test(point));
      return [
        cleared('before', clearing),
        cleared('after', clearing),
        cleared('middle', clearing.slice(-1)),
        ...inPairs(planStrikes(ofSchema, { victim: 'self', moments: allMoments, seed }), passages),
      ];
    },
    few: () => [],
  };
}
