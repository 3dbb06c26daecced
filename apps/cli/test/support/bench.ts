import { spawn, type ChildProcess } from 'node:child_process';
import { glob } from 'node:fs/promises';
import { PassThrough } from 'node:stream';

import {
  appArguments,
  compileCache,
  createRepo,
  tempDir,
  type RepoFiles,
  type TestRepo,
} from '@baton/testkit';

import { runCli } from '../../src/cli.ts';
import { loadCommands } from '../../src/commands.ts';
import { giveCluster, repositoryOf, storesFirst } from './empty-cluster.ts';

/** How a call of the command ended. */
export interface Ended {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A call of the command that goes on. */
export interface Started {
  child: ChildProcess;
  pid: number;
  /** What it printed on stderr so far. */
  stderr(): string;
  stdout(): string;
  ended: Promise<Ended>;
}

/** Where and how the command is called. */
export interface CallOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** For Node itself, before the program. */
  nodeArguments?: readonly string[];
  /** What comes on standard input; nothing when left out. */
  stdin?: string;
}

/** A repository and a state folder of their own, and the command on both. */
export interface Bench extends AsyncDisposable {
  repo: TestRepo;
  /** State folder. */
  home: string;
  /** The same without a process of its own: for calls that are refused or only read, at a tenth of the time. */
  call(args: readonly string[], options?: CallOptions): Promise<Ended>;
  /** Calls the command as a process and waits for its end. */
  baton(args: readonly string[], options?: CallOptions): Promise<Ended>;
  start(args: readonly string[], options?: CallOptions): Started;
  /** Copies a cluster into the place of the repository's, for commands that are called without {@link Bench.start}. */
  giveCluster(): void;
  /** Whether an embedded database server of this bench runs. */
  hasServer(): Promise<boolean>;
}

/** What a bench is like. */
export interface BenchOptions {
  /** Has the first command that stores make the database cluster itself, instead of finding a copied one. */
  initdb?: boolean;
}

/** Opens a bench. Every process that was started from it is ended with it. */
export async function createBench(
  files: RepoFiles = { 'readme.txt': 'hello\n' },
  { initdb = false }: BenchOptions = {},
): Promise<Bench> {
  const repo = await createRepo(files);
  const home = await tempDir();
  const running = new Set<Started>();
  const giveHere = () => giveCluster({ home: home.path, repoRoot: repo.path });
  const start = (args: readonly string[], options: CallOptions = {}): Started => {
    if (!initdb && options.env?.['DATABASE_URL'] === undefined && storesFirst(args)) {
      const repoRoot = repositoryOf(args, { cwd: options.cwd ?? repo.path });
      if (repoRoot !== null) giveCluster({ home: options.env?.['BATON_HOME'] ?? home.path, repoRoot });
    }
    const started = startBaton(args, {
      cwd: options.cwd ?? repo.path,
      env: { BATON_HOME: home.path, ...options.env },
      nodeArguments: options.nodeArguments ?? [],
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    });
    running.add(started);
    void started.ended.then(() => running.delete(started));
    return started;
  };
  const baton = (args: readonly string[], options: CallOptions = {}) => start(args, options).ended;
  return {
    repo,
    home: home.path,
    start,
    baton,
    call: (args, options = {}) =>
      callHere(args, { cwd: options.cwd ?? repo.path, env: { BATON_HOME: home.path, ...options.env } }),
    giveCluster: giveHere,
    hasServer: () => hasServer(home.path),
    async [Symbol.asyncDispose]() {
      for (const { child } of running) child.kill('SIGKILL');
      await Promise.all([...running].map(({ ended }) => ended));
      // A killed process leaves its share in the embedded server behind; the next reader gives it up.
      if (await hasServer(home.path)) await baton(['runs']);
      await Promise.all([repo[Symbol.asyncDispose](), home[Symbol.asyncDispose]()]);
    },
  };
}

/** Calls the command as a user's shell would; from source where Node is told how to load it. */
export function startBaton(
  args: readonly string[],
  {
    cwd,
    env,
    nodeArguments = [],
    stdin,
  }: { cwd: string; env: Record<string, string>; nodeArguments?: readonly string[]; stdin?: string },
): Started {
  const program = appArguments('cli', nodeArguments.length > 0 ? {} : process.env);
  const child = spawn(process.execPath, [...nodeArguments, ...program, ...args], {
    cwd,
    env: environment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined).end(stdin);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }));
  });
  return { child, pid: child.pid ?? 0, stdout: () => stdout, stderr: () => stderr, ended };
}

async function callHere(
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Ended> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const exitCode = await runCli(args, {
    loadCommands,
    version: '0.0.0',
    streams,
    variables: environment(env),
    cwd,
  });
  return {
    exitCode,
    signal: null,
    stdout: String(streams.stdout.read() ?? ''),
    stderr: String(streams.stderr.read() ?? ''),
  };
}

/** The environment of a person who has nothing set up. */
function environment(env: Record<string, string>): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: env['BATON_HOME'] ?? '/nonexistent',
    USER: 'tester',
    NO_COLOR: '1',
    BATON_POSTGRES_KEEP_SECONDS: '0',
    ...compileCache(),
    ...env,
  };
}

async function hasServer(home: string): Promise<boolean> {
  for await (const _ of glob('projects/*/postgres/pg/postmaster.pid', { cwd: home })) return true;
  return false;
}
