import { BatonError } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import { query, queryOne, orNotFound, type Db } from '../db/query.ts';
import { escaped, pageLimit, readCursor, refuseForeign, toPage } from '../db/page.ts';
import { listRunsStatement, runById, runsByReference } from './runs.sql.ts';
import type { Run } from '../model/run.ts';

export const getRun = (db: Db) => (id: string) => queryOne(db, runById, [id]);

/** Like `getRun`, for those who know that it is there. @throws NOT_FOUND */
export async function runOf(db: Db, id: string): Promise<Run> {
  return orNotFound(await queryOne(db, runById, [id]), `run ${id}`);
}

export const findRun =
  (db: Db): Store['runs']['find'] =>
  async (reference) => {
    const found = await query(db, runsByReference, [reference, escaped(reference)]);
    const [first, second] = found;
    if (first === undefined || reference === '') return orNotFound<Run>(null, `run "${reference}"`);
    if (second === undefined || first.id === reference || first.slug === reference) return first;
    const slugs = found.map((run) => run.slug).join(', ');
    throw new BatonError('AMBIGUOUS', `"${reference}" fits several runs: ${slugs}.`, {
      fix: 'Give more of the name.',
    });
  };

export const listRuns =
  (db: Db): Store['runs']['list'] =>
  async (filter) => {
    const limit = pageLimit(filter.limit);
    const cursor = readCursor(filter.cursor);
    const values = [filter.status ?? null, filter.repoId ?? null, cursor, limit + 1];
    const rows = await query(db, listRunsStatement, values);
    await refuseForeign(rows, { cursor, find: getRun(db) });
    return toPage(rows, limit);
  };
