// For those who use the package alone; everything else gets its ids from its caller.
// eslint-disable-next-line no-restricted-imports
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import {
  BatonError,
  shellWord,
  type AgentDefinition,
  type AgentEvent,
  type AgentOutcome,
  type Clock,
  type Effort,
  type Git,
  type Log,
  type Usage,
  type WorkspaceSetup,
} from '@baton/contracts';
import type { Finished, PermissionPolicy } from '../agent/adapter.ts';
import { agentEnvironment } from '../agent/environment.ts';
import { createExec } from '../process/exec.ts';
import { createGit, gitFailure, validateRefName } from '../git/git.ts';
import { inspectRepository } from '../git/inspect-repository.ts';
import { checkRun } from './check-run.ts';
import { defaultAgentLimits, openAgent } from './open-agent.ts';
import { redactor } from '../agent/redact.ts';
import { builtinAgent, checkAgent } from '../agent/registry.ts';
import { openClone, type Clone } from '../tree/clone.ts';
import { createWorkspacePool, type WorkspacePool } from '../workspace/pool.ts';
import { listSetAside } from '../salvage/set-aside.ts';
import { commitTask } from '../workspace/task.ts';
import type { Workspace } from '../tree/workspace.ts';
import { makeTemporaryFolder } from '../process/temporary-folder.ts';

/** What {@link runAgent} needs: only the first three must be given. */
export interface RunAgentOptions {
  /** A folder of a git repository. Nothing in it changes but that the work gets a ref. */
  repo: string;
  /** An agent that Baton knows, such as `claude-code`, or how one is started. */
  agent: string | AgentDefinition;
  prompt: string;
  /** Branch or commit that it starts from; HEAD when left out. */
  from?: string;
  /** New branch for its work; when left out, the work is kept under `refs/baton/agents/<id>`. */
  branch?: string;
  model?: string;
  effort?: Effort;
  /** How a fresh worktree becomes usable; when left out, it holds tracked files alone. */
  setup?: WorkspaceSetup;
  /** 30 minutes when left out. */
  timeoutMs?: number;
  /** Hears what the agent says and does, as it comes; awaited. */
  onEvent?: (event: AgentEvent) => void | Promise<void>;
  /** Answers an agent that asks; when left out, what it says is outside of its worktree is denied. */
  permission?: PermissionPolicy;
  /** Ends the agent when aborted; what it made until then is kept. */
  signal?: AbortSignal;
  /** Where agent and git are found and log in; this process's own when left out. */
  env?: Readonly<Record<string, string | undefined>>;
  log?: Log;
}

/** What became of it. */
export interface AgentRun {
  outcome: AgentOutcome;
  /** The agent's own last words, or why it ended. */
  summary: string;
  startCommit: string;
  /** Holds the work, whatever the outcome; null: it changed nothing, or nothing that git can hold. */
  commit: string | null;
  /** Ref of the repository that keeps `commit`. */
  ref: string | null;
  /** Ref of the repository with what the commit does not hold, such as stashes and nested repositories; null: nothing. */
  salvageRef: string | null;
  /** Folder with a tree that could not be saved whole; null: all is saved, and nothing of ours is left on the disk. */
  setAside: string | null;
  changedPaths: string[];
  /** Differences to be added up; an agent that reports nothing has none, which does not mean that it cost nothing. */
  usage: Usage[];
}

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

// For those who use the package alone; everything else takes time and environment from its caller.
/* eslint-disable no-restricted-properties */
const hostClock: Clock = {
  now: () => new Date(performance.timeOrigin + performance.now()),
  monotonicMs: () => performance.now(),
};
const hostEnvironment = () => process.env;
/* eslint-enable no-restricted-properties */

/**
 * Has one agent work on one prompt in a worktree of its own, and gives its work a ref in the repository. How the agent ended is an
 * outcome, never an error.
 *
 * @throws INVALID_INPUT for options that are none; AGENT_UNKNOWN, AGENT_MISSING, AGENT_NOT_LOGGED_IN, REPO_NOT_FOUND, REPO_BARE, REPO_EMPTY, REF_INVALID, CONFLICT for a branch
 *   that is there, SETUP_FAILED, GIT_FAILED
 */
export async function runAgent(options: RunAgentOptions): Promise<AgentRun> {
  checkRun(options);
  const { branch, env = hostEnvironment() } = options;
  const name = typeof options.agent === 'string' ? options.agent : 'agent';
  const definition = typeof options.agent === 'string' ? builtinAgent(name) : options.agent;
  checkAgent({ name, definition, env });
  const exec = createExec({ clock: hostClock });
  const git = createGit({ exec, env });
  const { root, headCommit } = await inspectRepository({ git, path: options.repo });
  if (branch !== undefined) await refuseTaken(git, { root, branch: validateRefName(branch) });
  const id = randomUUID();
  const stateDir = makeTemporaryFolder(env, 'baton-agent-');
  const remove = () => rmSync(stateDir, { recursive: true, force: true });
  const agentEnv = agentEnvironment({ base: env, definition });
  let held: Held;
  try {
    const clone = await openClone({ git, stateDir, repoId: id, location: root });
    const startCommit = await clone.fetchTarget(options.from ?? headCommit);
    const pool = createWorkspacePool({
      ...{ exec, clone, log: options.log ?? silent, clock: hostClock, env: agentEnv, sourceRoot: root },
      ...{ setup: options.setup ?? null, dir: path.join(stateDir, 'worktrees') },
    });
    const workspace = await pool.acquire({ head: startCommit, owner: { taskId: id, fence: 1 } });
    held = { git, root, id, clone, pool, workspace, startCommit };
  } catch (error) {
    remove();
    throw error;
  }
  const used: Usage[] = [];
  const finished = await work(options, { held, name, definition, agentEnv, env, used }).catch(
    (error: unknown) => ({ error }),
  );
  const kept = await keepWork(held, options);
  const { setAside } = kept;
  if (setAside === null) remove();
  if ('error' in finished) throw finished.error;
  const { why, ...rest } = kept;
  return { outcome: finished.outcome, summary: why ?? finished.summary, ...rest, usage: used };
}

/** A worktree that is handed out, and what it belongs to. */
interface Held {
  git: Git;
  /** Top folder of the user's repository. */
  root: string;
  id: string;
  clone: Clone;
  pool: WorkspacePool;
  workspace: Workspace;
  startCommit: string;
}

/** The agent, from its start to the end of its last process. */
async function work(
  options: RunAgentOptions,
  given: {
    held: Held;
    name: string;
    definition: AgentDefinition;
    agentEnv: Record<string, string>;
    env: Readonly<Record<string, string | undefined>>;
    /** Gets what it spends. */
    used: Usage[];
  },
): Promise<Finished> {
  const { held, name, definition, agentEnv, env, used } = given;
  const { id, workspace } = held;
  const { prompt, timeoutMs = defaultAgentLimits.lifetimeMs, signal, permission } = options;
  const runner = openAgent({
    ...{ name, definition, workspace, env: agentEnv, marker: id, clock: hostClock, logFile: null },
    ...{ redact: redactor(env), model: options.model ?? null, effort: options.effort ?? null },
    limits: { lifetimeMs: timeoutMs },
    ...(permission === undefined ? {} : { permission }),
  });
  const taskFile = {
    id,
    key: id,
    title: titleOf(prompt),
    goal: prompt,
    files: [],
    attempt: 1,
    rejections: [],
  };
  try {
    return await runner.runTask(
      { prompt, taskFile, timeoutMs, ...(signal === undefined ? {} : { signal }) },
      {
        async onEvent(event) {
          if (event.type === 'usage') used.push(event.usage);
          await options.onEvent?.(event);
        },
      },
    );
  } finally {
    await runner.close();
  }
}

/** Commits what the agent made, and gives it and all that is in no commit refs in the user's repository. */
async function keepWork(
  { git, root, id, clone, pool, workspace, startCommit }: Held,
  { branch, prompt }: Pick<RunAgentOptions, 'branch' | 'prompt'>,
): Promise<Omit<AgentRun, 'outcome' | 'summary' | 'usage'> & { why: string | null }> {
  const message = titleOf(prompt);
  const made = await commitTask(workspace, { git, startCommit, message, trailers: {} }).catch(
    (error: unknown) => {
      if (!BatonError.is(error)) throw error;
      return { empty: true, headCommit: startCommit, changedPaths: [], why: error.message };
    },
  );
  if (!made.empty) await clone.keepAttempt({ taskId: id, fence: 1, commit: made.headCommit });
  const saved = await pool.release(workspace);
  const own = `refs/baton/agents/${id}`;
  const ref = branch === undefined ? own : `refs/heads/${branch}`;
  const place = { git, root, from: clone.path };
  if (!made.empty) await bring(place, { commit: made.headCommit, ref });
  if (saved !== null) await bring(place, { commit: saved, ref: `${own}-salvage` });
  return {
    startCommit,
    commit: made.empty ? null : made.headCommit,
    ref: made.empty ? null : ref,
    salvageRef: saved === null ? null : `${own}-salvage`,
    setAside: listSetAside(clone)[0]?.path ?? null,
    changedPaths: made.changedPaths,
    why: 'why' in made ? made.why : null,
  };
}

function titleOf(prompt: string): string {
  const [line = ''] = prompt.trim().split('\n');
  return line.slice(0, 72).trim() || 'Work of an agent';
}

/** @throws CONFLICT */
async function refuseTaken(git: Git, { root, branch }: { root: string; branch: string }): Promise<void> {
  const found = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], { cwd: root });
  if (found.exitCode !== 0) return;
  throw new BatonError('CONFLICT', `There is a branch ${branch} already.`, {
    at: branch,
    fix: 'Name a new branch: the work of an agent is never added to an existing branch.',
  });
}

/** @throws GIT_FAILED with where the work is */
async function bring(
  { git, root, from }: { git: Git; root: string; from: string },
  { commit, ref }: { commit: string; ref: string },
): Promise<void> {
  const args = ['fetch', '--quiet', '--no-tags', from, `${commit}:${ref}`];
  const result = await git(args, { cwd: root });
  if (result.exitCode === 0) return;
  const cause = gitFailure(args, result);
  throw new BatonError(
    'GIT_FAILED',
    `The work is made, but cannot be brought into ${root}: ${cause.message}`,
    {
      at: root,
      fix: `It is kept: \`git -C ${shellWord(root)} fetch ${shellWord(from)} ${shellWord(`${commit}:${ref}`)}\``,
      cause,
    },
  );
}
