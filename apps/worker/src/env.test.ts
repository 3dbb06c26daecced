import { expect, it } from 'vitest';
import { readWorkerEnv } from './env.ts';

const DATABASE_URL = 'postgresql://localhost/baton';

it('takes plugins as JSON, found from the repository', () => {
  const env = readWorkerEnv({
    DATABASE_URL,
    BATON_HOME: '/var/lib/baton',
    BATON_REPO: '/src/app',
    BATON_PLUGINS: '[{"name":"./guard.js","options":{"strict":true}}]',
  });
  expect(env.plugins).toEqual([{ name: './guard.js', options: { strict: true } }]);
  expect(env.pluginsFrom).toBe('/src/app');
  expect(readWorkerEnv({ DATABASE_URL, HOME: '/home/me' }).plugins).toEqual([]);
});

it.each(['{}', '[{"nmae":"x"}]', 'guard'])('refuses %s as plugins by the name of the variable', (text) => {
  expect(() => readWorkerEnv({ DATABASE_URL, BATON_PLUGINS: text })).toThrow('BATON_PLUGINS');
});

it.each(['state', './state', '~/state', ''])(
  'refuses %j as state folder, which is another one in each place',
  (home) => {
    expect(() => readWorkerEnv({ DATABASE_URL, BATON_HOME: home })).toThrow(
      'BATON_HOME: must be an absolute path, such as /var/lib/baton',
    );
  },
);
