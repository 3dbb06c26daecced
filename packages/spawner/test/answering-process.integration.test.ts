import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { tempDir, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { processStart } from '../src/index.ts';
import { startAnswering } from '../src/git/answering-process.ts';
import { env } from './support/real.ts';

const read = (printed: Buffer) => {
  const at = printed.indexOf('\n');
  return at < 0 ? null : { answer: printed.toString('utf8', 0, at), rest: printed.subarray(at + 1) };
};

test('one that ends at the end of its input ends by itself; what it leaves, and one that stays, is killed', async () => {
  await using folder = await tempDir();
  const ask = async (script: string) => {
    const started = startAnswering(['sh', '-c', script], { cwd: folder.path, env, read });
    expect(await started.ask('question\n')).toBe('question');
    started.end();
  };
  const at = (name: string) => path.join(folder.path, name);
  const pidIn = (name: string) =>
    until(() => Number(readFileSync(at(name), 'utf8')), { what: `${name} is there` });
  await ask('cat; echo ended > by-itself');
  await until(() => existsSync(at('by-itself')), { what: 'it came to its end' });
  await ask('sleep 1000 </dev/null >/dev/null & echo $! > left; cat');
  await ask('echo $$ > stays; cat; exec sleep 1000');
  for (const name of ['left', 'stays']) {
    const pid = await pidIn(name);
    await until(() => processStart(pid) === null, { what: `${name} is gone` });
  }
});
