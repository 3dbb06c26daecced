import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
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

/** The repository that a command works on; null: there is none, or git refuses it. */
export function repositoryOf(args: readonly string[], { cwd }: { cwd: string }): string | null {
  const option = args.indexOf('--repo');
  const folder = path.resolve(cwd, option < 0 ? '.' : (args[option + 1] ?? '.'));
  const asked = spawnSync('git', ['rev-parse', '--show-toplevel'], { cwd: folder, encoding: 'utf8' });
  const root = asked.stdout?.replace(/\n$/, '');
  return asked.status === 0 && root ? realpathSync(root) : null;
}

/**
 * Copies the empty cluster into a project's state folder, unless the project has one: `initdb` and the schema take two
 * seconds of processor time, a copy some milliseconds. Owners and modes are kept, since root's Postgres runs as another user.
 */
export function giveCluster(project: { home: string; repoRoot: string }): void {
  const cluster = process.env[clusterVariable];
  if (cluster === undefined) throw new Error(`${clusterVariable} is not set: see vitest.config.ts`);
  const { pgHome } = projectState(project);
  if (existsSync(path.join(pgHome, 'pg'))) return;
  mkdirSync(pgHome, { recursive: true, mode: 0o700 });
  // The cluster last: it is what a command looks for.
  const parts = ['pg-password', 'schema', 'pg'];
  execFileSync('cp', ['-a', ...parts.map((name) => path.join(cluster, name)), pgHome]);
}
