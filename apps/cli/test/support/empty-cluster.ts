import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

import { projectState } from '@baton/worker';

import { clusterVariable } from './cluster-variable.ts';

const storingCommands = [['run'], ['up'], ['plan'], ['keys', 'create']];
const readingPlans = new Set(['check', 'approve', 'reject']);

/** Whether a command makes a project's database when there is none. All others must find that nothing is stored. */
export function storesFirst(args: readonly string[]): boolean {
  if (args.includes('--dry-run') || args.includes('--resume')) return false;
  if (args[0] === 'plan' && readingPlans.has(args[1] ?? '')) return false;
  return storingCommands.some((words) => words.every((word, at) => args[at] === word));
}

/**
 * Copies the empty cluster into a project's state folder, unless the project has one: `initdb` takes a second or two of
 * processor time, a copy some milliseconds. Owners and modes are kept, since root's Postgres runs as another user.
 */
export function giveCluster(project: { home: string; repoRoot: string }): void {
  const cluster = process.env[clusterVariable];
  if (cluster === undefined) throw new Error(`${clusterVariable} is not set: see vitest.config.ts`);
  const { pgHome } = projectState(project);
  if (existsSync(path.join(pgHome, 'pg'))) return;
  mkdirSync(pgHome, { recursive: true, mode: 0o700 });
  // The cluster last: it is what a command looks for.
  execFileSync('cp', ['-a', path.join(cluster, 'pg-password'), path.join(cluster, 'pg'), pgHome]);
}
