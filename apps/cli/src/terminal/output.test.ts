import { PassThrough } from 'node:stream';

import { expect, test } from 'vitest';

import { nasty, obeyedIn } from '../../test/support/nasty.ts';
import { readEnv } from '../env.ts';
import { table } from './format.ts';
import { watchStreams } from './closed-streams.ts';
import { createOutput } from './output.ts';
import { askYesNo } from './ask.ts';

function opened(json = false) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const env = readEnv({ FORCE_COLOR: '1' });
  const { closed } = watchStreams(streams);
  return { streams, env, cwd: '/', closed, out: createOutput(streams, { env, json }) };
}
const said = (stream: PassThrough): string => String(stream.read() ?? '');

test('nothing of the text that a command prints is obeyed, wherever it is printed, but Baton’s own colours', () => {
  const { out, streams } = opened();
  out.result({}, (colors) => colors.red(nasty));
  out.line({}, (colors) => `${colors.bold('x')} ${nasty}`);
  out.note(nasty);
  out.warn(nasty);
  for (const text of [said(streams.stdout), said(streams.stderr)]) {
    expect(text).toContain('␛[8m');
    expect(obeyedIn(text, { colors: true })).toBeUndefined();
    expect(text, 'a colour that is not ours').toContain('␛[32m✔ landed␛[39m');
    expect(text).toMatch(/\u001b\[(31|33)m/);
  }
});

test('a seal that an agent has read in the source does not make its colours ours', () => {
  const { out, streams } = opened();
  const forged = '\u001b[8;0m\u001b[31;1234;5678;9012mhidden';
  out.result({}, () => forged);
  expect(said(streams.stdout)).toBe('␛[8;0m␛[31;1234;5678;9012mhidden\n');
});

test('with --json the value is exact and the terminal obeys nothing', () => {
  const { out, streams } = opened(true);
  out.result({ title: nasty }, () => '');
  const text = said(streams.stdout);
  expect(JSON.parse(text)).toEqual({ title: nasty });
  expect(obeyedIn(text)).toBeUndefined();
});

test('raw text is what it was', () => {
  const { out, streams } = opened();
  out.raw(nasty);
  expect(said(streams.stdout)).toBe(`${nasty}\n`);
});

test('columns of a table stand where they would without the text that is made visible, with and without colours', () => {
  const { out } = opened();
  for (const colors of [out.colors, opened(true).out.colors]) {
    const rows = [
      [colors.green('a\u001b[8m'), 'x'],
      ['longer than it', 'y'],
    ];
    const lines = colors
      .finish(table(colors, ['', ''], rows))
      .split('\n')
      .slice(1);
    const plain = lines.map((line) => line.replace(/\u001b\[\d+m/g, ''));
    expect(plain).toEqual(['a␛[8m           x', 'longer than it  y']);
  }
});

test('a question at the terminal is made printable, too', async () => {
  const call = opened();
  const answered = askYesNo(call, nasty);
  call.streams.stdin.end('y\n');
  expect(await answered).toBe(true);
  const asked = said(call.streams.stderr);
  expect(asked).toContain('␛[8m');
  expect(obeyedIn(asked)).toBeUndefined();
});

test('a reader of stdout that is gone is distinguished from a disk that is full', async () => {
  const read = opened().streams;
  const fate = watchStreams(read);
  read.stderr.emit('error', Object.assign(new Error('gone'), { code: 'EPIPE' }));
  expect(fate.closed.aborted).toBe(false);
  read.stdout.emit('error', Object.assign(new Error('gone'), { code: 'EPIPE' }));
  expect([fate.closed.aborted, fate.failure()]).toEqual([true, null]);
  read.stderr.emit('error', Object.assign(new Error('full'), { code: 'ENOSPC' }));
  expect(fate.failure()).toBe('stderr cannot be written (ENOSPC)');
});

test.each([
  [0, 1],
  [undefined, 1],
  [20, 3],
])('a terminal of %s columns gets a long line in %d lines: one of 0 has no size', (columns, count) => {
  const stderr = Object.assign(new PassThrough(), {
    isTTY: true,
    ...(columns === undefined ? {} : { columns }),
  });
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr };
  const { color, typed } = readEnv({ HOME: '/h', PATH: '/bin' });
  const out = createOutput(streams, { env: { color, typed }, json: false });
  out.note('Stopping the agents; their work is saved, all of it.');
  expect(String(stderr.read()).trimEnd().split('\n')).toHaveLength(count);
});
