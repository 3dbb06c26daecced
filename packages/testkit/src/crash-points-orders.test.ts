import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

import { crashPointArguments, readCrashLog } from './crash-points.ts';
import { tempDir } from './temp-dir.ts';

/** Has another process start a program, and would say so once that has ended. */
const program = `
  import { spawn } from 'node:child_process';
  const answers = 'process.on("message", ({ id }) => process.send({ id, pid: 1 }, () => process.send({ id, end: {} })))';
  const child = spawn(process.execPath, ['-e', answers], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  child.on('message', ({ end }) => {
    if (end === undefined) return;
    console.log('heard');
    child.kill();
  });
  child.send({ id: 1, order: { file: 'git', args: ['update-ref', 'refs/heads/x', 'abc'] } });
`;

it.each([
  ['is struck before it tells', 'before', ''],
  ['is struck when it was told of the end', 'after', ''],
  ['is left alone without a blow', null, 'heard\n'],
] as const)('a process that has another start a program passes a point, and %s', async (_, moment, said) => {
  await using folder = await tempDir();
  const [file, log] = [path.join(folder.path, 'tells.mjs'), path.join(folder.path, 'log')];
  writeFileSync(file, program);
  const point = 'git:update-ref tells.mjs:top';
  const watched = crashPointArguments(path.join(folder.path, 'order'), {
    log,
    catalogue: { root: folder.path, files: { 'tells.mjs': [] }, points: [point], statements: {} },
    strike: moment === null ? null : { point, passage: 1, moment, victim: 'self', delayMs: 0 },
  });
  const ended = spawnSync(process.execPath, [...watched, file], { encoding: 'utf8' });
  expect({ said: ended.stdout, signal: ended.signal }).toEqual({
    said,
    signal: moment === null ? null : 'SIGKILL',
  });
  expect(readCrashLog(log).find(({ struck }) => struck !== undefined)?.point).toBe(
    moment === null ? undefined : point,
  );
  expect(readCrashLog(log).map((passage) => passage.point)).toContain(point);
});
