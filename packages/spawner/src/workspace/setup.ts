import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { BatonError, type Exec, type Log, type WorkspaceSetup } from '@baton/contracts';
import { moveAgentHead, neutralise } from './agent-git.ts';
import { restoreTracked, writeExcludes } from './reset.ts';
import { nulList, saveState, treeGitText, type Workspace } from './workspace.ts';

/** What set-up of workspaces needs. */
export interface SetupOptions {
  setup: WorkspaceSetup | null;
  /** The user's checkout, which files are copied from; null: there is none on this machine. */
  sourceRoot: string | null;
  exec: Exec;
  env: Readonly<Record<string, string>>;
  log: Log;
}

/** Files whose content decides what a set-up command installs. */
const lockFiles = [
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'requirements.txt',
  'poetry.lock',
  'uv.lock',
  'pyproject.toml',
  'Pipfile.lock',
  'Cargo.lock',
  'go.sum',
  'Gemfile.lock',
  'composer.lock',
  'mix.lock',
];
const tailBytes = 4_000;

/**
 * Makes a tree that was just reset usable: caches and files from the user's checkout, then the set-up command, which
 * is run again only when it or a lock file changed. What it all leaves in the tree is excluded from commits.
 *
 * @throws SETUP_FAILED with the end of the command's output; WORKSPACE_FAILED; PATH_OUTSIDE
 */
export async function setUp(workspace: Workspace, options: SetupOptions): Promise<void> {
  const { setup } = options;
  if (setup === null) return;
  const { sourceRoot } = options;
  if (sourceRoot === null && setup.symlink.length + setup.copy.length > 0) {
    options.log.warn('files cannot be copied into worktrees: the checkout is on another machine', {});
  }
  if (sourceRoot !== null) {
    for (const folder of setup.symlink) await refreshCache(workspace, folder, { ...options, sourceRoot });
    for (const file of setup.copy) await copyIn(workspace, file, { ...options, sourceRoot });
  }
  saveState(workspace, { copied: setup.copy });
  writeExcludes(workspace);
  const key = setupKey(workspace, setup);
  if (setup.setup !== undefined && workspace.state.setupKey !== key) {
    await runSetup(workspace, options);
    await restoreTracked(workspace);
    const left = nulList(
      await treeGitText(workspace, ['ls-files', '-z', '--others', '--directory', '--no-empty-directory']),
    );
    const own = new Set([...setup.copy, ...setup.symlink]);
    const setupPaths = left
      .map((file) => file.replace(/\/$/, ''))
      .filter((file) => file !== '.git' && !own.has(file));
    saveState(workspace, { setupKey: key, setupPaths });
    writeExcludes(workspace);
  }
  neutralise(workspace); // takes over the excludes
  if (workspace.state.head !== null) moveAgentHead(workspace, workspace.state.head);
}

/** Forgets a set-up of which something was deleted, or whose lock files changed: what is installed fits no other commit. */
export function forgetStaleSetup(workspace: Workspace, setup: WorkspaceSetup | null): void {
  if (setup === null || workspace.state.setupKey === null) return;
  const isWhole = workspace.state.setupPaths.every((file) => existsSync(path.join(workspace.path, file)));
  if (!isWhole || workspace.state.setupKey !== setupKey(workspace, setup))
    saveState(workspace, { setupKey: null });
}

function setupKey(workspace: Workspace, setup: WorkspaceSetup): string {
  const hash = createHash('sha256').update(JSON.stringify([setup.setup, setup.symlink, setup.copy]));
  for (const name of lockFiles) {
    const file = path.join(workspace.path, name);
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile())
      hash.update(`${name}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

async function runSetup(workspace: Workspace, { setup, exec, env }: SetupOptions): Promise<void> {
  const [program = '', ...args] = setup?.setup ?? [];
  const timeoutMs = setup?.setup_timeout ?? 600_000;
  const result = await exec([program, ...args], {
    cwd: workspace.path,
    env: { ...env, BATON_PORT_BASE: String(workspace.portBase) },
    timeoutMs,
  });
  if (result.exitCode === 0) return;
  saveState(workspace, { setupKey: null });
  const output = `${result.stdout}\n${result.stderr}`.trim().slice(-tailBytes);
  const how =
    result.spawnError !== undefined
      ? `cannot be started (${result.spawnError})`
      : result.timedOut
        ? `took longer than ${Math.round(timeoutMs / 1000)} s`
        : `ended with ${result.exitCode ?? result.signal}`;
  throw new BatonError(
    'SETUP_FAILED',
    `The set-up command "${[program, ...args].join(' ')}" ${how}.${output === '' ? '' : `\n${output}`}`,
    {
      fix: 'Run it in a fresh clone of the repository to see it fail, then correct `workspace.setup` or the repository.',
      details: { exitCode: result.exitCode, timedOut: result.timedOut, output },
    },
  );
}

interface CopyOptions extends SetupOptions {
  sourceRoot: string;
}

/** A folder that a shared link would let an agent write into is copied, once for each workspace and state of its source. */
async function refreshCache(workspace: Workspace, folder: string, options: CopyOptions): Promise<void> {
  const source = contained(options.sourceRoot, folder);
  const target = contained(workspace.path, folder);
  if (source === null || target === null) throw outside(folder);
  if (!existsSync(source)) {
    options.log.warn('a folder to be shared with worktrees does not exist', { folder: source });
    return;
  }
  const signature = signatureOf(source);
  if (workspace.state.caches[folder] === signature && existsSync(target)) return;
  await copy(source, target, options);
  saveState(workspace, { caches: { ...workspace.state.caches, [folder]: signature } });
}

/** Tools rewrite these marks whenever they change what is installed. */
function signatureOf(folder: string): string {
  const marks = ['.', '.package-lock.json', '.modules.yaml', '.yarn-state.yml', '.yarn-integrity'];
  return marks
    .map((name) => statSync(path.join(folder, name), { throwIfNoEntry: false }))
    .map((stat) => (stat === undefined ? '-' : `${stat.ino}:${stat.mtimeMs}:${stat.size}`))
    .join(' ');
}

async function copyIn(workspace: Workspace, file: string, options: CopyOptions): Promise<void> {
  const source = contained(options.sourceRoot, file);
  const target = contained(workspace.path, file);
  if (source === null || target === null) throw outside(file);
  if (existsSync(source)) await copy(source, target, options);
  else options.log.warn('a file to be copied into worktrees does not exist', { file: source });
}

async function copy(source: string, target: string, { exec, env }: SetupOptions): Promise<void> {
  await rm(target, { recursive: true, force: true });
  mkdirSync(path.dirname(target), { recursive: true });
  const flags = process.platform === 'linux' ? ['-a', '--reflink=auto'] : ['-a'];
  const result = await exec(['cp', ...flags, '--', source, target], {
    cwd: '/',
    env,
    timeoutMs: 10 * 60_000,
  });
  if (result.exitCode === 0) return;
  throw new BatonError(
    'WORKSPACE_FAILED',
    `${source} cannot be copied into a worktree: ${result.stderr.trim() || result.spawnError}`,
    {
      fix: 'See that it can be read and that the disk has room.',
    },
  );
}

/** The absolute path of something below a root, or null when it (or a link on the way) leads outside. */
function contained(root: string, relative: string): string | null {
  const top = realpathSync(root);
  const whole = path.resolve(top, relative);
  if (!whole.startsWith(`${top}${path.sep}`)) return null;
  let parent = path.dirname(whole);
  while (!existsSync(parent)) parent = path.dirname(parent);
  const real = realpathSync(parent);
  return real === top || real.startsWith(`${top}${path.sep}`) ? whole : null;
}

function outside(file: string): BatonError {
  return new BatonError('PATH_OUTSIDE', `"${file}" leads outside the repository.`, {
    fix: 'Name a path inside it, without links that lead out.',
  });
}
