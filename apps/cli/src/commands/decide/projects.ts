import path from 'node:path';

import { BatonError } from '@baton/contracts';
import type { Command } from 'commander';
import { stopUnusedPostgres } from '@baton/embedded-postgres';
import { removeTree } from '@baton/spawner';
import { projectState } from '@baton/worker';

import type { AddCommands, Call, Define } from '../../terminal/call.ts';
import type { Colors } from '../../terminal/colors.ts';
import { count, formatAgo, formatBytes, serverEndText, table } from '../../terminal/format.ts';
import { knownProjects, type KnownProject } from '../../project/known-projects.ts';
import { lossesOf, type Losses } from '../../project/losses.ts';
import { systemClock } from '@baton/service/system';
import { nearest } from '../../terminal/nearest.ts';

/** `baton projects`: the repositories that Baton keeps state of; `drop` deletes that of one. */
export const addProjects: AddCommands = (program, define) => {
  const family = program
    .command('projects')
    .description('list the repositories that Baton keeps state of, or drop the state of one')
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton projects\n  $ baton projects drop ../old-repository --dry-run\n  $ baton projects drop old-repository-1a2b3c4d',
    );
  define(family, async (call) => {
    const projects = await knownProjects(call.env.home);
    call.out.result({ home: call.env.home, projects }, (colors) => listText(colors, call.env.home, projects));
  });
  addDrop(family, define);
};

function listText(colors: Colors, home: string, projects: readonly KnownProject[]): string {
  if (projects.length === 0) return `Nothing is kept in ${home}.`;
  const rows = projects.map(({ key, path: place, isThere, bytes, lastRunAt, server }) => [
    key,
    place === null ? '–' : isThere ? place : `${place} (gone)`,
    formatBytes(bytes),
    lastRunAt === null ? '–' : formatAgo(lastRunAt, systemClock.now()),
    server === null ? '–' : `pid ${server.pid}, ${server.isUsed ? 'in use' : 'unused'}`,
  ]);
  const all = projects.reduce((sum, { bytes }) => sum + bytes, 0);
  const kept = projects.flatMap(({ server }) => (server?.isUsed === false ? [server.keepSeconds] : []));
  return [
    table(colors, ['project', 'repository', 'size', 'last run', 'postgres'], rows),
    `${count(projects.length, 'project')}, ${formatBytes(all)} in ${home}.`,
    ...(kept.length > 0 ? [`An unused Postgres ${serverEndText(Math.max(...kept))}.`] : []),
  ].join('\n');
}

function addDrop(family: Command, define: Define): void {
  const drop = family
    .command('drop')
    .argument('<project>', 'path of the repository, or its name in the list')
    .description('delete what Baton keeps of a repository: record, saved work, logs; the repository stays')
    .option('--yes', 'also where work that is nowhere else is lost')
    .option('--dry-run', 'say what would be lost')
    .addHelpText(
      'after',
      '\nBranches and commits in the repository stay. It is refused while a process is at work there, whatever database\nrecords its runs.\n\nExamples:\n  $ baton projects drop . --dry-run\n  $ baton projects drop . --yes',
    );
  define(drop, async (call, name: string, options: { yes?: boolean; dryRun?: boolean }) => {
    const project = await findProject(call, name);
    const losses = await lossesOf(call, project);
    const dryRun = options.dryRun === true;
    if (!dryRun) {
      refuse(project, { losses, yes: options.yes === true });
      await remove(project);
    }
    call.out.result({ dryRun, project, losses }, () =>
      [
        `${dryRun ? 'Would delete' : 'Deleted'} ${project.dir} (${formatBytes(project.bytes)}).`,
        ...(losses.work.length === 0 ? [] : [`Lost ${dryRun ? 'would be' : 'with it'}:`]),
        ...losses.work.map((line) => `  ${line}`),
        ...(dryRun && isInUse(losses) ? [inUseText(losses)] : []),
      ].join('\n'),
    );
  });
}

/** By path, by its name, or by that without the digits at its end: what is dropped is gone. @throws NOT_FOUND, AMBIGUOUS */
async function findProject(call: Call, name: string): Promise<KnownProject> {
  const all = await knownProjects(call.env.home);
  const place = path.resolve(call.cwd, name);
  const { dir } = projectState({ home: call.env.home, repoRoot: place });
  const exact = all.find((one) => one.key === name || one.path === place || one.dir === dir);
  if (exact !== undefined) return exact;
  const near = all.filter(({ key }) => key.replace(/-[^-]*$/, '') === name);
  const [only] = near;
  if (only !== undefined && near.length === 1) return only;
  const meant =
    nearest(
      name,
      all.map(({ key }) => key),
    ) ?? all.find(({ key }) => key.startsWith(name))?.key;
  const fix = '`baton projects` lists them.';
  throw near.length > 1
    ? new BatonError('AMBIGUOUS', `"${name}" is ${near.map(({ key }) => key).join(' and ')}.`, {
        fix,
      })
    : new BatonError('NOT_FOUND', `Nothing is kept of "${name}".`, {
        fix: meant === undefined ? fix : `Did you mean ${meant}? ${fix}`,
      });
}

/** @throws CONFLICT */
function refuse({ key }: KnownProject, { losses, yes }: { losses: Losses; yes: boolean }): void {
  if (isInUse(losses))
    throw new BatonError('CONFLICT', `${key} is in use. ${inUseText(losses)}`, {
      fix: 'End it with Ctrl-C or `baton stop`, then drop the project.',
      details: { ...losses },
    });
  if (losses.work.length === 0 || yes) return;
  throw new BatonError('CONFLICT', `With ${key} work would be lost. ${losses.work.join(' ')}`, {
    fix: `Save it first, or drop it all the same: \`baton projects drop ${key} --yes\``,
    details: { ...losses },
  });
}

/** @throws CONFLICT while a process uses its database */
async function remove({ key, dir }: KnownProject): Promise<void> {
  if (!(await stopUnusedPostgres(path.join(dir, 'postgres'))))
    throw new BatonError('CONFLICT', `Another process looks at ${key}: its Postgres is in use.`, {
      fix: 'End what watches it, then drop the project.',
    });
  await removeTree(dir);
}

const isInUse = ({ atWork, held }: Losses): boolean => atWork.length > 0 || held.length > 0;

function inUseText({ atWork, held }: Losses): string {
  const who = atWork.map(({ pid, host }) => `pid ${pid} on ${host}`).join(', ');
  return [
    ...(atWork.length > 0 ? [`At work on it: ${who}.`] : []),
    ...(held.length > 0 ? [`A process holds ${held.join(', ')}.`] : []),
  ].join(' ');
}
