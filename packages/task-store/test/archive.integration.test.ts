import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { BatonError } from '@baton/contracts';
import { tempDir, type TempDir } from '@baton/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuditHead, Store } from '../src/index.ts';
import { archiveFiles } from '../src/history/archive-file.ts';
import { playScenarios } from './campaigns/scenarios.ts';
import { by, draft } from './support/builders.ts';
import { ownStore, testStore } from './support/store.ts';

const held = testStore();
let folder: TempDir;
beforeAll(async () => {
  folder = await tempDir();
});
afterAll(() => folder[Symbol.asyncDispose]());

const now = { olderThanMs: 0 };
const code = (expected: string) => (error: unknown) => (error as { code?: string }).code === expected;

async function landed(keys: string[]): Promise<string> {
  const { runId } = await held.flow.open(keys.map((key) => draft(key)));
  for (const _ of keys) await held.flow.finish(runId);
  await held.flow.landAll(runId);
  await held.store.runs.settle(runId);
  await numbered(held.store);
  return runId;
}

async function numbered(store: Store): Promise<void> {
  while ((await store.feed.sequence()) > 0);
}

const head = async (): Promise<AuditHead[]> =>
  [(await held.store.audit.verify()).head].flatMap((at) => at ?? []);

it('moves all events but the newest of what is at rest into a file, and everything still verifies', async () => {
  const runId = await landed(['a', 'b']);
  const task = await held.store.tasks.find('a', { runId });
  const before = await held.store.audit.verify();
  const whole = await held.store.tasks.history({ machine: 'task', entityId: task.id });
  const taken = await head();
  const done = await held.store.archive.write({ dir: folder.path, ...now });
  expect(done.files).toHaveLength(1);
  expect(done.entities).toBeGreaterThan(6);
  const left = await held.store.tasks.history({ machine: 'task', entityId: task.id });
  expect(left).toEqual(whole.slice(-1));
  const after = await held.store.audit.verify({ heads: taken, archiveDir: folder.path });
  expect(after).toMatchObject({ broken: [], archived: done.events, archiveChecked: done.events });
  expect(after.events + after.archived).toBe(before.events);
  expect(after.headsChecked).toBe(1);
  const [changes] = await held.sql(
    'SELECT sum(upper(r) - lower(r))::int AS gone FROM archived_change, unnest(ids) r',
  );
  const written = (await readFile(done.files[0] ?? '', 'utf8')).trimEnd().split('\n');
  expect(written).toHaveLength(Number(changes?.['gone']) + 2);
  expect(written[1]).toContain('"key": "');
  expect((await held.store.archive.write({ dir: folder.path, ...now })).events).toBe(0);
});

it('replays every history to the state of its row, from where its archived part ends', async () => {
  await playScenarios(held.store);
  const runId = await landed(['a']);
  const { id } = await held.store.tasks.find('a', { runId });
  const entities = await held.sql(
    `SELECT 'task' AS machine, id, status AS state, version AS seq FROM task UNION ALL SELECT 'turn', id, turn_status, turn_seq FROM attempt WHERE turn_seq > 0
     UNION ALL SELECT 'agent', id, status, status_seq FROM agent_session WHERE status IS NOT NULL
     UNION ALL SELECT 'execution', id, execution_state, execution_seq FROM agent_session WHERE execution_seq > 0`,
  );
  const differing = async () => {
    const found: unknown[] = [];
    for (const { machine, id: entityId, state, seq } of entities as Record<string, never>[]) {
      const result = await held.store.archive.replay({
        machine: machine ?? 'task',
        entityId: entityId ?? '',
      });
      if (result?.ok !== true || result.state !== state || result.seq !== seq)
        found.push({ machine, entityId, result });
    }
    return found;
  };
  expect(entities.length).toBeGreaterThan(100);
  expect(await differing()).toEqual([]);
  expect((await held.store.archive.write({ dir: folder.path, ...now })).events).toBeGreaterThan(100);
  expect(await held.store.archive.before({ machine: 'task', entityId: id })).toMatchObject({
    state: 'DONE',
    seq: 4,
  });
  expect(await differing()).toEqual([]);
  expect(await held.store.archive.replay({ machine: 'task', entityId: runId })).toBeNull();
}, 60_000);

it('leaves what is not at rest, is young, is not numbered or was not read by every reader', async () => {
  const { runId } = await held.flow.open([draft('a'), draft('b')]);
  await held.flow.claim(runId);
  await numbered(held.store);
  expect((await held.store.archive.write({ dir: folder.path, ...now })).events).toBe(0);
  const over = await held.flow.open([draft('c')]);
  await held.flow.finish(over.runId);
  await held.flow.landAll(over.runId);
  await held.store.runs.settle(over.runId);
  expect((await held.store.archive.write({ dir: folder.path, ...now })).events).toBe(0);
  await numbered(held.store);
  expect((await held.store.archive.write({ dir: folder.path, olderThanMs: 60_000 })).events).toBe(0);
  await held.store.feed.setCursor('slow-plugin', 1);
  expect(await held.store.archive.write({ dir: folder.path, ...now })).toMatchObject({
    events: 0,
    slowestReader: { name: 'slow-plugin', position: 1 },
  });
  await held.store.feed.setCursor('slow-plugin', await held.store.feed.position());
  const dry = await held.store.archive.write({ dir: folder.path, ...now, dryRun: true });
  expect(dry).toMatchObject({ files: [] });
  expect(dry.events).toBeGreaterThan(0);
  expect((await held.store.archive.write({ dir: folder.path, ...now })).events).toBe(dry.events);
});

it('continues an archived history when a person grants another try, and archives it again after', async () => {
  const { runId, tasks } = await held.flow.open([draft('a', { maxRetries: 0 })]);
  const id = tasks[0]?.id ?? '';
  await held.flow.finish(runId);
  const work = await held.flow.take(runId);
  const holding = { attemptId: work.attempt.id, fence: work.attempt.fence };
  await held.flow.tell({ fact: 'rejected', holding, kind: 'rejected', reasons: ['red'] });
  await held.store.runs.settle(runId);
  await numbered(held.store);
  await held.store.feed.setCursor('slow-plugin', await held.store.feed.position());
  await held.store.archive.write({ dir: folder.path, ...now });
  await held.store.tasks.retry(id, by);
  await held.flow.finish(runId);
  await held.flow.landAll(runId);
  await held.store.runs.settle(runId);
  await numbered(held.store);
  await held.store.feed.setCursor('slow-plugin', await held.store.feed.position());
  expect((await held.store.archive.write({ dir: folder.path, ...now })).files).toHaveLength(1);
  expect(await held.store.audit.verify({ archiveDir: folder.path })).toMatchObject({ broken: [] });
  expect(await held.store.tasks.get(id)).toMatchObject({ status: 'CLOSED' });
});

it('lets nothing leave but by this path', async () => {
  const { tasks } = await held.flow.open([draft('a')]);
  const id = tasks[0]?.id;
  const refused = (text: string, values: unknown[] = []) =>
    expect(held.sql(text, values), text).rejects.toSatisfy(code('BA004'));
  await refused('DELETE FROM change WHERE task_id = $1', [id]);
  await refused('TRUNCATE change');
  await refused(
    `INSERT INTO archived_change (ids, events) SELECT int8multirange(int8range(c.id, c.id, '[]')), 1 FROM change c
     WHERE c.task_id = $1 AND c.task_seq = 0`,
    [id],
  );
  await refused(`INSERT INTO archived_change (ids, events) VALUES ('{}', 0)`);
  await landed(['b']);
  await held.store.feed.setCursor('slow-plugin', await held.store.feed.position());
  await held.store.archive.write({ dir: folder.path, ...now });
  await refused('DELETE FROM archived_entity');
  await refused('UPDATE archived_entity SET state = lower(state)');
  await refused('DELETE FROM archived_change');
  await refused('UPDATE archived_change SET events = 0');
  await refused('DELETE FROM change');
});

it('finds an archive that was edited, cut or lost', async () => {
  await landed(['a']);
  await held.store.feed.setCursor('slow-plugin', await held.store.feed.position());
  const { files } = await held.store.archive.write({ dir: folder.path, ...now });
  const file = files[0] ?? '';
  const text = await readFile(file, 'utf8');
  const invalid = (error: unknown) => BatonError.is(error, 'RECORD_FILE_INVALID');
  await writeFile(file, text.replace('"actor"', '"actOr"'));
  await expect(held.store.audit.verify({ archiveDir: folder.path })).rejects.toSatisfy(invalid);
  await writeFile(file, text.split('\n').slice(0, -3).join('\n'));
  await expect(held.store.audit.verify({ archiveDir: folder.path })).rejects.toSatisfy(invalid);
  await rm(file);
  const { broken } = await held.store.audit.verify({ archiveDir: folder.path });
  expect(new Set(broken.map(({ what }) => what))).toEqual(new Set(['the archive does not hold it']));
  await writeFile(file, text);
  expect((await held.store.audit.verify({ archiveDir: folder.path })).broken).toEqual([]);
});

it('finds an archived event that was edited by somebody who knows what the end of a file is made of', async () => {
  await landed(['a']);
  await held.store.feed.setCursor('slow-plugin', await held.store.feed.position());
  const { files } = await held.store.archive.write({ dir: folder.path, ...now });
  const file = files[0] ?? '';
  const text = await readFile(file, 'utf8');
  const [first = '', ...rest] = text.trimEnd().split('\n').slice(0, -1);
  const forge = async (events: readonly string[]) => {
    const body = [first, ...events].map((line) => `${line}\n`).join('');
    const sha256 = createHash('sha256').update(body).digest('hex');
    await writeFile(file, `${body}${JSON.stringify({ end: { events: events.length, sha256 } })}\n`);
    const { broken } = await held.store.audit.verify({ archiveDir: folder.path });
    return new Set(broken.map(({ what }) => what));
  };
  expect(await forge(rest)).toEqual(new Set());
  const innocent = rest.map((line) => line.replace('"actor": "worker:w1"', '"actor": "worker:w2"'));
  expect(innocent).not.toEqual(rest);
  expect(await forge(innocent)).toEqual(new Set(['archived change: changed since it was logged']));
  const moved = rest.map((line) => line.replace(/"id": (\d+)/, '"id": 99$1'));
  expect(await forge(moved)).toEqual(new Set(['archived change: the log does not have it']));
  await writeFile(file, text);
});

it('prunes what agents streamed once they have ended, and keeps the rest', async () => {
  const { runId } = await held.flow.open([draft('a'), draft('b')]);
  const over = await held.flow.finish(runId);
  const at = new Date(0);
  const live = await held.flow.claim(runId);
  const item = (sessionId: string) =>
    ({ sessionId, attemptId: null, event: { type: 'compaction_started' }, at }) as never;
  await held.store.streams.append([item(over.sessionId), item(live.sessionId)]);
  expect(await held.store.archive.prune({ agentEventsMs: 60_000 })).toEqual({
    agentEvents: 1,
    checkpoints: 0,
    commands: 0,
  });
  expect(await held.store.streams.events({ sessionId: live.sessionId })).toHaveLength(1);
});

it('raises no alarm when what one change moved leaves in two stages', async () => {
  await using own = await ownStore();
  await using dir = await tempDir();
  const { runId } = await own.flow.open([draft('early'), draft('late')]);
  for (const key of ['early', 'late']) {
    await own.flow.finish(runId);
    await own.flow.landAll(runId);
    await own.store.runs.settle(runId);
    await numbered(own.store);
    await own.store.archive.write({ dir: dir.path, ...now });
    expect((await own.store.audit.verify({ archiveDir: dir.path })).broken).toEqual([]);
    const task = await own.store.tasks.find(key, { runId });
    expect(await own.store.archive.before({ machine: 'task', entityId: task.id })).not.toBeNull();
  }
  const [, later = ''] = await archiveFiles(dir.path);
  const kept = await readFile(later, 'utf8');
  await rm(later);
  const without = (await own.store.audit.verify({ archiveDir: dir.path })).broken;
  expect(without.map(({ what }) => what)).toContain('archived event: gap');
  await writeFile(later, kept);
});
