import type { Log } from '@baton/contracts';
import { manualClock } from '@baton/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createPluginBus } from './bus.ts';
import { definePlugin, isPlugin, type Plugin, type PluginApi } from './plugin.ts';

const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} };
const busOf = (plugins: { plugin: Plugin; options?: unknown }[], log = quiet) =>
  createPluginBus({ plugins, log, clock: manualClock(), directory: '/data', deadlineMs: 10 });

const plugin = (name: string, setup: (api: PluginApi<undefined>) => void | Promise<void>, required = false) =>
  definePlugin({ name, version: '1.0.0', required, setup });

test('plugins are set up in order and torn down in reverse, each with a folder of its own', async () => {
  const steps: string[] = [];
  const noting = (name: string) =>
    plugin(name, (api) => {
      steps.push(`+${name} ${api.directory}`);
      api.onTeardown(() => void steps.push(`-${name} 1`));
      api.onTeardown(() => void steps.push(`-${name} 2`));
    });
  const bus = busOf([{ plugin: noting('a') }, { plugin: noting('b') }]);
  await bus.setup();
  expect(await bus.teardown()).toEqual({ failures: [] });
  expect(steps).toEqual(['+a /data/a', '+b /data/b', '-b 2', '-b 1', '-a 2', '-a 1']);
  await bus.teardown();
  expect(steps).toHaveLength(6);
});

test('a teardown that fails or hangs is reported and stops no other', async () => {
  const done: string[] = [];
  const bus = busOf([
    { plugin: plugin('good', (api) => api.onTeardown(() => void done.push('good'))) },
    { plugin: plugin('hangs', (api) => api.onTeardown(() => new Promise<void>(() => {}))) },
    { plugin: plugin('throws', (api) => api.onTeardown(() => Promise.reject(new Error('no')))) },
  ]);
  await bus.setup();
  const { failures } = await bus.teardown();
  expect(failures.map(({ plugin: name }) => name)).toEqual(['throws', 'hangs']);
  expect(done).toEqual(['good']);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('boom');
    },
  ],
  ['hangs', () => new Promise<void>(() => {})],
  [
    'uses a hook that does not exist',
    (api: PluginApi<undefined>) => api.observe('goal:scored' as 'task:done', () => {}),
  ],
  [
    'names no failure policy',
    (api: PluginApi<undefined>) => api.intercept('task:claimed', {} as { onError: 'deny' }, () => {}),
  ],
])('a plugin whose setup %s is left out and told, the others are set up', async (_, setup) => {
  const bus = busOf([{ plugin: plugin('bad', setup) }, { plugin: plugin('good', () => {}) }]);
  const { failures } = await bus.setup();
  expect(failures).toMatchObject([{ plugin: 'bad' }]);
  expect(bus.report().map(({ name, state }) => [name, state])).toEqual([
    ['bad', 'failed'],
    ['good', 'ready'],
  ]);
});

test('when a required plugin fails nothing stays set up', async () => {
  const done: string[] = [];
  const first = plugin('first', (api) => api.onTeardown(() => void done.push('first')));
  const guard = plugin(
    'guard',
    () => {
      throw new Error('no key');
    },
    true,
  );
  const bus = busOf([{ plugin: first }, { plugin: guard }]);
  await expect(bus.setup()).rejects.toMatchObject({
    code: 'PLUGIN_INVALID',
    message: expect.stringContaining('no key'),
  });
  expect(done).toEqual(['first']);
});

test('options are checked by the plugin and handed over parsed', async () => {
  const seen: unknown[] = [];
  const strict = definePlugin({
    name: 'strict',
    version: '1.0.0',
    options: z.strictObject({ level: z.number().default(3) }),
    setup: (api) => void seen.push(api.options.level),
  });
  await busOf([{ plugin: strict }]).setup();
  expect(seen).toEqual([3]);
  const { failures } = await busOf([{ plugin: strict, options: { levle: 4 } }]).setup();
  expect(String(failures[0]?.error)).toContain('unknown key "levle"');
  const none = await busOf([{ plugin: plugin('none', () => {}), options: { a: 1 } }]).setup();
  expect(String(none.failures[0]?.error)).toContain('takes no options');
});

test('handlers cannot be added after the setup', async () => {
  const kept: PluginApi<undefined>[] = [];
  await busOf([{ plugin: plugin('late', (api) => void kept.push(api)) }]).setup();
  expect(() => kept[0]?.observe('task:done', () => {})).toThrow(/after its setup/);
});

test('a plugin that registers without end is refused', async () => {
  const greedy = plugin('greedy', (api) => {
    for (let count = 0; count < 1_000; count += 1) api.observe('event:any', () => {});
  });
  const { failures } = await busOf([{ plugin: greedy }]).setup();
  expect(String(failures[0]?.error)).toContain('more than 200 handlers');
});

test('two plugins of one name are refused', () => {
  const twice = plugin('twice', () => {});
  expect(() => busOf([{ plugin: twice }, { plugin: twice }])).toThrow(/Two plugins are called "twice"/);
});

test.each(['', 'a b', 'a/b', 'a:b'])('%j is no name for a plugin', (name) => {
  expect(() => plugin(name, () => {})).toThrow(expect.objectContaining({ code: 'PLUGIN_INVALID' }));
});

test('only what definePlugin made is a plugin', () => {
  expect(isPlugin(plugin('p', () => {}))).toBe(true);
  expect(isPlugin({ name: 'p', version: '1', setup: () => {} })).toBe(false);
  expect(isPlugin(null)).toBe(false);
});

const guard = plugin('guard', (api) =>
  api.intercept('task:claimed', { onError: 'deny' }, () => ({ deny: 'no' })),
);
const claimed = { runId: 'r', workerId: 'w', tasks: [] };

test('after the teardown nothing is let through unasked', async () => {
  const bus = busOf([{ plugin: guard }]);
  await bus.setup();
  expect(await bus.intercept('task:claimed', claimed)).toMatchObject({ ok: false });
  await bus.teardown();
  await expect(bus.intercept('task:claimed', claimed)).rejects.toMatchObject({ code: 'CONFLICT' });
});

test.each(['task:claim', '__proto__', 'constructor'])('a misspelt hook (%s) is no yes', async (hook) => {
  const bus = busOf([{ plugin: guard }]);
  await bus.setup();
  const asked = bus.intercept(hook as 'task:claimed', claimed);
  await expect(asked).rejects.toMatchObject({ code: 'INVALID_INPUT', at: 'hook' });
  await bus.teardown();
});

test('a second setup is refused, and nothing is called twice', async () => {
  let calls = 0;
  const counting = plugin('counting', (api) =>
    api.intercept('task:claimed', { onError: 'deny' }, () => void (calls += 1)),
  );
  const bus = busOf([{ plugin: counting }]);
  await bus.setup();
  await expect(bus.setup()).rejects.toMatchObject({ code: 'CONFLICT' });
  await bus.intercept('task:claimed', claimed);
  expect(calls).toBe(1);
  await bus.teardown();
  await expect(bus.setup()).rejects.toMatchObject({ code: 'CONFLICT' });
});

type Wrong = (api: PluginApi<undefined>) => void;
test.each<[string, Wrong, string]>([
  [
    'a state that no task has',
    (api) => api.observe('task:finished' as 'task:done', () => {}),
    'task:finished',
  ],
  ['an observer that is none', (api) => api.observe('task:done', undefined as never), 'no function'],
  [
    'an interceptor that is none',
    (api) => api.intercept('task:claimed', { onError: 'deny' }, {} as never),
    'no function',
  ],
  [
    'a misspelt option',
    (api) => api.intercept('task:claimed', { onError: 'deny', timeoutMs: 9 } as never, () => {}),
    'unknown key "timeoutMs"',
  ],
  [
    'a deadline that is none',
    (api) => api.intercept('task:claimed', { onError: 'deny', deadlineMs: NaN }, () => {}),
    'deadlineMs',
  ],
  ['no options at all', (api) => api.intercept('task:claimed', undefined as never, () => {}), 'onError'],
])('a plugin that registers %s fails at its setup', async (_, setup, what) => {
  const bus = busOf([{ plugin: plugin('wrong', setup) }]);
  const { failures } = await bus.setup();
  expect(failures).toMatchObject([
    { error: { code: 'PLUGIN_INVALID', message: expect.stringContaining(what) } },
  ]);
  await bus.teardown();
});
