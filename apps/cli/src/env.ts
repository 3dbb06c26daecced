import path from 'node:path';

import { parseInput } from '@baton/contracts';
import { accountName } from '@baton/service/account';
import { stateFolder } from '@baton/service/state-folder';
import { z } from 'zod';

const blankAsAbsent = (value: unknown) => (value === '' ? undefined : value);

const numberIn = ({ from, to, such }: { from: number; to: number; such: number }) => {
  const error = `must be a whole number from ${from} to ${to}, such as ${such}`;
  return z.coerce.number({ error }).int({ error }).min(from, { error }).max(to, { error });
};

/** It would be another folder, with other runs and other saved work, wherever the command is called. */
const notAbsolute =
  'must be an absolute path, such as /var/lib/baton; a relative one, or one with ~, is another folder in each place';

/** Every variable that the command looks at. Others are passed on to agents by name only. */
const variables = z.object({
  BATON_HOME: z.preprocess(blankAsAbsent, z.string().refine(path.isAbsolute, notAbsolute).optional()),
  BATON_PORT: z.preprocess(blankAsAbsent, numberIn({ from: 0, to: 65_535, such: 7420 }).default(7420)),
  BATON_HEAD_WAIT_SECONDS: z.preprocess(
    blankAsAbsent,
    numberIn({ from: 1, to: 86_400, such: 600 }).default(600),
  ),
  BATON_PULL_REQUEST_SECONDS: z.preprocess(
    blankAsAbsent,
    numberIn({ from: 1, to: 86_400, such: 30 }).default(30),
  ),
  BATON_POSTGRES_KEEP_SECONDS: z.preprocess(
    blankAsAbsent,
    numberIn({ from: 0, to: 86_400, such: 300 }).optional(),
  ),
  BATON_TYPED: z.preprocess(blankAsAbsent, z.string().optional()),
  BATON_VERIFY: z.preprocess(blankAsAbsent, z.enum(['auto', 'overlay', 'copy']).default('auto')),
  BATON_ANSWER_AFTER_LOGGED: z.preprocess(blankAsAbsent, z.enum(['true', 'false']).default('false')),
  DATABASE_URL: z.preprocess(blankAsAbsent, z.string().optional()),
  XDG_STATE_HOME: z.preprocess(blankAsAbsent, z.string().optional()),
  HOME: z.preprocess(blankAsAbsent, z.string().optional()),
  NO_COLOR: z.string().optional(),
  FORCE_COLOR: z.string().optional(),
  CI: z.string().optional(),
  TERM: z.string().optional(),
  USER: z.preprocess(blankAsAbsent, z.string().optional()),
});

/** What the command takes from its environment. */
export interface Env {
  /** Folder that holds all state of Baton: $BATON_HOME, else the XDG state folder. */
  home: string;
  /** Port of the server that `baton up` starts; 7420 when not set. */
  port: number;
  /** How long finished work of a run waits for somebody who can read its head before it is tried again. */
  headWaitMs: number;
  /** How often a worker looks at an open pull request; 30 s when not set. */
  requestMs: number;
  /** Postgres to use in place of the embedded one. Holds a password: never print it. */
  databaseUrl: string | undefined;
  /** How long the embedded Postgres stays after its last use, so that the next look finds it; 300, on a build server 0. */
  postgresKeepSeconds: number;
  /** The store answers only once the log has the events of the call. */
  answerAfterLogged: boolean;
  /** How commands of a verification are kept apart: `overlay` (Linux namespaces), `copy`, or the first that works. */
  isolation: 'auto' | 'overlay' | 'copy';
  /** What the user typed for `baton`, such as `npm start --`, where that is something else. */
  typed: string | undefined;
  /** `auto`: only on a terminal (https://no-color.org, FORCE_COLOR). */
  color: 'auto' | 'always' | 'never';
  /** A build server: no live view, even on a terminal. */
  ci: boolean;
  /** Name that decisions are recorded under. */
  user: string;
  /** All variables, for agents whose definition asks for some by name. */
  all: Readonly<Record<string, string>>;
}

/**
 * Reads the environment; the only place that does.
 * @throws CONFIG_INVALID naming the variable
 */
export function readEnv(source: NodeJS.ProcessEnv = process.env): Env {
  const seen = parseInput(variables, source, { code: 'CONFIG_INVALID', what: 'The environment' });
  const ci = seen.CI !== undefined && seen.CI !== '' && seen.CI !== 'false';
  return {
    home: stateFolder(seen),
    port: seen.BATON_PORT,
    headWaitMs: seen.BATON_HEAD_WAIT_SECONDS * 1000,
    requestMs: seen.BATON_PULL_REQUEST_SECONDS * 1000,
    isolation: seen.BATON_VERIFY,
    databaseUrl: seen.DATABASE_URL,
    postgresKeepSeconds: seen.BATON_POSTGRES_KEEP_SECONDS ?? (ci ? 0 : 300),
    answerAfterLogged: seen.BATON_ANSWER_AFTER_LOGGED === 'true',
    typed: seen.BATON_TYPED,
    color: colorChoice(seen),
    ci,
    user: seen.USER ?? accountName(),
    all: Object.fromEntries(
      Object.entries(source).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  };
}

function colorChoice(seen: z.output<typeof variables>): Env['color'] {
  if (seen.NO_COLOR !== undefined && seen.NO_COLOR !== '') return 'never';
  if (seen.FORCE_COLOR !== undefined && seen.FORCE_COLOR !== '0') return 'always';
  return seen.TERM === 'dumb' ? 'never' : 'auto';
}
