import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { plan } from '@baton/contracts';
import { migrate, openStore } from '@baton/task-store';
import { createTestDatabase, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { runDraftOf } from './support/run-draft.ts';

const empty = () => createTestDatabase({ migrate: () => Promise.resolve(), templateKey: 'empty' });
const by = { actor: 'operator:t', reason: 'test' };
const written = plan.parse({ name: 'p', stages: [{ name: 's', steps: [{ key: 'a', title: 'A' }] }] });

async function filled(url: string): Promise<void> {
  await migrate(url);
  const store = await openStore({ url });
  const { run } = await store.runs.create(runDraftOf(written, 'small-1'), by);
  await store.runs.approvePlan(run.id, by);
  await store.close();
}

/** An export of a store into a folder of its own, and the way to call it once more. */
async function world() {
  const stack = new AsyncDisposableStack();
  const bench = stack.use(await createBench());
  const folder = stack.use(await tempDir());
  const database = stack.use(await empty());
  await filled(database.url);
  const call = async (args: string[], url = database.url) => {
    const ended = await bench.call(['export', ...args], { env: { DATABASE_URL: url }, cwd: folder.path });
    return { exitCode: ended.exitCode, said: ended.stdout + ended.stderr };
  };
  const at = (name: string) => path.join(folder.path, name);
  return { call, at, url: database.url, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test.each([
  ['a plan that was edited', 'out', 'out/plans/small-1.yaml'],
  ['a store file of another hand', 'out', 'out/store.jsonl'],
  ['a ticket that was edited', '--sdd out', 'out/backlog/open/small-1.a.yaml'],
  ['a file', 'out.jsonl', 'out.jsonl'],
])('an export does not replace %s, and does with --force', async (_, args, file) => {
  await using here = await world();
  const words = args.split(' ');
  expect((await here.call(words)).exitCode).toBe(0);
  await writeFile(here.at(file), 'mine\n');
  const before = await readdir(here.at('.'), { recursive: true });
  const refused = await here.call(words);
  expect(refused.exitCode).toBe(2);
  expect(refused.said).toContain(`CONFLICT: ${here.at(file)} is there`);
  expect(refused.said).toContain('--force');
  expect(await readFile(here.at(file), 'utf8')).toBe('mine\n');
  expect(await readdir(here.at('.'), { recursive: true })).toEqual(before);
  expect((await here.call([...words, '--force'])).exitCode).toBe(0);
  expect(await readFile(here.at(file), 'utf8')).not.toBe('mine\n');
});

test('an export replaces what the one before left, a ticket that moved too, and a copy of the same bytes is nothing in the way', async () => {
  await using here = await world();
  for (const args of [['out'], ['--sdd', 'out']]) expect((await here.call(args)).exitCode).toBe(0);
  const store = await openStore({ url: here.url });
  const run = await store.runs.find('small-1');
  await store.runs.cancel(run.id, by);
  await store.close();
  for (const args of [['out'], ['--sdd', 'out']]) expect((await here.call(args)).exitCode).toBe(0);
  expect(existsSync(here.at('out/store.jsonl'))).toBe(true);
  expect(await readdir(here.at('out/backlog/open'))).toEqual([]);
  expect(await readdir(here.at('out/backlog/closed'))).toEqual(['small-1.a.yaml']);
  await mkdir(here.at('copy'));
  await writeFile(here.at('copy/store.jsonl'), await readFile(here.at('out/store.jsonl')));
  expect((await here.call(['copy'])).exitCode).toBe(0);
});

test('an export to a place that cannot be says so', async () => {
  await using here = await world();
  await writeFile(here.at('file'), 'mine\n');
  for (const to of ['/dev/full', 'file', 'file/in', 'no/such/x.jsonl']) {
    const refused = await here.call([to]);
    expect([to, refused.exitCode, refused.said]).toEqual([
      to,
      2,
      expect.stringContaining('cannot be written (E'),
    ]);
  }
  expect(await readFile(here.at('file'), 'utf8')).toBe('mine\n');
});

test('an export replaces neither that of another store nor a link, and leaves no draft behind', async () => {
  await using here = await world();
  await using other = await empty();
  await filled(other.url);
  expect((await here.call(['out'])).exitCode).toBe(0);
  const backup = await readFile(here.at('out/store.jsonl'), 'utf8');
  expect((await here.call(['out'], other.url)).said).toContain('out/store.jsonl is there');
  expect(await readFile(here.at('out/store.jsonl'), 'utf8')).toBe(backup);
  await writeFile(here.at('elsewhere.jsonl'), 'mine\n');
  await symlink(here.at('elsewhere.jsonl'), here.at('link.jsonl'));
  expect((await here.call(['link.jsonl'])).exitCode).toBe(2);
  expect((await here.call(['link.jsonl', '--force'])).exitCode).toBe(0);
  expect(await readFile(here.at('elsewhere.jsonl'), 'utf8')).toBe('mine\n');
  const names = await readdir(here.at('.'), { recursive: true });
  expect(names.filter((name) => /\.part$|export-\d/.test(name))).toEqual([]);
});
