import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Clock, Exec, Git, Log } from '@baton/contracts';
import {
  agentEnvironment,
  createVerifyPool,
  createWorkspacePool,
  openClone,
  type Clone,
  type IsolationWish,
  type VerifyPool,
  type WorkspacePool,
} from '@baton/spawner';
import type { Repo, Run } from '@baton/task-store';

/** Baton's own clone of a repository with its two pools of worktrees. */
export interface RepoAccess {
  clone: Clone;
  /** Worktrees that agents work in. */
  agentPool: WorkspacePool;
  /** Places made for one verification each. */
  verifyPool: VerifyPool;
}

/** Which repository it is, and where it lies. */
export type RepoPlace = Pick<Repo, 'id' | 'location' | 'host'>;

/** Opens each repository once a process. */
export interface Repos {
  open(run: Pick<Run, 'workspace'>, repo: RepoPlace): Promise<RepoAccess>;
  /** Baton's own clone of a repository. */
  clone(repo: RepoPlace): Promise<Clone>;
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
  isolation: IsolationWish;
}

/** Clones are shared by all runs of a repository, pools by all runs with the same set-up. */
export function createRepos(options: ReposOptions): Repos {
  const clones = new Map<string, Promise<Clone>>();
  const agentPools = new Map<string, Promise<WorkspacePool>>();
  const verifyPools = new Map<string, Promise<VerifyPool>>();
  const env = { ...agentEnvironment({ base: options.operatorEnv, home: null }), CI: '1' };
  const cloneOf = (repo: RepoPlace): Promise<Clone> => {
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
  const poolsOf = async (
    clone: Clone,
    { run, repo }: { run: Pick<Run, 'workspace'>; repo: RepoPlace },
  ): Promise<RepoAccess> => {
    const setup = run.workspace;
    const kind = createHash('sha256').update(JSON.stringify(setup)).digest('hex').slice(0, 8);
    const sourceRoot = repo.host === null ? null : repo.location;
    const { exec, log, clock, isolation } = options;
    const common = { exec, clone, setup, sourceRoot, env, log, clock };
    const dirOf = (purpose: string): string =>
      path.join(options.stateDir, 'worktrees', `${repo.id}/${purpose}-${kind}`);
    const agentPool = openOnce(agentPools, dirOf('agent'), (dir) => createWorkspacePool({ ...common, dir }));
    const verifyPool = openOnce(verifyPools, dirOf('verify'), (dir) =>
      createVerifyPool({ ...common, dir, isolation }),
    );
    return { clone, agentPool: await agentPool, verifyPool: await verifyPool };
  };
  return {
    async open(run, repo) {
      return poolsOf(await cloneOf(repo), { run, repo });
    },
    clone: cloneOf,
    clonePath: async (repo) => (await cloneOf(repo)).path,
    async close() {
      const opened = await Promise.allSettled([...agentPools.values()]);
      await Promise.all(opened.flatMap((pool) => (pool.status === 'fulfilled' ? [pool.value.close()] : [])));
    },
  };
}

/** Opens each pool once. Whatever a process before us left there is cleared away before anything else happens. */
function openOnce<Pool extends { recover(): Promise<void> }>(
  pools: Map<string, Promise<Pool>>,
  dir: string,
  open: (dir: string) => Pool,
): Promise<Pool> {
  const known = pools.get(dir);
  if (known) return known;
  const pool = open(dir);
  const opening = pool.recover().then(() => pool);
  opening.catch(() => pools.delete(dir));
  pools.set(dir, opening);
  return opening;
}
