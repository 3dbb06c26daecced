import path from 'node:path';
import { parseInput, repoConfig, routingOf } from '@baton/contracts';
import { stateFolder } from '@baton/service/state-folder';
import type { RunDefaults } from '@baton/task-store';
import { z } from 'zod';

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

/** Text that holds JSON of a schema; what is wrong in it is reported by key path. */
function json<Schema extends z.ZodType>(schema: Schema, what: string) {
  return z.string().transform((text, ctx): z.output<Schema> => {
    const value = parseJson(text);
    const parsed = value === undefined ? null : schema.safeParse(value.json);
    if (parsed?.success) return parsed.data;
    const issue = parsed?.error.issues[0];
    const why = issue === undefined ? '' : `: ${issue.path.join('.')} ${issue.message}`;
    ctx.addIssue({ code: 'custom', message: `must be ${what}${why}` });
    return z.NEVER;
  });
}

function parseJson(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const runDefaults = repoConfig
  .pick({ gates: true, agents: true, agent: true, workspace: true, routing: true, prices: true, audit: true })
  .transform(({ gates, agents, agent, workspace, ...costs }) => ({
    gates,
    agents,
    defaultAgent: agent ?? null,
    workspace: workspace ?? null,
    routing: routingOf(costs),
  }));

const serverEnv = z.object({
  DATABASE_URL: z
    .string({ error: 'is required: the address of the Postgres that server and workers share' })
    .regex(/^postgres(ql)?:\/\//, 'must start with postgresql://'),
  BATON_HOME: z
    .string()
    .refine(path.isAbsolute, 'must be an absolute path, such as /var/lib/baton')
    .optional(),
  XDG_STATE_HOME: z.string().min(1).optional(),
  BATON_HOST: z.string().min(1).default('127.0.0.1'),
  BATON_PORT: z.coerce.number().int().min(0).max(65_535).default(7420),
  BATON_ALLOWED_HOSTS: list,
  BATON_ALLOWED_ORIGINS: list,
  BATON_REPO: z.string().min(1).optional(),
  BATON_TARGET: z.string().min(1).max(200).optional(),
  BATON_TRIGGERS: z.string().min(1).optional(),
  BATON_WEBHOOK_SECRETS: list.refine((secrets) => secrets.length <= 2, 'may hold two secrets at most'),
  BATON_PLUGINS: json(repoConfig.shape.plugins, 'a JSON list of { name, options }').default([]),
  BATON_RUN_DEFAULTS: json(
    runDefaults,
    'JSON of gates, agents, agent, workspace, routing, prices and audit',
  ).optional(),
  BATON_ANSWER_AFTER_LOGGED: z.enum(['true', 'false']).default('false'),
  BATON_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

/** Settings of the server, from its environment. */
export interface ServerEnv {
  databaseUrl: string;
  /** The store answers only once the log has the events of the call. */
  answerAfterLogged: boolean;
  /** Folder for what plugins write. */
  stateDir: string;
  /** Address to listen on; default loopback. */
  host: string;
  /** Port; 0 picks a free one. */
  port: number;
  /** Further Host headers to answer, e.g. of a reverse proxy. */
  allowedHosts: string[];
  /** Further Origin headers to answer: of pages that such a proxy serves. */
  allowedOrigins: string[];
  /** Repository (path or URL) that triggered tasks work on when their rule names none. */
  repo: string | null;
  /** Branch that triggered work lands on when its rule names none; null: `baton/trigger-<rule>`. */
  target: string | null;
  /** What triggered work on `repo` is carried out with; null: as its run has it, at first without gates and agents. */
  runDefaults: RunDefaults | null;
  /** Path of triggers.yaml; null: no rules. */
  triggersFile: string | null;
  /** Live secrets of the generic webhook, newest first; two at most. */
  webhookSecrets: string[];
  plugins: { name: string; options?: unknown }[];
  logLevel: string;
  /** All of it, for git to take an allow-listed part from. */
  gitEnv: Readonly<Record<string, string | undefined>>;
}

/** Reads the environment once, at the start. @throws CONFIG_INVALID naming the variable */
export function readServerEnv(env: Readonly<Record<string, string | undefined>> = process.env): ServerEnv {
  const parsed = parseInput(serverEnv, env, {
    code: 'CONFIG_INVALID',
    what: 'The environment of the server',
  });
  return {
    databaseUrl: parsed.DATABASE_URL,
    answerAfterLogged: parsed.BATON_ANSWER_AFTER_LOGGED === 'true',
    stateDir: path.join(stateFolder({ HOME: env['HOME'], ...parsed }), 'server'),
    host: parsed.BATON_HOST,
    port: parsed.BATON_PORT,
    allowedHosts: parsed.BATON_ALLOWED_HOSTS,
    allowedOrigins: parsed.BATON_ALLOWED_ORIGINS.map((origin) => origin.toLowerCase()),
    repo: parsed.BATON_REPO ?? null,
    target: parsed.BATON_TARGET ?? null,
    runDefaults: parsed.BATON_RUN_DEFAULTS ?? null,
    triggersFile: parsed.BATON_TRIGGERS ?? null,
    webhookSecrets: parsed.BATON_WEBHOOK_SECRETS,
    plugins: parsed.BATON_PLUGINS.map(({ name, options }) =>
      options === undefined ? { name } : { name, options },
    ),
    logLevel: parsed.BATON_LOG_LEVEL,
    gitEnv: env,
  };
}
