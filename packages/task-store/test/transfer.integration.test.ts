import { createHash } from 'node:crypto';
import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { tempDir } from '@baton/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openStore, type Store } from '../src/index.ts';
import { playScenarios } from './campaigns/scenarios.ts';
import { by, draft } from './support/builders.ts';
import { storeDatabase } from './support/database.ts';
import { flow } from './support/flow.ts';

/** A store of its own; closed and dropped at the end of the block. */
async function emptyStore(): Promise<{ store: Store; reopened(): Promise<Store> } & AsyncDisposable> {
  const database = await storeDatabase();
  const opened = [await openStore({ url: database.url, random: () => 0 })];
  const [store] = opened as [Store];
  return {
    store,
    async reopened() {
      opened.push(await openStore({ url: database.url }));
      return opened.at(-1) as Store;
    },
    async [Symbol.asyncDispose]() {
      for (const each of opened) await each.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function linesOf(store: Store): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of store.transfer.exportLines()) lines.push(line);
  return lines;
}

async function* streamed(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield await Promise.resolve(line);
}

const refused = (what: RegExp) => (error: unknown) =>
  BatonError.is(error, 'RECORD_FILE_INVALID') && what.test(error.message);

/** Lines as somebody would forge them: with a right end. */
function ended(lines: readonly string[]): string[] {
  const body = lines.slice(0, -1);
  const sha256 = createHash('sha256')
    .update(body.map((line) => `${line}\n`).join(''))
    .digest('hex');
  return [...body, JSON.stringify({ end: { lines: body.length, sha256 } })];
}

it('gives another database the same rows, chains and feed, and the same bytes when it is exported again', async () => {
  await using from = await emptyStore();
  await using folder = await tempDir();
  await playScenarios(from.store);
  await from.store.keys.create({ id: 'k', name: 'ci', hash: 'h', prefix: 'bt', scopes: ['viewer'] });
  await from.store.feed.setCursor('plugin', 3);
  while ((await from.store.feed.sequence()) > 0);
  await from.store.feed.setCursor('plugin', await from.store.feed.position());
  expect((await from.store.archive.write({ dir: folder.path, olderThanMs: 0 })).events).toBeGreaterThan(20);
  const lines = await linesOf(from.store);
  expect(lines).toEqual(await linesOf(from.store));

  await using to = await emptyStore();
  const { rows } = await to.store.transfer.importLines(streamed(lines), { name: 'x.jsonl' });
  expect(rows).toBeGreaterThan(200);
  const store = await to.reopened();
  expect(store.storeId).toBe(from.store.storeId);
  expect(await linesOf(store)).toEqual(lines);
  expect(await store.audit.verify({ archiveDir: folder.path })).toMatchObject({ broken: [] });
  const position = await from.store.feed.position();
  expect(await store.feed.position()).toBe(position);

  const drive = flow(store);
  const { runId } = await drive.open([draft('after', { files: [] })], { slug: 'after' });
  await drive.finish(runId);
  await drive.landAll(runId);
  while ((await store.feed.sequence()) > 0);
  const fresh = await store.feed.read({ after: position, limit: 1000 });
  expect(fresh.length).toBeGreaterThan(5);
  expect(fresh.map((event) => event.position)).toEqual(fresh.map((_, at) => position + 1 + at));
  expect((await store.audit.verify()).broken).toEqual([]);
}, 60_000);

it('keeps every text and number that a store can hold (property)', async () => {
  const text = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 40 })
    .map((value) => value.replaceAll('\0', ''));
  const task = fc.record({
    title: text.filter((value) => value !== ''),
    goal: text,
    labels: fc.array(
      text.filter((value) => value !== ''),
      { maxLength: 3 },
    ),
    maxCostMicroUsd: fc.option(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
    priority: fc.integer({ min: 0, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(task, { minLength: 1, maxLength: 5 }), fc.jsonValue(), async (tasks, plan) => {
      await using from = await emptyStore();
      const drafts = tasks.map((each, at) => draft(`t${at}`, each));
      await flow(from.store).open(drafts, { slug: 'any', plan });
      const lines = await linesOf(from.store);
      await using to = await emptyStore();
      await to.store.transfer.importLines(streamed(lines), { name: 'x' });
      expect(await linesOf(await to.reopened())).toEqual(lines);
    }),
    { numRuns: 4, seed: 1 },
  );
}, 120_000);

it('reads an export whose rows lack what came later, and gives them what they had', async () => {
  await using from = await emptyStore();
  const drive = flow(from.store);
  const { runId } = await drive.open([draft('a')], { slug: 'one' });
  await drive.finish(runId);
  await drive.landAll(runId);
  const lines = await linesOf(from.store);
  const isLanding = (line: string) => line.includes('"candidate_commit"');
  const earlier = lines.map((line) =>
    isLanding(line) ? line.replace(/"place": 1, |, "place": 1/, '') : line,
  );
  expect(earlier).not.toEqual(lines);
  await using to = await emptyStore();
  await to.store.transfer.importLines(streamed(ended(earlier)), { name: 'x.jsonl' });
  expect(await linesOf(await to.reopened())).toEqual(lines);
});

it('refuses what was cut, edited or forged, names file and line, and leaves the store empty', async () => {
  await using from = await emptyStore();
  const { runId } = await flow(from.store).open([draft('a')], { slug: 'one' });
  await flow(from.store).finish(runId);
  const lines = await linesOf(from.store);
  await using to = await emptyStore();
  const importing = (given: readonly string[]) =>
    to.store.transfer.importLines(streamed(given), { name: 'x.jsonl' });
  const changed = (from: string | RegExp, by: string) => lines.map((line) => line.replace(from, by));

  await expect(importing([])).rejects.toSatisfy(refused(/x\.jsonl:0: the end of the file is missing/));
  await expect(importing(lines.slice(0, -5))).rejects.toSatisfy(refused(/the end of the file is missing/));
  await expect(importing(changed('"title": "a"', '"title": "b"'))).rejects.toSatisfy(refused(/SHA-256/));
  await expect(importing(ended(changed('"version":3', '"version":4')))).rejects.toSatisfy(
    refused(/x\.jsonl:1: .*version/),
  );
  await expect(importing(ended(changed('0001_baseline', '0002_other')))).rejects.toSatisfy(
    refused(/newer version/),
  );
  await expect(importing(ended(changed('"title": "a"', '"titel": "a"')))).rejects.toSatisfy(
    refused(/task has no "titel"/),
  );
  await expect(importing(ended(changed('"goal": "do a", ', '')))).rejects.toSatisfy(refused(/lacks "goal"/));
  await expect(importing(ended(changed('{"table":"task"}', '{"table":"tusk"}')))).rejects.toSatisfy(
    refused(/no table tusk/),
  );
  await expect(importing(ended(changed('"reason": "claimed"', '"reason": "stolen"')))).rejects.toSatisfy(
    refused(/does not hold: .*changed since it was logged/),
  );
  await expect(importing(ended(changed('"status": "DONE"', '"status": "CLOSED"')))).rejects.toSatisfy(
    refused(/does not hold/),
  );
  expect((await to.store.runs.list({})).items).toEqual([]);
  await importing(lines);
  await expect(importing(lines)).rejects.toSatisfy((error) => BatonError.is(error, 'CONFLICT'));
  await expect((await to.reopened()).runs.pause(runId, by)).resolves.toMatchObject({ status: 'paused' });
});

it('takes over an export of the first record, with its archive, readers and all that is under way', async () => {
  const fixture = (name: string) => new URL(`fixtures/${name}`, import.meta.url);
  const lines = (await readFile(fixture('first-record.jsonl'), 'utf8')).trimEnd().split('\n');
  await using to = await emptyStore();
  await using folder = await tempDir();
  await copyFile(fixture('first-record.archive.jsonl'), path.join(folder.path, 'first.archive.jsonl'));
  await to.store.transfer.importLines(streamed(lines), { name: 'x.jsonl' });
  const store = await to.reopened();
  const audit = await store.audit.verify({ archiveDir: folder.path });
  expect(audit).toMatchObject({ broken: [], events: 32, archived: audit.archiveChecked });
  expect(audit.archived).toBeGreaterThan(10);
  const feed = await store.feed.read({ after: 0, limit: 1000 });
  expect(feed.map(({ position }) => position)).toEqual(feed.map((_, at) => at + 1));
  expect(feed).toHaveLength(32);
  // The reader had read the first run, of which the ends are left; its next event is the first of the second run.
  const [next] = await store.feed.read({ after: await store.feed.getCursor('plugin'), limit: 1 });
  const { items } = await store.runs.list({});
  const second = items.find(({ slug }) => slug === 'first-b');
  expect(next).toMatchObject({ machine: 'run', seq: 0, runId: second?.id });
  const drive = flow(store);
  const { id: runId } = items.find(({ slug }) => slug === 'first-c') ?? { id: '' };
  await store.runs.pause(runId, by);
  await drive.open([draft('after')], { slug: 'after' });
  expect((await store.audit.verify({ ...(audit.head && { heads: [audit.head] }) })).broken).toEqual([]);
  // What an older one wrote cannot be told from what it should be.
  await using other = await emptyStore();
  const older = ended(lines.map((line) => line.replace('"0001_baseline"', '"0001_init","0019_ends"')));
  await expect(other.store.transfer.importLines(streamed(older), { name: 'x' })).rejects.toSatisfy(
    refused(/older version/),
  );
});

it('takes over an export of the second record with its archive, and refuses one that its log does not hold', async () => {
  const fixture = (name: string) => new URL(`fixtures/${name}`, import.meta.url);
  const lines = (await readFile(fixture('second-record.jsonl'), 'utf8')).trimEnd().split('\n');
  await using to = await emptyStore();
  await using folder = await tempDir();
  await copyFile(fixture('second-record.archive.jsonl'), path.join(folder.path, 'second.archive.jsonl'));
  const importing = (given: string[]) => to.store.transfer.importLines(streamed(given), { name: 'x.jsonl' });
  const isEvent = (line: string) => line.includes('"from_state"') && !line.includes('"key"');
  const edited = lines.map((line) =>
    isEvent(line) ? line.replace('"actor": "', '"actor": "mallory ') : line,
  );
  expect(edited).not.toEqual(lines);
  await expect(importing(ended(edited))).rejects.toSatisfy(
    refused(/does not hold: .*changed since it was logged/),
  );
  const at = lines.findIndex((line) => isEvent(line) && line.includes('"event": "claim"'));
  await expect(importing(ended(lines.toSpliced(at, 1)))).rejects.toSatisfy(refused(/logged here is gone/));
  const hash = /"hash": "(\\\\x[0-9a-f]{64})"/.exec(
    lines.find((line) => line.includes('"hash"') && line.includes('"leaves"')) ?? '',
  )?.[1];
  const relinked = lines.map((line) => line.replace(hash ?? 'no hash', `\\\\x${'0'.repeat(64)}`));
  expect(relinked).not.toEqual(lines);
  await expect(importing(ended(relinked))).rejects.toSatisfy(refused(/an entry of the log was changed/));
  await importing(lines);
  const store = await to.reopened();
  const audit = await store.audit.verify({ archiveDir: folder.path });
  expect(audit).toMatchObject({ broken: [], events: 58, archived: 33, archiveChecked: 33 });
  const { items } = await store.runs.list({});
  const [next] = await store.feed.read({ after: await store.feed.getCursor('plugin'), limit: 1 });
  expect(next).toMatchObject({ runId: items.find(({ slug }) => slug === 'second-b')?.id, seq: 0 });
});
