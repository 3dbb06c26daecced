import { listProcessesWithMarker } from '@baton/testkit';
import { expect, test } from 'vitest';
import { openFake, run, task } from './support/agents.ts';

test('an agent that keeps spending after it was cancelled is killed at once, not given its time to end', async () => {
  const steps = [
    { ignoreCancel: true as const },
    ...Array.from({ length: 200 }, () => [{ usage: { costUsd: 0.01 } }, { sleepMs: 100 }]).flat(),
  ];
  const script = { ignoreSignals: ['SIGTERM' as const], acp: { survivesStdinClose: true }, steps };
  await using a = await openFake(script, 'acp');
  const stop = new AbortController();
  let stoppedMs = 0;
  const finished = await a.runner.runTask(task('x', { signal: stop.signal }), {
    onEvent(event) {
      if (event.type !== 'usage' || stop.signal.aborted) return;
      stoppedMs = Date.now();
      stop.abort('shutdown_signal');
    },
  });
  expect(finished).toMatchObject({ outcome: 'cancelled', abortReason: 'shutdown_signal' });
  expect(Date.now() - stoppedMs).toBeLessThan(4_500);
  expect(listProcessesWithMarker(a.marker)).toEqual([]);
});

test('the cost of another session counts besides that of the session of the prompt', async () => {
  const update = (sessionId: unknown, amount: number) =>
    `${JSON.stringify({
      ...{ jsonrpc: '2.0', method: 'session/update' },
      params: { sessionId, update: { sessionUpdate: 'usage_update', cost: { amount } } },
    })}\n`;
  const steps = [
    { usage: { costUsd: 1 } },
    { raw: update('sub', 0.5) },
    { raw: update(null, 1.25) },
    { usage: { costUsd: 1 } },
    { raw: update('sub', 0.75) },
  ];
  await using a = await openFake({ steps }, 'acp');
  const { events } = await run(a.runner);
  const spent = events.flatMap((event) => (event.type === 'usage' ? [event.usage.costMicroUsd ?? 0] : []));
  expect(spent.reduce((sum, each) => sum + each, 0)).toBe(2_750_000);
  expect(events.filter(({ type }) => type === 'unmeasured')).toEqual([]);
});
