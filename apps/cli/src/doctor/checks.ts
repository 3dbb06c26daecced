import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import path from 'node:path';

import { BatonError, retention, type ErrorCode } from '@baton/contracts';
import { checkServer, findEmbeddedPostgres, startEmbeddedPostgres } from '@baton/embedded-postgres';
import { requireGit, tidyState } from '@baton/spawner';
import { systemClock, systemIds } from '@baton/service/system';
import { keepRules } from '@baton/worker';

import type { Call } from '../terminal/call.ts';
import { serverEndText } from '../terminal/format.ts';
import { loadConfig } from '../plan/load-config.ts';
import { createTools, openPlace, openProject } from '../project/project.ts';
import { lookAtBase } from '../run/look-at-base.ts';
import { requireWritable } from '../project/require-writable.ts';
import { makeStateFolder } from '@baton/service/state-folder';

/** One line of `baton doctor`. */
export interface Finding {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  text: string;
  fix?: string;
}

/** One thing that is looked at. */
export type Check = (call: Call, options: { repo?: string; probe?: boolean }) => Promise<Finding | Finding[]>;

const oldestNode = [22, 18] as const;
const gib = 1024 ** 3;

/** The program that runs this. */
export const checkNode: Check = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNewEnough = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  return Promise.resolve(
    isNewEnough
      ? { name: 'node', status: 'ok', text: process.versions.node }
      : {
          name: 'node',
          status: 'fail',
          text: `${process.versions.node} is too old`,
          fix: `Install Node ${oldestNode.join('.')} or newer.`,
        },
  );
};

/** Agents are ended through what only these systems have. */
export const checkPlatform: Check = () =>
  Promise.resolve(
    ['linux', 'darwin'].includes(process.platform)
      ? { name: 'system', status: 'ok', text: `${process.platform} ${process.arch}` }
      : {
          name: 'system',
          status: 'fail',
          text: process.platform,
          fix: 'Use Linux or macOS; on Windows, WSL 2.',
        },
  );

export const checkGit: Check = async (call) => ({
  name: 'git',
  status: 'ok',
  text: await requireGit(createTools(call).git),
});

/** What keeps each run from ending well, wherever doctor is called. */
const ofState: readonly ErrorCode[] = ['REPO_INCOMPLETE', 'REPO_UNWRITABLE'];

export const checkRepository: Check = async (call, options) => {
  try {
    const project = await openProject(call, options);
    await requireWritable(project);
    const filters = await lookAtBase(project, project.headCommit);
    const dirty = project.dirtyFiles.length;
    const where = `${project.root} on ${project.branch ?? 'a detached HEAD'}`;
    const findings: Finding[] = [];
    if (dirty > 0) {
      const text = `${where}, ${dirty} files with uncommitted changes`;
      const fix = 'Agents start from the last commit and do not see them.';
      findings.push({ name: 'repository', status: 'warn', text, fix });
    }
    if (filters !== undefined) {
      const fix = 'Change these files by hand, where the filter is set up.';
      findings.push({ name: 'repository', status: 'warn', text: filters, fix });
    }
    return findings.length > 0 ? findings : { name: 'repository', status: 'ok', text: where };
  } catch (error) {
    if (!BatonError.is(error) || options.repo !== undefined || ofState.includes(error.code)) throw error;
    return {
      name: 'repository',
      status: 'warn',
      text: error.message,
      ...(error.fix === undefined ? {} : { fix: error.fix }),
    };
  }
};

/** Really starts the packaged server, in a folder of its own where the state lies: that binaries are there says little. */
export const checkPostgres: Check = async (call, options) => {
  const { env } = call;
  if (env.databaseUrl !== undefined) {
    const { version } = await checkServer(env.databaseUrl);
    return { name: 'postgres', status: 'ok', text: `PostgreSQL ${version} at DATABASE_URL` };
  }
  const home = await makeStateFolder(env.home)
    .then(() => mkdtemp(path.join(env.home, 'doctor-')))
    .catch(() => null);
  if (home === null) return []; // the check of the state folder says why
  try {
    await using server = await startEmbeddedPostgres({ home });
    const { version } = await checkServer(server.url);
    const own = await serverHere(call, options);
    return { name: 'postgres', status: 'ok', text: `packaged PostgreSQL ${version} starts${own}` };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};

/** What runs for this repository now, and until when. */
async function serverHere(call: Parameters<Check>[0], options: Parameters<Check>[1]): Promise<string> {
  const place = await openPlace(call, options).catch(() => null);
  const running = place === null ? null : await findEmbeddedPostgres(place.state.pgHome);
  if (running === null) return '';
  const until = running.isUsed ? 'is in use' : serverEndText(running.keepSeconds);
  return `; that of this repository (pid ${running.pid}) ${until}`;
}

export const checkState: Check = async ({ env }) => {
  await makeStateFolder(env.home);
  return { name: 'state', status: 'ok', text: env.home };
};

export const checkDisk: Check = async ({ env }) => {
  const existing = await nearestFolder(env.home);
  const { bavail, bsize } = await statfs(existing);
  const free = (bavail * bsize) / gib;
  const text = `${free.toFixed(1)} GiB free for ${env.home}`;
  const fix = 'Worktrees, the database and salvaged work need room: free some, or move BATON_HOME.';
  if (free < 0.5) return { name: 'disk', status: 'fail', text, fix };
  return free < 3 ? { name: 'disk', status: 'warn', text, fix } : { name: 'disk', status: 'ok', text };
};

/** Only where somebody set a limit. */
export const checkRoom: Check = async (call, options) => {
  const project = await openProject(call, options).catch(() => null);
  const rules = project && keepRules((await loadConfig(project.root)).retention ?? retention.parse({}));
  if (project === null || rules === null || rules.maxBytes === null) return [];
  const { dir: stateDir, logsDir } = project.state;
  const tools = { git: project.git, exec: project.exec, clock: systemClock, ids: systemIds };
  const nothing = { endOf: () => Promise.resolve(null), runsOf: () => Promise.resolve([]) };
  const { full } = await tidyState({ ...tools, ...nothing, stateDir, logsDir, rules, dryRun: true });
  const fix =
    'Raise retention.disk in baton.yaml, or shorten the other retentions: until then no new work starts.';
  if (full !== null) return { name: 'room', status: 'fail', text: full, fix };
  return { name: 'room', status: 'ok', text: `${stateDir} takes less than retention.disk allows` };
};

/** What holds an agent back: nothing, today. */
export const checkRights: Check = () =>
  Promise.resolve({
    name: 'rights',
    status: 'warn',
    text: 'Baton has no sandbox yet: agents run with your rights, and what they ask leave for is allowed unless it names a path outside of their worktree',
    fix: 'Run work that you do not trust in a container or virtual machine, or as another user.',
  });

async function nearestFolder(folder: string): Promise<string> {
  const isThere = await access(folder, constants.F_OK).then(
    () => true,
    () => false,
  );
  const parent = path.dirname(folder);
  return isThere || parent === folder ? folder : nearestFolder(parent);
}
