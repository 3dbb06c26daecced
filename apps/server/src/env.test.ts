import { expect, test } from 'vitest';
import { readServerEnv } from './env.ts';

const DATABASE_URL = 'postgresql://localhost/baton';

test('only the database is required; the server listens on loopback', () => {
  const env = readServerEnv({ DATABASE_URL, HOME: '/home/me' });
  expect(env).toMatchObject({
    host: '127.0.0.1',
    port: 7420,
    repo: null,
    triggersFile: null,
    webhookSecrets: [],
  });
});

test('lists are separated by commas, plugins are JSON', () => {
  const env = readServerEnv({
    DATABASE_URL,
    BATON_ALLOWED_HOSTS: 'a.example, b.example:8443,',
    BATON_PLUGINS: '[{"name":"file-log","options":{"file":"x.jsonl"}}]',
    BATON_HOME: '/var/lib/baton',
  });
  expect(env.allowedHosts).toEqual(['a.example', 'b.example:8443']);
  expect(env.plugins).toEqual([{ name: 'file-log', options: { file: 'x.jsonl' } }]);
  expect(env.stateDir).toBe('/var/lib/baton/server');
});

test('a relative XDG_STATE_HOME is ignored, as its specification says', () => {
  const { stateDir } = readServerEnv({ DATABASE_URL, XDG_STATE_HOME: 'state', HOME: '/home/ada' });
  expect(stateDir).toBe('/home/ada/.local/state/baton/server');
});

test('settings of the repository for triggered work are those of baton.yaml, durations included', () => {
  const BATON_RUN_DEFAULTS = JSON.stringify({
    gates: [{ name: 'tests', command: ['npm', 'test'], timeout: '90s' }],
    agents: { fix: { command: ['fix'] } },
    agent: 'fix',
  });
  expect(readServerEnv({ DATABASE_URL, BATON_RUN_DEFAULTS }).runDefaults).toEqual({
    gates: [{ name: 'tests', command: ['npm', 'test'], required: true, timeout: 90_000 }],
    agents: { fix: { command: ['fix'] } },
    defaultAgent: 'fix',
    workspace: null,
    routing: null,
  });
  expect(readServerEnv({ DATABASE_URL }).runDefaults).toBeNull();
});

test.each([
  [{}, 'DATABASE_URL'],
  [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL'],
  [{ DATABASE_URL, BATON_PORT: '70000' }, 'BATON_PORT'],
  [{ DATABASE_URL, BATON_PLUGINS: '[{"nmae":"x"}]' }, 'BATON_PLUGINS'],
  [{ DATABASE_URL, BATON_RUN_DEFAULTS: '{"gates":[{"name":"x"}]}' }, 'BATON_RUN_DEFAULTS'],
  [{ DATABASE_URL, BATON_RUN_DEFAULTS: '{"plugins":[]}' }, 'plugins'],
  [{ DATABASE_URL, BATON_RUN_DEFAULTS: 'none' }, 'BATON_RUN_DEFAULTS'],
  [{ DATABASE_URL, BATON_WEBHOOK_SECRETS: 'a,b,c' }, 'BATON_WEBHOOK_SECRETS'],
])('a wrong environment %j is refused by the name %s', (env, name) => {
  expect(() => readServerEnv(env)).toThrow(name);
});

test.each(['state', './state', '~/state'])(
  'refuses %j as state folder, which is another one in each place',
  (home) => {
    expect(() => readServerEnv({ DATABASE_URL: 'postgresql://localhost/baton', BATON_HOME: home })).toThrow(
      'BATON_HOME: must be an absolute path, such as /var/lib/baton',
    );
  },
);
