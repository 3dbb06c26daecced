import { expect, test } from 'vitest';
import type { AgentEvent } from '@baton/contracts';
import { eventQueue } from './event-queue.ts';

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;

const usage = (offset: number, part: Partial<UsageEvent['usage']> = {}): UsageEvent => ({
  type: 'usage',
  offset,
  usage: {
    ...{ model: 'm', inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
    ...{ costMicroUsd: 5, estimated: false },
    ...part,
  },
});
const said: AgentEvent = { type: 'message', kind: 'assistant', text: 'x' };

/** What the handler gets of events that come while it is busy with the first. */
async function handled(...events: AgentEvent[]) {
  const got: AgentEvent[] = [];
  const told: AgentEvent[] = [];
  const queue = eventQueue({
    redact: (text) => text,
    handlers: { onEvent: (event) => void got.push(event), onTold: (event) => void told.push(event) },
  });
  for (const event of events) queue.push(event);
  const waiting = queue.waiting;
  await queue.drain();
  return { got, told, waiting };
}

test('reports of usage that wait behind one another become one, at the place of the last; each is heard at once', async () => {
  const { got, told, waiting } = await handled(said, usage(0), usage(1), usage(2), said, usage(3));
  expect(got).toEqual([
    said,
    usage(2, {
      ...{ inputTokens: 3, outputTokens: 6, cacheReadTokens: 9, cacheWriteTokens: 12, costMicroUsd: 15 },
    }),
    said,
    usage(3),
  ]);
  expect(told).toHaveLength(6);
  expect(waiting).toBe(4);
});

test.each([
  ['another model', { model: 'n' }],
  ['a price of its own', { costMicroUsd: null }],
  ['an estimate', { estimated: true }],
])('%s stays a report of its own', async (_, part) => {
  const events = [said, usage(0), usage(1, part)];
  expect((await handled(...events)).got).toEqual(events);
});
