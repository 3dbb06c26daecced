import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, it } from 'vitest';

import {
  crashCatalogue,
  crashPointArguments,
  readCrashLog,
  tempDir,
  type CrashCatalogue,
  type CrashMoment,
  type CrashStrike,
  type TempDir,
} from '../src/index.ts';

const run = promisify(execFile);
const program = `import { execFile } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const never = () => rmSync('elsewhere');
async function work(folder: string): Promise<void> {
  writeFileSync(folder + '/draft', 'whole');
  renameSync(folder + '/draft', folder + '/file');
  await promisify(execFile)('git', ['init', '--quiet', folder + '/repo']);
  await appendFile(folder + '/file', ' and more');
}
if (process.argv[3] === 'never') never();
await work(process.argv[2] ?? '');
`;
const points = [
  'fs:appendFile src/program:work',
  'fs:rename src/program:work',
  'fs:rm src/program:never',
  'fs:writeFile src/program:work',
];

let source: TempDir;
let catalogue: CrashCatalogue;
beforeAll(async () => {
  source = await tempDir();
  await mkdir(path.join(source.path, 'src'));
  await writeFile(path.join(source.path, 'src/program.ts'), program);
  catalogue = crashCatalogue({ root: source.path, folders: ['src'], statements: {} });
});
afterAll(() => source[Symbol.asyncDispose]());

async function runProgram(folder: string, strike: CrashStrike | null) {
  const log = path.join(folder, 'log');
  const watched = crashPointArguments(path.join(folder, 'order'), {
    log,
    catalogue,
    strike,
  });
  const ended = await run(process.execPath, [
    ...watched,
    path.join(source.path, 'src/program.ts'),
    folder,
  ]).then(
    () => null,
    (error: unknown) => (error as { signal: string }).signal,
  );
  return { signal: ended, passages: readCrashLog(log) };
}

const read = (folder: string, name: string) => readFile(path.join(folder, name), 'utf8').catch(() => null);
const blow = (point: string, moment: CrashMoment): CrashStrike => ({
  point,
  passage: 1,
  moment,
  victim: 'self',
  delayMs: 0,
});

it('lists the points of a text, and those that a run passes under the same names', async () => {
  await using folder = await tempDir();
  expect(catalogue.points.filter((point) => point.startsWith('fs:'))).toEqual(points);
  const { signal, passages } = await runProgram(folder.path, null);
  expect(signal).toBeNull();
  const passed = passages.map(({ point }) => point);
  expect(passed).toEqual([
    'fs:writeFile src/program:work',
    'fs:rename src/program:work',
    'git:init src/program:work',
    'fs:appendFile src/program:work',
  ]);
  expect(points.filter((point) => !passed.includes(point))).toEqual(['fs:rm src/program:never']);
});

it.each<[string, CrashMoment, { draft: string | null; file: string | null }]>([
  ['fs:writeFile src/program:work', 'before', { draft: null, file: null }],
  ['fs:writeFile src/program:work', 'middle', { draft: 'who', file: null }],
  ['fs:writeFile src/program:work', 'after', { draft: 'whole', file: null }],
  ['fs:rename src/program:work', 'before', { draft: 'whole', file: null }],
  ['fs:rename src/program:work', 'after', { draft: null, file: 'whole' }],
  ['git:init src/program:work', 'before', { draft: null, file: 'whole' }],
  ['git:init src/program:work', 'after', { draft: null, file: 'whole' }],
  ['fs:appendFile src/program:work', 'middle', { draft: null, file: 'whole and ' }],
  ['fs:appendFile src/program:work', 'after', { draft: null, file: 'whole and more' }],
])('kills the process at %s, %s', async (point, moment, left) => {
  await using folder = await tempDir();
  const { signal, passages } = await runProgram(folder.path, blow(point, moment));
  expect(signal).toBe('SIGKILL');
  expect(passages.at(-1)).toMatchObject({ point, struck: moment });
  expect({ draft: await read(folder.path, 'draft'), file: await read(folder.path, 'file') }).toEqual(left);
  const hasRepo = (await read(folder.path, 'repo/.git/HEAD')) !== null;
  expect(hasRepo).toBe(point.startsWith('fs:append') || (point.startsWith('git') && moment === 'after'));
});

it('lets a blow fall on one of several processes that share an order', async () => {
  await using folder = await tempDir();
  const strike = blow('fs:rename src/program:work', 'before');
  expect((await runProgram(folder.path, strike)).signal).toBe('SIGKILL');
  const { signal, passages } = await runProgram(folder.path, strike);
  expect(signal).toBeNull();
  expect(passages.filter(({ struck }) => struck !== undefined)).toHaveLength(1);
});
