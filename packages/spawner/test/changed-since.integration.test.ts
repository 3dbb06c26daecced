import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { describe, expect, it } from 'vitest';
import { createExec } from '../src/index.ts';
import { changedSince, markMoment } from '../src/tree/changed-since.ts';

const exec = createExec({ clock: { now: () => new Date(), monotonicMs: () => performance.now() } });

const changes: [string, (at: (name: string) => string) => void, string[]][] = [
  ['nothing', () => undefined, []],
  ['text that is added and taken away with its time put back', putBack, ['a b']],
  ['a file that is made', (at) => writeFileSync(at('new\nline'), ''), ['.', 'new\nline']],
  ['a file that is removed', (at) => rmSync(at('sub/c')), ['sub']],
  ['a folder that is replaced by an older one', replaceFolder, ['.', 'sub']],
  ['a write through another name of the file', (at) => appendFileSync(at('../other'), 'x'), ['sub/c']],
  ['a link that is made', (at) => symlinkSync('a b', at('sub/link')), ['sub', 'sub/link']],
];

describe.each([
  ['with find', process.env['PATH'] ?? ''],
  ['without', '/nowhere'],
])('what was written since a moment, %s', (_, PATH) => {
  it.each(changes)('reports %s', async (_name, change, expected) => {
    await using folder = await tempDir();
    const top = path.join(folder.path, 'top');
    const at = (name: string): string => path.join(top, name);
    mkdirSync(at('sub'), { recursive: true });
    mkdirSync(path.join(folder.path, 'older'));
    for (const name of ['a b', 'sub/c']) writeFileSync(at(name), name);
    linkSync(at('sub/c'), at('../other'));
    const mark = path.join(folder.path, 'mark');
    await markMoment(mark);
    change(at);
    expect(await changedSince(top, mark, { exec, env: { PATH } })).toEqual(expected);
  });
});

it('separates what came right before a moment from what came right after it, every time', async () => {
  await using folder = await tempDir();
  const top = path.join(folder.path, 'top');
  mkdirSync(top);
  const mark = path.join(folder.path, 'mark');
  const names = Array.from({ length: 50 }, (_, n) => `new-${n}`);
  const found: string[][] = [];
  for (const name of names) {
    writeFileSync(path.join(top, `before-${name}`), '');
    await markMoment(mark);
    writeFileSync(path.join(top, name), '');
    found.push(await changedSince(top, mark, { exec, env: { PATH: '/nowhere' } }));
  }
  expect(found).toEqual(names.map((name) => ['.', name]));
});

function putBack(at: (name: string) => string): void {
  const { atime, mtime } = statSync(at('a b'));
  appendFileSync(at('a b'), 'x');
  writeFileSync(at('a b'), 'a b');
  utimesSync(at('a b'), atime, mtime);
}

function replaceFolder(at: (name: string) => string): void {
  renameSync(at('sub'), at('../gone'));
  renameSync(at('../older'), at('sub'));
}
