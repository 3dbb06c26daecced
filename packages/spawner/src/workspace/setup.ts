import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Exec, Log, WorkspaceSetup } from '@baton/contracts';
import { moveAgentHead, neutralise } from '../tree/agent-git.ts';
import { copySource, sourceState } from './copy-sources.ts';
import { restoreTracked, writeExcludes } from './reset.ts';
import { runSetupCommand } from './run-setup.ts';
import { forgetSetUp, isNoted, noteSetUp } from '../salvage/set-up-files.ts';
import { withIncluded } from './worktree-include.ts';
import { nulList, saveState, treeGitText, type Workspace } from '../tree/workspace.ts';

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

/**
 * Makes a tree that was just reset usable: caches and files from the user's checkout, also
 * those that its `.worktreeinclude` names, then the set-up command, which
 * is run again only when it or a lock file changed. What it all leaves in the tree is excluded from commits.
 *
 * @throws SETUP_FAILED with the end of the command's output; WORKSPACE_FAILED; PATH_OUTSIDE; CONFIG_INVALID
 */
export async function setUp(workspace: Workspace, given: SetupOptions): Promise<void> {
  const { sourceRoot } = given;
  const setup = await withIncluded(given.setup, { git: workspace.clone.git, sourceRoot, log: given.log });
  if (setup === null) return;
  const options = { ...given, setup };
  if (sourceRoot === null && setup.symlink.length + setup.copy.length > 0) {
    options.log.warn('files cannot be copied into worktrees: the checkout is on another machine', {});
  }
  if (sourceRoot !== null) {
    for (const folder of setup.symlink) await refreshCache(workspace, folder, { ...options, sourceRoot });
    for (const file of setup.copy) await copyIn(workspace, file, { ...options, sourceRoot });
  }
  saveState(workspace, { copied: setup.copy });
  await noteSetUp(workspace, 'copied');
  writeExcludes(workspace);
  const key = setupKey(workspace, given.setup ?? setup);
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
  if (!isNoted(workspace)) await noteSetUp(workspace, 'kept');
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
  if (setup?.setup === undefined) return;
  forgetSetUp(workspace);
  saveState(workspace, { setupKey: null });
  const own = { ...env, BATON_PORT_BASE: String(workspace.portBase) };
  await runSetupCommand(setup.setup, { setup, exec, env: own, cwd: workspace.path });
}

interface SourceOptions extends SetupOptions {
  sourceRoot: string;
}

/** A folder that a shared link would let an agent write into is copied, once for each workspace and state of its source. */
async function refreshCache(workspace: Workspace, folder: string, options: SourceOptions): Promise<void> {
  const state = await sourceState(options.sourceRoot, folder);
  const isThere = existsSync(path.join(workspace.path, folder));
  if (state !== null && workspace.state.caches[folder] === state && isThere) return;
  // A crash in between leaves a copy that is not taken for whole; what the set-up command wrote into the last one goes with it.
  forgetSetUp(workspace);
  const { [folder]: _, ...caches } = workspace.state.caches;
  saveState(workspace, { caches, setupKey: null });
  if (await copySource(workspace.path, folder, options))
    saveState(workspace, { caches: { ...caches, [folder]: state ?? 'unnamed' } });
  else options.log.warn('a folder to be shared with worktrees does not exist', { folder });
}

async function copyIn(workspace: Workspace, file: string, options: SourceOptions): Promise<void> {
  if (!(await copySource(workspace.path, file, options)))
    options.log.warn('a file to be copied into worktrees does not exist', { file });
}
