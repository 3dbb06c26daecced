import { expect, test } from 'vitest';
import { createPluginBus, definePlugin, loadPlugins, type PluginBusOptions } from './index.ts';

const nothing = () => undefined;
const plugin = definePlugin({ name: 'guard', version: '1.0.0', setup: nothing });
const bus: PluginBusOptions = {
  plugins: [{ plugin }],
  log: { info: nothing, warn: nothing, error: nothing },
  clock: { now: () => new Date(0), monotonicMs: () => 0 },
  directory: '/nonexistent',
};
const refused = (at: string) =>
  expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(at) as string });

// A timer that is given these fires at once, and a guard with onError 'allow' would let everything pass.
test.each([Number.NaN, Infinity, -1, 0, 1e10, '5000', null])(
  'a bus whose handlers have %s ms is not made',
  (ms) => {
    expect(() => createPluginBus({ ...bus, deadlineMs: ms as number })).toThrow(refused('deadlineMs'));
  },
);

test.each<[string, object]>([
  ['plugins', { plugins: undefined }],
  ['plugins.0', { plugins: Array(1) }],
  ['plugins.0.plugin', { plugins: [plugin] }],
  ['plugins.0.plugin', { plugins: [{ plugin: { name: 'guard', setup: nothing } }] }],
  ['log', { log: undefined }],
  ['clock', { clock: { now: nothing } }],
  ['directory', { directory: 'plugins' }],
  ['unknown key "deadline"', { deadline: 5 }],
])('a bus is not made without what it needs: %s', (at, change) => {
  expect(() => createPluginBus({ ...bus, ...change })).toThrow(refused(at));
});

test.each<[string, unknown]>([
  ['object', undefined],
  ['entries', { entries: './guard.mjs', resolveFrom: '/' }],
  ['entries.0', { entries: Array(1), resolveFrom: '/' }],
  ['entries.0.name', { entries: [{ name: 5 }], resolveFrom: '/' }],
  ['resolveFrom', { entries: [{ name: './guard.mjs' }] }],
  ['resolveFrom', { entries: [], resolveFrom: '.' }],
  ['loadingMs', { entries: [], resolveFrom: '/', loadingMs: Infinity }],
])('nothing is loaded without a word on what and from where: %s', async (at, options) => {
  await expect(loadPlugins(options as Parameters<typeof loadPlugins>[0])).rejects.toEqual(refused(at));
});
