import { BatonError } from '@baton/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import pg from 'pg';
import { z } from 'zod';
import { storeDatabase } from '../../test/support/database.ts';
import { statementFiles } from '../../test/support/statement-files.ts';
import { query, retried, type Db } from './query.ts';
import type { Statement } from './statement.ts';

const broken = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

it.each([
  ['a read whose connection broke', true, broken, 4],
  ['a write whose connection broke in the middle', false, broken, 1],
  ['a write that met another', false, () => Object.assign(new Error('deadlock'), { code: '40P01' }), 11],
  ['a read that is wrong', true, () => Object.assign(new Error('syntax'), { code: '42601' }), 1],
])('tries %s a bounded number of times', async (_, readonly, failure, times) => {
  let tried = 0;
  const work = () => {
    tried += 1;
    return Promise.reject(failure());
  };
  await expect(retried(readonly, work)).rejects.toBeInstanceOf(Error);
  expect(tried).toBe(times);
});

it('gives what a later try gives, and says which errors may be met by repeating', async () => {
  let tried = 0;
  const later = () => (++tried < 3 ? Promise.reject(broken()) : Promise.resolve(tried));
  expect(await retried(true, later)).toBe(3);
  await expect(retried(false, () => Promise.reject(broken()))).rejects.toSatisfy((error) =>
    BatonError.is(error, 'DATABASE_UNREACHABLE'),
  );
});

const write = { name: 'write', text: 'UPDATE …', row: z.unknown(), readonly: false } satisfies Statement;

it.each([
  ['repeats an idempotent write', { ...write, isIdempotent: true }, 4],
  ['does not repeat any other write', write, 1],
])('%s whose connection broke in the middle', async (_, statement, times) => {
  let sent = 0;
  const pool = { query: () => Promise.reject(broken()).finally(() => (sent += 1)) };
  await expect(query({ pool } as unknown as Db, statement, [])).rejects.toBeInstanceOf(BatonError);
  expect(sent).toBe(times);
});

let client: pg.Client;
let database: Awaited<ReturnType<typeof storeDatabase>>;
beforeAll(async () => {
  database = await storeDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database[Symbol.asyncDispose]();
});

it('repeats by itself no statement that writes, but for those that are idempotent', async () => {
  const modules = await Promise.all(
    statementFiles.map((file) => import(file) as Promise<Record<string, unknown>>),
  );
  const statements = modules
    .flatMap((module) => Object.values(module))
    .filter((value): value is Statement => typeof value === 'object' && value !== null && 'text' in value);
  const { rows } = await client.query<{ name: string }>(
    `SELECT p.proname AS name FROM pg_proc p WHERE p.proname LIKE 'baton%' AND p.provolatile = 'v'`,
  );
  const writes = ({ text }: Statement) =>
    /\b(INSERT INTO|UPDATE \w+ |DELETE FROM|FOR UPDATE)/.test(text) ||
    rows.some(({ name }) => text.includes(`${name}(`));
  expect(statements.filter(writes).length).toBeGreaterThan(25);
  expect(
    statements.filter((statement) => statement.readonly && writes(statement)).map(({ name }) => name),
  ).toEqual([]);
  const idempotent = statements.filter(({ isIdempotent }) => isIdempotent === true).map(({ name }) => name);
  expect(idempotent.sort()).toEqual([
    ...['heartbeat', 'register-worker', 'renew-leases', 'save-base-verdict', 'set-cursor'],
  ]);
});
