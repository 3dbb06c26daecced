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
function setUp(options: { rules?: ReturnType<typeof everyMinute>; fail?: () => boolean } = {}) {
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
        getCursor: async (name) => cursors.get(name) ?? 0,
        setCursor: async (name, position) => void cursors.set(name, position),
      },
      accept: async ({ deliveryId }: TriggerEvent) => {
        if (options.fail?.()) throw new Error('down');
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

test('a schedule that is changed begins anew', async () => {
  const { clock, accepted, open, use } = setUp();
  await open()();
  use(everyMinute(', timezone: Europe/Berlin'));
  clock.advance(10 * minute);
  await open()();
  expect(accepted).toEqual([]);
});
