import { BatonError, type TriggerEvent } from '@baton/contracts';
import { describe, expect, it } from 'vitest';
import {
  draftOfRule,
  dueTicks,
  evaluate,
  isTrusted,
  nextTick,
  parseTriggers,
  receiveWebhook,
  signWebhook,
  tickEvent,
  triggersFile,
  webhookEvent,
  type TriggerState,
} from './index.ts';

const now = new Date('2026-11-21T12:00:00Z');
const never = new Date(Number.NaN);
const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const body = '{"type":"deploy.failed"}';

function refused(act: () => unknown): void {
  let thrown: unknown = null;
  try {
    act();
  } catch (error) {
    thrown = error;
  }
  if (!BatonError.is(thrown, 'INVALID_INPUT')) throw new Error(`not refused: ${String(thrown)}`);
  expect(thrown.fix).toBeDefined();
}

describe('a webhook', () => {
  type Options = Parameters<typeof receiveWebhook>[1];
  const old = { headers: signWebhook(body, { secret, id: 'm', at: new Date('2020-01-01') }), body };
  const fresh = signWebhook(body, { secret, id: 'm', at: now });
  const odd: [string, object][] = [
    ['a tolerance that is no number', { toleranceMs: Number.NaN }],
    ['a tolerance that is text', { toleranceMs: '5m' }],
    ['a tolerance below 0', { toleranceMs: -1 }],
    ['no time', { now: undefined }],
    ['an invalid time', { now: never }],
    ['a time that is text', { now: '2026-11-21' }],
    ['no secrets', { secrets: undefined }],
    ['one secret in place of a list', { secrets: secret }],
    ['a misspelt key', { tolerance: 5 }],
  ];
  it.each(odd)('of years ago is let in with no such option: %s', (_, option) => {
    refused(() => receiveWebhook(old, { secrets: [secret], now, ...option } as Options));
  });

  const requests: unknown[] = [undefined, null, {}, { headers: fresh }, { body }, { headers: null, body }];
  it.each(requests)('that is none is refused: %j', (request) => {
    refused(() => receiveWebhook(request as typeof old, { secrets: [secret], now }));
  });

  it('may come with the headers of fetch, or as pairs', () => {
    for (const headers of [new Headers(fresh), Object.entries(fresh)])
      expect(receiveWebhook({ headers, body }, { secrets: [secret], now }).kind).toBe('deploy.failed');
  });

  it('is neither signed nor made an event without its parts', () => {
    for (const part of [{ at: never }, { at: undefined }, { id: undefined }])
      refused(() =>
        signWebhook(body, { secret, id: 'm', at: now, ...part } as { secret: string; id: string; at: Date }),
      );
    for (const data of [undefined, null, 5, 'x'])
      refused(() => webhookEvent(data as never, { source: 's', deliveryId: 'd', at: now }));
    refused(() => webhookEvent({}, { source: 's', deliveryId: 'd', at: never }));
  });
});

describe('ticks', () => {
  type Options = Parameters<typeof dueTicks>[0];
  const schedule = { cron: '0 3 * * *', timezone: 'Europe/Berlin', misfire: 'all' } as const;
  const good = { schedule, after: new Date('2026-11-18T12:00:00Z'), now };
  const odd: [string, object][] = [
    ['at most none', { max: 0 }],
    ['fewer than none', { max: -1 }],
    ['at most NaN', { max: Number.NaN }],
    ['a grace of NaN', { graceMs: Number.NaN }],
    ['no beginning', { after: undefined }],
    ['an invalid end', { now: never }],
    ['no schedule', { schedule: undefined }],
    ['a policy that is none', { schedule: { ...schedule, misfire: 'never' } }],
    ['no cron', { schedule: { ...schedule, cron: 'x' } }],
    ['no time zone', { schedule: { ...schedule, timezone: 'Mars' } }],
    ['an empty time zone', { schedule: { ...schedule, timezone: '' } }],
  ];
  it.each(odd)('are asked for with numbers and times that are some, not with %s', (_, option) => {
    refused(() => dueTicks({ ...good, ...option } as Options));
  });

  it('that were missed are made up for once where no policy is given', () => {
    const { cron, timezone } = schedule;
    expect(dueTicks({ ...good, schedule: { cron, timezone } })).toEqual({
      ticks: [new Date('2026-11-21T02:00:00Z')],
      after: now,
    });
  });

  it('after no time, and of no schedule, are not looked for', () => {
    refused(() => nextTick(schedule, never));
    refused(() => nextTick({ cron: 'x', timezone: 'UTC' }, now));
    refused(() => nextTick(undefined as never, now));
    refused(() => tickEvent({ name: 'r', schedule } as never, never));
  });
});

describe('rules', () => {
  const rule = {
    name: 'r',
    source: 'webhook',
    conditions: { max_open: 2, cooldown: '10m' },
    task: { title: 'Fix {{event.data.log}}' },
  };
  const file = triggersFile.parse({ rules: [rule] });
  const event: TriggerEvent = {
    ...{ source: 'webhook', deliveryId: 'd', kind: 'k', receivedAt: now.toISOString() },
    ...{ sender: null, trusted: false, data: { log: 'x' } },
  };
  const circle: Record<string, unknown> = {};
  circle['log'] = circle;
  const odd: [string, unknown][] = [
    ['nothing', undefined],
    ['trust that is text', { ...event, trusted: 'no' }],
    ['no delivery id', { ...event, deliveryId: undefined }],
    ['a cause of NaN', { ...event, causedBy: { runId: 'r', depth: Number.NaN } }],
    ['no data', { ...event, data: undefined }],
    ['a list as data', { ...event, data: [] }],
    ['a circle', { ...event, data: circle }],
    ['a BigInt', { ...event, data: { log: 5n } }],
  ];
  it.each(odd)('make no task of an event with %s', (_, given) => {
    refused(() => evaluate(file, given as TriggerEvent, { now, rules: {} }));
    const [first] = file.rules;
    if (first !== undefined) refused(() => draftOfRule(first, given as TriggerEvent));
  });

  const states: unknown[] = [
    undefined,
    { now },
    { now: never, rules: {} },
    { now, rules: { r: {} } },
    { now, rules: { r: { openTasks: Number.NaN, startsAt: [] } } },
    { now, rules: { r: { openTasks: 0, startsAt: [never] } } },
    { now, rules: { r: { openTasks: 0, startsAt: ['2026-11-21T11:59:00Z'] } } },
  ];
  it.each(states)('are held back by what they did before, which is not %j', (state) => {
    refused(() => evaluate(file, event, state as TriggerState));
  });

  it('of two files have names of their own', () => {
    const other = triggersFile.parse({ rules: [{ ...rule, task: { title: 'other' } }] });
    refused(() => evaluate({ rules: [...file.rules, ...other.rules] }, event, { now, rules: {} }));
  });

  it('trust no event on a word that is no yes', () => {
    const [first] = file.rules;
    if (first === undefined) throw new Error('no rule');
    refused(() => isTrusted(first, { ...event, trusted: 'no' as never }));
    expect(isTrusted(first, event)).toBe(false);
  });

  it('are read from text alone', () => {
    for (const text of [undefined, null, 5, Buffer.from('rules: []')])
      refused(() => parseTriggers(text as never, { file: 'triggers.yaml' }));
    refused(() => parseTriggers('rules: []', undefined as never));
  });
});
