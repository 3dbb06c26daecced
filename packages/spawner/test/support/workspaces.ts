import path from 'node:path';
import { createRepo, tempDir, type RepoFiles } from '@baton/testkit';
import type { WorkspaceSetup } from '@baton/contracts';
import { createWorkspacePool, inspectRepository, openClone } from '../../src/index.ts';
import { clock, env, exec, git, quietLog } from './real.ts';

/** A user's repository with Baton's clone of it and pools of worktrees, all deleted at the end. */
export async function workspaces(files: RepoFiles, setup: WorkspaceSetup | null = null) {
  const stack = new AsyncDisposableStack();
  const repo = stack.use(await createRepo(files));
  const state = stack.use(await tempDir());
  const { headCommit } = await inspectRepository({ git, path: repo.path });
  const clone = await openClone({ git, stateDir: state.path, repoId: 'r1', location: repo.path });
  const head = await clone.fetchTarget('main');
  const poolOptions = {
    git,
    exec,
    clone,
    dir: path.join(state.path, 'pools', 'r1'),
    setup,
    sourceRoot: repo.path,
    env,
    log: quietLog,
    clock,
  };
  const pool = createWorkspacePool(poolOptions);
  stack.defer(() => pool.close());
  return {
    repo,
    state,
    clone,
    head,
    headCommit,
    pool,
    poolOptions,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Shows a file as a commit of the clone holds it. */
export async function show(clone: { path: string }, rev: string, file: string): Promise<string> {
  const result = await git(['show', `${rev}:${file}`], { cwd: clone.path });
  if (result.exitCode !== 0) throw new Error(result.stderr);
  return result.stdout;
}

/** Runs the agent's own git in its worktree, with the settings that lie there. */
export async function agentGit(cwd: string, ...args: string[]): Promise<string> {
  const result = await exec(['git', ...args], {
    cwd,
    env: { ...env, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
    timeoutMs: 30_000,
  });
  if (result.exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr}`);
  return result.stdout.trim();
}
