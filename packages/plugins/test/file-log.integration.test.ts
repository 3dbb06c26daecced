import { tempDir } from '@baton/testkit';
import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { builtinPlugins } from '../src/index.ts';
import { recordedMove, replayFeed } from '../src/testing.ts';

const fileLog = builtinPlugins.get('file-log');
if (fileLog === undefined) throw new Error('file-log is not built in');

const moves = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => recordedMove({ position: from + index }));

async function positions(file: string): Promise<number[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { position: number }).position);
}

test('every event becomes one line of JSON, in order, for the owner only', async () => {
  await using folder = await tempDir();
  const { report } = await replayFeed(fileLog, { directory: folder.path, events: moves(3) });
  const file = path.join(folder.path, 'file-log', 'events.jsonl');
  expect(report.observers).toMatchObject({ delivered: 3, failures: 0 });
  expect(await positions(file)).toEqual([1, 2, 3]);
  expect(JSON.parse((await readFile(file, 'utf8')).split('\n')[0] ?? '')).toMatchObject({
    machine: 'task',
    from: 'OPEN',
    to: 'CLAIMED',
    at: '2026-01-01T00:00:00.000Z',
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('size and number of files are bounded, and nothing between them is lost', async () => {
  await using folder = await tempDir();
  await replayFeed(fileLog, {
    directory: folder.path,
    options: { maxBytes: 1_000, keep: 2 },
    events: moves(40),
  });
  const logs = path.join(folder.path, 'file-log');
  const files = await readdir(logs);
  expect(files.sort()).toEqual(['events.jsonl', 'events.jsonl.1', 'events.jsonl.2']);
  const kept: number[] = [];
  for (const name of ['events.jsonl.2', 'events.jsonl.1', 'events.jsonl']) {
    expect((await stat(path.join(logs, name))).size).toBeLessThanOrEqual(1_000);
    kept.push(...(await positions(path.join(logs, name))));
  }
  expect(kept.at(-1)).toBe(40);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 41 - kept.length + index));
});

test('a line that a crash tore does not spoil the next one', async () => {
  await using folder = await tempDir();
  const file = path.join(folder.path, 'file-log', 'logs', 'all.jsonl');
  await replayFeed(fileLog, {
    directory: folder.path,
    options: { file: 'logs/all.jsonl' },
    events: moves(1),
  });
  await appendFile(file, '{"position":2,"mach');
  await replayFeed(fileLog, {
    directory: folder.path,
    options: { file: 'logs/all.jsonl' },
    events: moves(1, 3),
  });
  const lines = (await readFile(file, 'utf8')).split('\n');
  expect(lines[1]).toBe('{"position":2,"mach');
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({ position: 3 });
});

test.each([{ file: '../outside.jsonl' }, { file: '/etc/x' }, { maxBytes: 1 }, { path: 'x' }])(
  'options that lead outside or are unknown are refused: %j',
  async (options) => {
    await using folder = await tempDir();
    const act = replayFeed(fileLog, { directory: folder.path, options, events: [] });
    await expect(act).rejects.toMatchObject({ code: 'PLUGIN_INVALID' });
  },
);

test('a folder that cannot be written is reported when the plugin is set up', async () => {
  await using folder = await tempDir();
  await writeFile(path.join(folder.path, 'file-log'), 'a file where the folder should be');
  await expect(replayFeed(fileLog, { directory: folder.path, events: [] })).rejects.toMatchObject({
    code: 'EEXIST',
  });
});

test('full files move on one by one, the oldest goes, and sizes are those on the disk', async () => {
  await using folder = await tempDir();
  const events = moves(60).map((move) => ({ ...move, reason: 'ü'.repeat(100) }));
  await replayFeed(fileLog, { directory: folder.path, options: { maxBytes: 3_000, keep: 3 }, events });
  const logs = path.join(folder.path, 'file-log');
  const names = ['events.jsonl.3', 'events.jsonl.2', 'events.jsonl.1', 'events.jsonl'];
  expect((await readdir(logs)).sort()).toEqual(names.toSorted());
  const kept: number[] = [];
  for (const name of names) {
    expect((await stat(path.join(logs, name))).size).toBeLessThanOrEqual(3_000);
    kept.push(...(await positions(path.join(logs, name))));
  }
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 61 - kept.length + index));
});
