import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { withLock } from '../src/lock.ts';
import { findProcess, isAlive, thisProcess } from '../src/process-table.ts';
import { tempHome } from './support.ts';

async function lockIn(folder: string) {
  const waitingDir = path.join(folder, 'waiting');
  await mkdir(waitingDir);
  return { file: path.join(folder, 'lock'), log: path.join(folder, 'log'), waitingDir };
}

test('of many that steal a dead owner’s lock at once, one has it at a time, and none is left out', async () => {
  await using place = await tempHome();
  const { file, log, waitingDir } = await lockIn(place.folder);
  const dead = `999999999 1`;
  await writeFile(file, dead);
  await writeFile(`${file}.steal`, dead); // a stealer that was killed half-way
  const enter = (n: number) =>
    withLock(file, { waitingDir }, async () => {
      await appendFile(log, `in ${n}\n`);
      await appendFile(log, `out ${n}\n`);
    });
  await Promise.all(Array.from({ length: 12 }, (_, n) => enter(n)));
  const lines = (await readFile(log, 'utf8')).trim().split('\n');
  expect(lines).toHaveLength(24);
  for (let at = 0; at < lines.length; at += 2) expect(lines[at + 1]).toBe(lines[at]?.replace('in', 'out'));
  expect((await readdir(place.folder)).sort()).toEqual(['log', 'waiting']);
  expect(await readdir(waitingDir)).toEqual([]);
});

test('a living owner’s lock is waited for, then given up with its name', async () => {
  await using place = await tempHome();
  const { file, waitingDir } = await lockIn(place.folder);
  const inner = await withLock(file, { waitingDir }, () =>
    withLock(file, { waitingDir, maxWaitMs: 60 }, () => Promise.resolve('entered')).catch(
      (error: unknown) => error,
    ),
  );
  expect(inner).toMatchObject({ code: 'EMBEDDED_FAILED', at: file });
});

test('the lock is free again when the task fails', async () => {
  await using place = await tempHome();
  const { file, waitingDir } = await lockIn(place.folder);
  await expect(withLock(file, { waitingDir }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withLock(file, { waitingDir }, () => Promise.resolve('yes'))).toBe('yes');
});

test('a process is known by pid and start time: the same pid with another start is another process', () => {
  const self = thisProcess();
  expect(isAlive(self)).toBe(true);
  expect(isAlive({ ...self, startTime: '1' })).toBe(false);
  expect(findProcess(-1)).toBeUndefined();
  expect(findProcess(Number.NaN)).toBeUndefined();
});
