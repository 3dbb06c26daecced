import { hostname } from 'node:os';
import path from 'node:path';
import { parseInput, repoConfig, retention, type RepoConfig } from '@baton/contracts';
import { stateFolder } from '@baton/service/state-folder';
import type { KeepRules } from '@baton/spawner';
import { z } from 'zod';
import { keepRules } from './task/keep-within.ts';

const workerEnv = z.object({
  DATABASE_URL: z
    .string({ error: 'is required: the address of the Postgres that server and workers share' })
    .regex(/^postgres(ql)?:\/\//, 'must start with postgresql://'),
  BATON_HOME: z
    .string()
    .refine(path.isAbsolute, 'must be an absolute path, such as /var/lib/baton')
    .optional(),
  XDG_STATE_HOME: z.string().min(1).optional(),
  BATON_WORKER_NAME: z.string().min(1).default(`${hostname()}-${process.pid}`),
  BATON_CAPACITY: z.coerce.number().int().min(1).max(200).default(2),
  BATON_LABELS: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((label) => label.trim())
        .filter((label) => label !== ''),
    ),
  BATON_REPO: z.string().min(1).optional(),
  BATON_PLUGINS: z
    .string()
    .default('[]')
    .transform((text, ctx) => {
      try {
        return repoConfig.shape.plugins.parse(JSON.parse(text));
      } catch {
        ctx.addIssue({ code: 'custom', message: 'must be a JSON list of { name, options }' });
        return z.NEVER;
      }
    }),
  BATON_VERIFY: z.enum(['auto', 'overlay', 'copy']).default('auto'),
  BATON_KEEP: z
    .string()
    .optional()
    .transform((text, ctx) => {
      if (text === undefined) return undefined;
      try {
        return keepRules(retention.parse(JSON.parse(text)));
      } catch {
        ctx.addIssue({ code: 'custom', message: 'must be JSON with what baton.yaml holds under retention' });
        return z.NEVER;
      }
    }),
  BATON_DRAIN_SECONDS: z.coerce.number().min(0).max(86_400).default(1_800),
  BATON_HEAD_WAIT_SECONDS: z.coerce.number().min(1).max(86_400).default(600),
  BATON_PULL_REQUEST_SECONDS: z.coerce.number().min(1).max(86_400).default(30),
  BATON_ANSWER_AFTER_LOGGED: z.enum(['true', 'false']).default('false'),
  BATON_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

/** Settings of a worker process, from its environment. */
export interface WorkerEnv {
  databaseUrl: string;
  /** The store answers only once the log has the events of the call. */
  answerAfterLogged: boolean;
  /** Folder for clones, worktrees and logs. */
  stateDir: string;
  name: string;
  /** Agents at work at once; default 2. */
  capacity: number;
  labels: string[];
  /** Their interceptors are asked here; their observers are fed by the server. */
  plugins: RepoConfig['plugins'];
  /** Absolute folder that paths and packages of plugins are resolved from. */
  pluginsFrom: string;
  /** How commands of a verification are kept apart: `overlay` (Linux namespaces), `copy`, or the first that works. */
  isolation: 'auto' | 'overlay' | 'copy';
  /** How long what is over is kept in the state folder; absent: nothing is removed. */
  keep: KeepRules | undefined;
  /** How long SIGTERM lets agents finish; default 30 minutes. */
  drainMs: number;
  /** How long finished work waits for somebody who can read its head before it is tried again; default 10 minutes. */
  headWaitMs: number;
  /** How often an open pull request is looked at; default 30 s. */
  requestMs: number;
  logLevel: string;
  /** All of it, for agents and gates to take an allow-listed part from. */
  operatorEnv: Readonly<Record<string, string | undefined>>;
}

/** Reads the environment once, at the start. @throws CONFIG_INVALID naming the variable */
export function readWorkerEnv(env: Readonly<Record<string, string | undefined>> = process.env): WorkerEnv {
  const parsed = parseInput(workerEnv, env, {
    code: 'CONFIG_INVALID',
    what: 'The environment of the worker',
  });
  const repo = parsed.BATON_REPO;
  return {
    databaseUrl: parsed.DATABASE_URL,
    answerAfterLogged: parsed.BATON_ANSWER_AFTER_LOGGED === 'true',
    stateDir: path.join(stateFolder({ HOME: env['HOME'], ...parsed }), 'worker'),
    name: parsed.BATON_WORKER_NAME,
    capacity: parsed.BATON_CAPACITY,
    labels: parsed.BATON_LABELS,
    plugins: parsed.BATON_PLUGINS,
    pluginsFrom: repo !== undefined && path.isAbsolute(repo) ? repo : path.resolve('.'),
    isolation: parsed.BATON_VERIFY,
    keep: parsed.BATON_KEEP,
    drainMs: parsed.BATON_DRAIN_SECONDS * 1000,
    headWaitMs: parsed.BATON_HEAD_WAIT_SECONDS * 1000,
    requestMs: parsed.BATON_PULL_REQUEST_SECONDS * 1000,
    logLevel: parsed.BATON_LOG_LEVEL,
    operatorEnv: env,
  };
}
