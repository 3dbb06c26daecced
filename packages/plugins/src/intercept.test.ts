import type { Log, TaskDraft } from '@baton/contracts';
import { manualClock } from '@baton/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createPluginBus, type PluginBus } from './bus.ts';
import type { InterceptorPayloads } from './interceptor-hooks.ts';
import { definePlugin, type InterceptOptions, type Plugin } from './plugin.ts';

const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} };
const claimed = {
  runId: 'r1',
  workerId: 'w1',
  tasks: [{ id: 't1', key: 'k', title: 'T', role: 'docs', labels: [] }],
};
const route = { runId: 'r1', taskId: 't1', role: 'docs', agent: null, model: null, effort: null };

type Answer = (payload: InterceptorPayloads['cost:beforeRoute'], signal: AbortSignal) => unknown;

/** A plugin that answers to cost:beforeRoute as the test says, even against its types. */
function answering(name: string, answer: Answer, options: InterceptOptions = { onError: 'allow' }): Plugin {
  return definePlugin({
    name,
    version: '1.0.0',
    setup: (api) =>
      api.intercept(
        'cost:beforeRoute',
        options,
        (payload, { signal }) => answer(payload, signal) as undefined,
      ),
  });
}

async function busOf(
  ...plugins: Plugin[]
): Promise<{ bus: PluginBus; clock: ReturnType<typeof manualClock> }> {
  const clock = manualClock();
  const entries = plugins.map((plugin) => ({ plugin }));
  const bus = createPluginBus({
    plugins: entries,
    log: quiet,
    clock,
    directory: '/nonexistent',
    deadlineMs: 50,
  });
  expect(await bus.setup()).toEqual({ failures: [] });
  return { bus, clock };
}

const broken: [string, Answer][] = [
  [
    'throws',
    () => {
      throw new Error('boom');
    },
  ],
  ['rejects', () => Promise.reject(new Error('boom'))],
  [
    'throws what is no text',
    () => {
      throw Object.create(null);
    },
  ],
  ['hangs', () => new Promise(() => {})],
  ['answers nonsense', () => 'yes'],
  ['answers with a key too much', () => ({ deny: 'no', why: 'x' })],
  ['changes what it may not', () => ({ change: { role: 'root' } })],
  ['changes something into the wrong shape', () => ({ change: { effort: 'huge' } })],
];

test('without plugins everything stays as it was', async () => {
  const { bus } = await busOf();
  expect(await bus.intercept('task:claimed', claimed)).toEqual({ ok: true, payload: claimed });
});

test('changes pass from one plugin to the next, in order', async () => {
  const seen: unknown[] = [];
  const { bus } = await busOf(
    answering('first', () => ({ change: { model: 'm1' } })),
    answering('second', ({ model }) => void seen.push(model)),
    answering('third', ({ model }) => ({ change: { model: `${model}-x`, agent: 'a' } })),
  );
  const result = await bus.intercept('cost:beforeRoute', route);
  expect(seen).toEqual(['m1']);
  expect(result).toEqual({ ok: true, payload: { ...route, model: 'm1-x', agent: 'a' } });
});

test('a veto ends the asking and names who refused and why', async () => {
  let asked = 0;
  const { bus } = await busOf(
    answering('guard', () => ({ deny: 'too dear' })),
    answering('later', () => void (asked += 1)),
  );
  expect(await bus.intercept('cost:beforeRoute', route)).toEqual({
    ok: false,
    by: 'guard',
    reason: 'too dear',
  });
  expect(asked).toBe(0);
  expect(bus.report()[0]).toMatchObject({ interceptions: 1, vetoes: 1, failures: 0 });
});

test.each(broken)('a plugin that %s counts by its own policy', async (_, answer) => {
  const lenient = await busOf(answering('p', answer, { onError: 'allow' }));
  expect(await lenient.bus.intercept('cost:beforeRoute', route)).toEqual({ ok: true, payload: route });
  const strict = await busOf(answering('p', answer, { onError: 'deny' }));
  expect(await strict.bus.intercept('cost:beforeRoute', route)).toMatchObject({ ok: false, by: 'p' });
  expect(strict.bus.report()[0]).toMatchObject({ failures: 1, vetoes: 0 });
});

test.each(broken)('beside a plugin that %s the others work as if it were not there', async (_, answer) => {
  const { bus } = await busOf(
    answering('before', () => ({ change: { model: 'm' } })),
    answering('broken', answer),
    answering('after', ({ model }) => ({ change: { agent: `for-${model}` } })),
  );
  for (let asked = 0; asked < 7; asked += 1) {
    const result = await bus.intercept('cost:beforeRoute', route);
    expect(result).toEqual({ ok: true, payload: { ...route, model: 'm', agent: 'for-m' } });
  }
  expect(bus.report().map(({ failures, cutOff }) => [failures, cutOff])).toEqual([
    [0, false],
    [5, true],
    [0, false],
  ]);
});

test('a plugin that scribbles on its payload changes nothing for others', async () => {
  const scribble: Answer = (payload) => {
    Object.assign(payload, { model: 'evil', extra: 1 });
  };
  const { bus } = await busOf(
    answering('scribbler', scribble),
    answering('reader', (payload) => ({ change: { agent: String(payload.model) } })),
  );
  expect(await bus.intercept('cost:beforeRoute', route)).toEqual({
    ok: true,
    payload: { ...route, agent: 'null' },
  });
});

test('a plugin that fails again and again is cut off alone and asked again after a pause', async () => {
  let healthy = false;
  let asked = 0;
  const moody: Answer = () => {
    asked += 1;
    if (!healthy) throw new Error('down');
    return undefined;
  };
  const { bus, clock } = await busOf(answering('moody', moody, { onError: 'deny' }));
  for (let time = 0; time < 9; time += 1) await bus.intercept('cost:beforeRoute', route);
  expect(asked).toBe(5);
  expect(await bus.intercept('cost:beforeRoute', route)).toEqual({
    ok: false,
    by: 'moody',
    reason: 'the plugin "moody" is cut off after failures (down)',
  });
  healthy = true;
  clock.advance(30_000);
  expect(await bus.intercept('cost:beforeRoute', route)).toMatchObject({ ok: true });
  expect(bus.report()[0]).toMatchObject({ cutOff: false, failures: 5 });
});

test('a plugin that is too slow gets an aborted signal, and may ask for less time than others', async () => {
  let aborted = false;
  const slow: Answer = (_, signal) =>
    new Promise(() => signal.addEventListener('abort', () => (aborted = true)));
  const { bus } = await busOf(answering('slow', slow, { onError: 'deny', deadlineMs: 5 }));
  expect(await bus.intercept('cost:beforeRoute', route)).toMatchObject({
    reason: expect.stringContaining('within 5 ms'),
  });
  expect(aborted).toBe(true);
});

test('before the plugins are set up nothing is let through unasked', async () => {
  const plugins = [{ plugin: answering('p', () => undefined) }];
  const bus = createPluginBus({ plugins, log: quiet, clock: manualClock(), directory: '/nonexistent' });
  await expect(bus.intercept('cost:beforeRoute', route)).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('a draft that a plugin made invalid is not taken', async () => {
  const plugin = definePlugin({
    name: 'p',
    version: '1.0.0',
    options: z.strictObject({}),
    setup: (api) =>
      api.intercept('task:beforeCreate', { onError: 'deny' }, ({ draft }) => ({
        change: { draft: { ...draft, files: ['../x'] } },
      })),
  });
  const { bus } = await busOf(plugin);
  const draft = { key: 'k', files: [] } as unknown as TaskDraft;
  expect(await bus.intercept('task:beforeCreate', { runId: null, draft })).toMatchObject({
    ok: false,
    by: 'p',
  });
});
