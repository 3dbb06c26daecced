import { realpath } from 'node:fs/promises';
import path from 'node:path';

import { BatonError, type Exec, type Git } from '@baton/contracts';
import { createExec, createGit, findRepository, inspectRepository, requireGit } from '@baton/spawner/git';
import { projectState, type ProjectState } from '@baton/worker/state';

import type { Cli } from '../terminal/call.ts';
import { systemClock } from '@baton/service/system';

/** Where a repository is, and where Baton keeps its state of it: what commands that only look need. */
export interface Place {
  /** Absolute path of the working tree's root. */
  root: string;
  /** Absolute path of the common git folder. */
  gitDir: string;
  state: ProjectState;
  git: Git;
  exec: Exec;
}

/** The repository that a command works on, as it is now. */
export interface Project extends Place {
  /** Null: detached. */
  branch: string | null;
  headCommit: string;
  /** Changed and untracked files of the checkout. */
  dirtyFiles: string[];
}

/** git and processes, as every command uses them. */
export function createTools(cli: Pick<Cli, 'env'>): { exec: Exec; git: Git } {
  const exec = createExec({ clock: systemClock });
  return { exec, git: createGit({ exec, env: cli.env.all }) };
}

/**
 * Looks at the repository around a path.
 * @param repo path given by the user; the current folder when absent
 * @throws GIT_MISSING, GIT_TOO_OLD, REPO_NOT_FOUND, REPO_BARE, REPO_EMPTY
 */
export async function openProject(
  cli: Pick<Cli, 'env' | 'cwd'>,
  { repo }: { repo?: string | undefined } = {},
): Promise<Project> {
  const { exec, git } = createTools(cli);
  await requireGit(git);
  const facts = await inspectRepository({ git, path: path.resolve(cli.cwd, repo ?? '.') });
  const root = await realpath(facts.root);
  return {
    root,
    gitDir: facts.gitDir,
    branch: facts.branch,
    headCommit: facts.headCommit,
    dirtyFiles: facts.dirtyFiles,
    state: projectState({ home: cli.env.home, repoRoot: root }),
    git,
    exec,
  };
}

/**
 * Finds the repository around a path with one git process. What is wrong with it is asked of {@link openProject}.
 * @param repo path given by the user; the current folder when absent
 * @throws GIT_MISSING, GIT_TOO_OLD, REPO_NOT_FOUND, REPO_BARE, REPO_EMPTY
 */
export async function openPlace(
  cli: Pick<Cli, 'env' | 'cwd'>,
  { repo }: { repo?: string | undefined } = {},
): Promise<Place> {
  const { exec, git } = createTools(cli);
  const found = await findRepository({ git, path: path.resolve(cli.cwd, repo ?? '.') });
  if (found === null) return openProject(cli, { repo });
  const root = await realpath(found.root);
  return {
    root,
    gitDir: found.gitDir,
    state: projectState({ home: cli.env.home, repoRoot: root }),
    git,
    exec,
  };
}

/** For commands that work on the repository itself. @throws REPO_NOT_FOUND */
export function requireProject<P extends Place>(project: P | null): P {
  if (project) return project;
  throw noRepository();
}

/** The error of a command outside of any repository. */
export function noRepository(): BatonError {
  return new BatonError('REPO_NOT_FOUND', 'There is no git repository here.', {
    fix: 'Go into the repository, or name it with --repo PATH.',
  });
}
