import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Clock, Exec, Git, Log } from '@baton/contracts';
import {
  agentEnvironment,
  createWorkspacePool,
  openClone,
  type Clone,
  type WorkspacePool,
} from '@baton/spawner';
import type { Repo, Run } from '@baton/task-store';

/** Baton's own clone of a repository with its two pools of worktrees. */
export interface RepoAccess {
  clone: Clone;
  /** Worktrees that agents work in. */
  agentPool: WorkspacePool;
  /** Worktrees that no agent ever used. */
  verifyPool: WorkspacePool;
}

/** Opens each repository once a process. */
export interface Repos {
  open(run: Run, repo: Repo): Promise<RepoAccess>;
  /** Baton's own clone of a repository. */
  clone(repo: Repo): Promise<Clone>;
  /** Path of Baton's own clone of a repository. */
  clonePath(repo: Repo): Promise<string>;
  close(): Promise<void>;
}

interface ReposOptions {
  git: Git;
  exec: Exec;
  clock: Clock;
  log: Log;
  stateDir: string;
  operatorEnv: Readonly<Record<string, string | undefined>>;
}

/** Clones are shared by all runs of a repository, pools by all runs with the same set-up. */
export function createRepos(options: ReposOptions): Repos {
  const clones = new Map<string, Promise<Clone>>();
  const pools = new Map<string, Promise<WorkspacePool>>();
  const env = agentEnvironment({ base: options.operatorEnv, home: null });
  const cloneOf = (repo: Repo): Promise<Clone> => {
    const known = clones.get(repo.id);
    if (known) return known;
    const opening = openClone({
      git: options.git,
      stateDir: options.stateDir,
      repoId: repo.id,
      location: repo.location,
    });
    opening.catch(() => clones.delete(repo.id));
    clones.set(repo.id, opening);
    return opening;
  };
  const poolOf = (
    clone: Clone,
    { run, repo, purpose }: { run: Run; repo: Repo; purpose: 'agent' | 'verify' },
  ): Promise<WorkspacePool> => {
    const setup = run.workspace;
    const kind = createHash('sha256').update(JSON.stringify(setup)).digest('hex').slice(0, 8);
    const key = `${repo.id}/${purpose}-${kind}`;
    const known = pools.get(key);
    if (known) return known;
    const pool = createWorkspacePool({
      exec: options.exec,
      clone,
      dir: path.join(options.stateDir, 'worktrees', key),
      setup,
      sourceRoot: repo.host === null ? null : repo.location,
      env,
      log: options.log,
      purpose,
      clock: options.clock,
    });
    // Whatever a process before us left there is cleared away before anything else happens.
    const opening = pool.recover().then(() => pool);
    opening.catch(() => pools.delete(key));
    pools.set(key, opening);
    return opening;
  };
  return {
    async open(run, repo) {
      const clone = await cloneOf(repo);
      return {
        clone,
        agentPool: await poolOf(clone, { run, repo, purpose: 'agent' }),
        verifyPool: await poolOf(clone, { run, repo, purpose: 'verify' }),
      };
    },
    clone: cloneOf,
    clonePath: async (repo) => (await cloneOf(repo)).path,
    async close() {
      const opened = await Promise.allSettled([...pools.values()]);
      await Promise.all(opened.flatMap((pool) => (pool.status === 'fulfilled' ? [pool.value.close()] : [])));
    },
  };
}
