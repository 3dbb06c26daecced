import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { expect, it } from 'vitest';
import { leasePorts, recoverPorts } from '../src/workspace/ports.ts';

/** Who is written to hold a block: `0`, or a pid and when it started. */
async function holderOf(folder: string, block: number): Promise<string> {
  const generations = (await readdir(path.join(folder, String(block)))).map(Number);
  const newest = path.join(folder, String(block), String(Math.max(...generations)));
  return readFile(path.join(newest, 'holder'), 'utf8');
}

it('frees the ports of a dead process, and leaves those of a living one', async () => {
  await using home = await tempDir();
  const folder = path.join(home.path, 'ports');
  const mine = leasePorts(folder);
  const dead = mine.base + 10;
  await mkdir(path.join(folder, String(dead), '7'), { recursive: true });
  await writeFile(path.join(folder, String(dead), '7', 'holder'), '1\nanother boot\n');
  recoverPorts(folder);
  expect(await holderOf(folder, dead)).toBe('0\n');
  expect(await holderOf(folder, mine.base)).toContain(`${process.pid}\n`);
  mine.lock.release();
  expect(leasePorts(folder).base).toBe(mine.base);
});
