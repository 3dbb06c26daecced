import type { Log, TriggerEvent } from '@baton/contracts';
import { parseTriggers } from '@baton/triggers';
import { manualClock } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createSchedule } from './schedule.ts';

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const everyMinute = (more = '') =>
  parseTriggers(
    `rules:
  - name: nightly
    source: schedule
    schedule: { cron: '* * * * *'${more} }
    task: { title: Look }
`,
    { file: 'triggers.yaml' },
  );

/** A server's schedule on cursors that survive it. */
function setUp(
  options: { rules?: ReturnType<typeof everyMinute>; fail?: (event: TriggerEvent) => boolean } = {},
) {
  const clock = manualClock();
  const cursors = new Map<string, number>();
  const accepted: string[] = [];
  const known = new Set<string>();
  let rules = options.rules ?? everyMinute();
  const open = () =>
    createSchedule({
      clock,
      log: silent,
      rules: () => rules,
      store: {
        feed: {
          getCursor: async (name) => cursors.get(name) ?? 0,
          setCursor: async (name, position) => void cursors.set(name, position),
        },
      },
      accept: async (event: TriggerEvent) => {
        const { deliveryId } = event;
        if (options.fail?.(event)) throw new Error('down');
        const duplicate = known.has(deliveryId);
        known.add(deliveryId);
        if (!duplicate) accepted.push(deliveryId);
        return { duplicate };
      },
    });
  return { clock, cursors, accepted, open, use: (next: typeof rules) => (rules = next) };
}

const minute = 60_000;

test('a new schedule has no past, and then fires once per tick', async () => {
  const { clock, accepted, open } = setUp();
  const run = open();
  await run();
  expect(accepted).toEqual([]);
  clock.advance(minute + 1);
  await run();
  await run();
  expect(accepted).toEqual(['nightly@2026-01-01T00:01:00.000Z']);
  clock.advance(minute);
  await run();
  expect(accepted).toHaveLength(2);
});

test('ticks that passed while no server was there are made up for by the misfire policy', async () => {
  for (const [misfire, expected] of [
    ['skip', 1],
    ['once', 2],
    ['all', 10],
  ] as const) {
    const { clock, accepted, open } = setUp({ rules: everyMinute(`, misfire: ${misfire}`) });
    await open()();
    clock.advance(10 * minute);
    await open()();
    expect([misfire, accepted.length]).toEqual([misfire, expected]);
  }
});

test('a tick that could not be accepted is fired when it can', async () => {
  let down = true;
  const { clock, accepted, open } = setUp({ fail: () => down });
  const run = open();
  await run();
  clock.advance(minute);
  await expect(run()).rejects.toThrow('down');
  expect(accepted).toEqual([]);
  down = false;
  await open()();
  expect(accepted).toEqual(['nightly@2026-01-01T00:01:00.000Z']);
});

test('a rule that is switched off fires nothing, and makes up for nothing when it is switched on again', async () => {
  const { clock, accepted, open, use } = setUp();
  const off = parseTriggers(
    `rules:
  - { name: nightly, enabled: false, source: schedule, schedule: { cron: '* * * * *' }, task: { title: Look } }
`,
    { file: 'triggers.yaml' },
  );
  use(off);
  const run = open();
  await run();
  clock.advance(5 * minute);
  await run();
  use(everyMinute());
  await run();
  expect(accepted).toEqual([]);
  clock.advance(minute);
  await run();
  expect(accepted).toHaveLength(1);
});

test('a schedule that is changed starts over', async () => {
  const { clock, accepted, open, use } = setUp();
  await open()();
  use(everyMinute(', timezone: Europe/Berlin'));
  clock.advance(10 * minute);
  await open()();
  expect(accepted).toEqual([]);
});

const none = parseTriggers(
  `rules:
  - { name: other, source: webhook, task: { title: Look } }
`,
  { file: 'triggers.yaml' },
);
const all = everyMinute(', misfire: all');
const absences: [string, string, ReturnType<typeof everyMinute>][] = [
  ['replaced by another', 'one server', everyMinute(', timezone: Europe/Berlin')],
  ['replaced by another', 'a server each', everyMinute(', timezone: Europe/Berlin')],
  ['removed', 'one server', none],
];

test.each(absences)(
  'a schedule that was %s and comes back makes up for nothing of that time (%s)',
  async (_, servers, between) => {
    const { clock, accepted, open, use } = setUp({ rules: all });
    const one = open();
    const run = () => (servers === 'one server' ? one() : open()());
    await run();
    clock.advance(minute);
    await run();
    expect(accepted).toHaveLength(1);
    use(between);
    await run();
    clock.advance(10 * minute + 1);
    use(all);
    await run();
    await run();
    expect(accepted.filter((id) => id.startsWith('nightly'))).toHaveLength(1);
    clock.advance(minute);
    await run();
    expect(accepted).toHaveLength(2);
  },
);

test('no cursor of a schedule holds back the archive, nor one of a schedule that was removed', async () => {
  const { clock, cursors, open, use } = setUp();
  const run = open();
  await run();
  clock.advance(minute);
  await run();
  use(none);
  await run();
  const lastOfFeed = 1e12;
  expect([...cursors].filter(([, position]) => position < lastOfFeed)).toEqual([]);
});

test('a schedule that was never another keeps its past when it was begun by an earlier version', async () => {
  const { clock, cursors, accepted, open } = setUp({ rules: all });
  cursors.set('schedule:nightly:* * * * *:UTC', clock.now().getTime());
  clock.advance(3 * minute);
  await open()();
  expect(accepted).toHaveLength(3);
});

test('a clock that was years ahead and is put right does not silence a schedule', async () => {
  const { clock, accepted, open } = setUp();
  const run = open();
  await run();
  const right = clock.now();
  clock.set(new Date(right.getTime() + 3 * 365 * 24 * 60 * minute));
  await run();
  clock.set(right);
  await run();
  clock.advance(minute);
  await run();
  expect(accepted.at(-1)).toBe('nightly@2026-01-01T00:01:00.000Z');
});

test('a tick that a clock ahead has fired is not fired again when its time comes', async () => {
  const { clock, accepted, open } = setUp({ rules: all });
  const run = open();
  await run();
  const right = clock.now();
  clock.set(new Date(right.getTime() + 3 * minute));
  await run();
  expect(accepted).toHaveLength(3);
  clock.set(right);
  for (let round = 0; round < 4; round += 1) {
    await run();
    clock.advance(minute);
  }
  expect(accepted).toHaveLength(3);
  await run();
  expect(accepted).toHaveLength(4);
});

test('a rule that cannot fire does not keep the rules after it from firing, and is named', async () => {
  const two = parseTriggers(
    `rules:
  - { name: broken, source: schedule, schedule: { cron: '* * * * *' }, task: { title: Look } }
  - { name: sound, source: schedule, schedule: { cron: '* * * * *' }, task: { title: Look } }
`,
    { file: 'triggers.yaml' },
  );
  const { clock, accepted, open } = setUp({
    rules: two,
    fail: ({ deliveryId }) => deliveryId.startsWith('broken'),
  });
  const run = open();
  await run();
  clock.advance(minute);
  await expect(run()).rejects.toThrow('rule broken: Error: down');
  expect(accepted).toEqual(['sound@2026-01-01T00:01:00.000Z']);
});
