import { userInfo } from 'node:os';
import path from 'node:path';

import { BatonError } from '@baton/contracts';
import { expect, test } from 'vitest';

import { readEnv } from './env.ts';

test('state lives in BATON_HOME, else in the XDG state folder, else below the home folder', () => {
  expect(readEnv({ HOME: '/home/ada', BATON_HOME: '/state' }).home).toBe('/state');
  expect(readEnv({ HOME: '/home/ada', BATON_HOME: '', XDG_STATE_HOME: '/xdg' }).home).toBe('/xdg/baton');
  expect(readEnv({ HOME: '/home/ada' }).home).toBe('/home/ada/.local/state/baton');
});

test('a relative XDG_STATE_HOME is ignored, as its specification says', () => {
  expect(readEnv({ HOME: '/home/ada', XDG_STATE_HOME: 'state' }).home).toBe('/home/ada/.local/state/baton');
});

test.each(['state', './state', '../state', '~/state', '~', '.', 'C:/state', ' /state'])(
  'the relative BATON_HOME %j is refused: it would be another folder in each place',
  (BATON_HOME) => {
    const refuse = () => readEnv({ HOME: '/home/ada', BATON_HOME });
    expect(refuse).toThrow(BatonError);
    expect(refuse).toThrow('BATON_HOME: must be an absolute path, such as /var/lib/baton');
  },
);

test.each(['home', './home', '~', ''])(
  'for the relative HOME %j the home folder of the account is taken',
  (HOME) => {
    expect(readEnv({ HOME }).home).toBe(path.join(userInfo().homedir, '.local/state/baton'));
  },
);

test('the embedded Postgres is kept for five minutes, on a build server not at all, and as long as somebody says', () => {
  expect(readEnv({}).postgresKeepSeconds).toBe(300);
  expect(readEnv({ CI: 'true' }).postgresKeepSeconds).toBe(0);
  expect(readEnv({ CI: 'true', BATON_POSTGRES_KEEP_SECONDS: '60' }).postgresKeepSeconds).toBe(60);
  expect(readEnv({ BATON_POSTGRES_KEEP_SECONDS: '0' }).postgresKeepSeconds).toBe(0);
  expect(() => readEnv({ BATON_POSTGRES_KEEP_SECONDS: '-1' })).toThrow(/BATON_POSTGRES_KEEP_SECONDS/);
});

test('an empty DATABASE_URL is as good as none', () => {
  expect(readEnv({ DATABASE_URL: '' }).databaseUrl).toBeUndefined();
  expect(readEnv({ DATABASE_URL: 'postgresql://h/db' }).databaseUrl).toBe('postgresql://h/db');
});

test('NO_COLOR, FORCE_COLOR and a dumb terminal decide on colours', () => {
  expect(readEnv({}).color).toBe('auto');
  expect(readEnv({ NO_COLOR: '1', FORCE_COLOR: '1' }).color).toBe('never');
  expect(readEnv({ FORCE_COLOR: '1' }).color).toBe('always');
  expect(readEnv({ TERM: 'dumb' }).color).toBe('never');
});

test('a port that is none is refused by name', () => {
  const refuse = () => readEnv({ BATON_PORT: 'http' });
  expect(refuse).toThrow(BatonError);
  expect(refuse).toThrow('BATON_PORT: must be a whole number from 0 to 65535, such as 7420');
});
