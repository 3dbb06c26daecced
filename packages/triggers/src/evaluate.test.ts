import type { TriggerEvent } from '@baton/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate, type TriggerState } from './evaluate.ts';
import { triggersFile } from './rule.ts';

const now = new Date('2026-11-21T12:00:00Z');
const quiet: TriggerState = { now, rules: {} };
const ago = (ms: number) => new Date(now.getTime() - ms);

function event(change: Partial<TriggerEvent> = {}): TriggerEvent {
  const data = { branch: 'feature/x', labels: ['bug', 'ui'], attempt: 3, nested: { deep: 'yes' } };
  return {
    source: 'webhook',
    deliveryId: 'd1',
    kind: 'deploy.failed',
    receivedAt: now.toISOString(),
    sender: 'ci',
    trusted: false,
    data,
    ...change,
  };
}

const file = (rule: object, rest: object = {}) =>
  triggersFile.parse({ rules: [{ name: 'r', source: 'webhook', task: { title: 'T' }, ...rule }], ...rest });

const one = (rule: object, options: { event?: TriggerEvent; state?: TriggerState } = {}) => {
  const [evaluation] = evaluate(file(rule), options.event ?? event(), options.state ?? quiet);
  if (evaluation === undefined) throw new Error('no evaluation');
  return evaluation;
};

test('an untrusted event that matches gives a planned task, and the reasons say why', () => {
  const evaluation = one({ filters: { kind: 'deploy.*' } });
  expect(evaluation).toMatchObject({
    rule: 'r',
    fires: true,
    planned: true,
    draft: { source: { trusted: false } },
  });
  expect(evaluation.why.join('\n')).toContain('not trusted');
});

test('an event of a trusted sender starts by itself unless the rule wants a person', () => {
  expect(one({ trusted_senders: ['c?'] })).toMatchObject({
    planned: false,
    draft: { source: { trusted: true } },
  });
  expect(one({ trusted_senders: ['c?'], plan: 'planned' })).toMatchObject({ planned: true });
  expect(one({ trusted_senders: ['bot'] })).toMatchObject({ planned: true });
  expect(one({ trusted_senders: ['**'] }, { event: event({ sender: null }) })).toMatchObject({
    planned: true,
  });
});

test('repository and target of the rule come with the task', () => {
  expect(one({ repo: '/srv/app', target: 'main' })).toMatchObject({ repo: '/srv/app', target: 'main' });
});

test.each([
  ['kind', { kind: 'build.*' }, 'kind "deploy.failed" does not match "build.*"'],
  ['sender', { senders: ['!ci'] }, 'sender "ci" does not match "!ci"'],
  ['field', { fields: { branch: 'main' } }, 'field branch does not match; wanted: "main"'],
  ['missing field', { fields: { 'nested.shallow': '**' } }, 'field nested.shallow is missing'],
  ['inherited field', { fields: { 'nested.constructor.name': '**' } }, 'is missing'],
  ['star over a slash', { fields: { branch: '*' } }, 'field branch does not match'],
])('a %s that does not match keeps a rule from firing and is reported', (_, filters, reason) => {
  const evaluation = one({ filters });
  expect(evaluation.fires).toBe(false);
  expect(evaluation.draft).toBeUndefined();
  expect(evaluation.why.join('\n')).toContain(reason);
});

test.each([
  [{ branch: 'feature/**' }],
  [{ branch: ['main', 'feature/*'] }],
  [{ branch: ['**', '!release/**'] }],
  [{ labels: 'bug' }],
  [{ attempt: '3' }],
  [{ 'nested.deep': 'yes', 'labels.1': 'ui' }],
])('fields match by globs, in lists and by path: %j', (fields) => {
  expect(one({ filters: { fields } }).fires).toBe(true);
});

test('everything that keeps a rule from firing is reported at once', () => {
  const evaluation = one({ filters: { kind: 'a', senders: 'b', fields: { branch: 'c' } } });
  expect(evaluation.why).toHaveLength(3);
});

test('a rule that is not enabled, or for another source, does not fire', () => {
  expect(one({ enabled: false }).why).toEqual(['the rule is not enabled']);
  expect(one({}, { event: event({ source: 'github' }) }).why).toEqual([
    'the rule is for webhook, the event is of github',
  ]);
});

test('a rule rests for its cool-down and while enough of its tasks are open', () => {
  const state = (openTasks: number, sinceMs: number) => ({
    now,
    rules: { r: { openTasks, startsAt: [ago(sinceMs)] } },
  });
  const conditions = { cooldown: '10m', max_open: 2 };
  expect(one({ conditions }, { state: state(1, 599_999) }).why).toEqual([
    'cooling down until 2026-11-21T12:00:00.001Z',
  ]);
  expect(one({ conditions }, { state: state(2, 600_000) }).why).toEqual([
    '2 of its tasks are not settled, 2 may be',
  ]);
  expect(one({ conditions }, { state: state(1, 600_000) }).fires).toBe(true);
});

test('a chain of our own runs ends at its limit', () => {
  const caused = (depth: number) => ({ event: event({ causedBy: { runId: 'run-1', depth } }) });
  expect(one({}, caused(3))).toMatchObject({ fires: true, draft: { source: { depth: 3 } } });
  expect(one({}, caused(4)).why.join()).toContain('a loop: run run-1 caused it');
  expect(one({ conditions: { max_depth: 0 } }, caused(1)).fires).toBe(false);
});

test('over its rate limit a rule defers its task, it does not drop it', () => {
  const rate_limit = { max: 2, per: '1h' };
  const state = { now, rules: { r: { openTasks: 0, startsAt: [ago(50 * 60_000), ago(10 * 60_000)] } } };
  const evaluation = one({ rate_limit }, { state });
  expect(evaluation).toMatchObject({ fires: true, draft: { notBefore: '2026-11-21T12:10:00.000Z' } });
  expect(one({ rate_limit }).draft?.notBefore).toBeNull();
});

test('the limit of the file counts the tasks of all rules, those of the same event too', () => {
  const task = { title: 'T' };
  const rules = ['a', 'b', 'c'].map((name) => ({ name, source: 'webhook', task }));
  const limited = triggersFile.parse({ rate_limit: { max: 2, per: '1m' }, rules });
  const starts = evaluate(limited, event(), quiet).map(({ draft }) => draft?.notBefore);
  expect(starts).toEqual([null, null, '2026-11-21T12:01:00.000Z']);
});

test('whatever comes, no stretch of time holds more starts than the limit, and nothing is lost', () => {
  const limited = file({ rate_limit: { max: 3, per: '10m' } });
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 40 }), (gaps) => {
      const startsAt: Date[] = [];
      let timeMs = now.getTime();
      for (const [index, gap] of gaps.entries()) {
        timeMs += gap;
        const state = { now: new Date(timeMs), rules: { r: { openTasks: 0, startsAt } } };
        const [evaluation] = evaluate(limited, event({ deliveryId: `d${index}` }), state);
        startsAt.push(new Date(evaluation?.draft?.notBefore ?? timeMs));
      }
      expect(startsAt).toHaveLength(gaps.length);
      for (const end of startsAt) {
        const inWindow = startsAt.filter((at) => at <= end && at.getTime() > end.getTime() - 600_000);
        expect(inWindow.length).toBeLessThanOrEqual(3);
      }
    }),
  );
});

test('a tick fires the rule it belongs to and no other', () => {
  const schedule = { cron: '0 3 * * *' };
  const rules = ['a', 'b'].map((name) => ({ name, source: 'schedule', schedule, task: { title: 'T' } }));
  const tick = event({ source: 'schedule', kind: 'schedule', trusted: true, data: { rule: 'b' } });
  const evaluations = evaluate(triggersFile.parse({ rules }), tick, quiet);
  expect(evaluations.map(({ fires, planned }) => [fires, planned])).toEqual([
    [false, undefined],
    [true, false],
  ]);
});
