import type { Log } from '@baton/contracts';
import { manualClock } from '@baton/testkit';
import { expect, test } from 'vitest';
import { boundedLog } from './bounded-log.ts';

function bounded(maxLines: number) {
  const lines: [string, string, object | undefined][] = [];
  const write = (level: keyof Log) => (message: string, fields?: object) =>
    void lines.push([level, message, fields]);
  const clock = manualClock();
  const log = { info: write('info'), warn: write('warn'), error: write('error') };
  return { lines, clock, ...boundedLog(log, { plugin: 'chatty', clock, maxLines, perMs: 1_000 }) };
}

test('a plugin that floods the log is cut short, told once, and heard again later', () => {
  const { lines, clock, log, dropped } = bounded(2);
  for (let line = 0; line < 1_000; line += 1) log.info(`line ${line}`);
  expect(lines.map(([, message]) => message)).toEqual([
    'line 0',
    'line 1',
    expect.stringContaining('logs too much'),
  ]);
  expect(dropped()).toBe(998);
  clock.advance(1_000);
  log.error('again');
  expect(lines.at(-1)).toEqual(['error', 'again', { plugin: 'chatty' }]);
});

test('long lines and fields are cut, fields that cannot be written are left out, and no field hides who wrote them', () => {
  const { lines, log } = bounded(10);
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  log.info('x'.repeat(10_000), { text: 'y'.repeat(10_000) });
  log.info('a', circle);
  log.info('b', { plugin: 'somebody-else' });
  expect(lines[0]?.[1]).toHaveLength(2_000);
  expect(JSON.stringify(lines[0]?.[2]).length).toBeLessThan(2_200);
  expect(lines[1]?.[2]).toEqual({ fields: 'cannot be written as JSON', plugin: 'chatty' });
  expect(lines[2]?.[2]).toEqual({ plugin: 'chatty' });
});
