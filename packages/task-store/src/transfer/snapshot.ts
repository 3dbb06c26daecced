import type { z } from 'zod';
import type { Db } from '../db/query.ts';
import { prepared, type Statement } from '../db/statement.ts';
import { fromPgError } from '../db/pg-error.ts';

/** One moment of the store, as long as the `await using` block lasts. */
export interface Snapshot extends AsyncDisposable {
  run<Row extends z.ZodType>(
    statement: Omit<Statement<Row>, 'readonly'>,
    values: unknown[],
  ): Promise<z.output<Row>[]>;
}

/** Opens a read-only transaction that sees one moment, with times written in UTC. */
export async function openSnapshot(db: Db): Promise<Snapshot> {
  const failed = (error: unknown) => {
    throw fromPgError(error);
  };
  const client = await db.pool.connect().catch(failed);
  await client
    .query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL TIME ZONE 'UTC'`)
    .catch((error: unknown) => {
      client.release(true);
      return failed(error);
    });
  return {
    async run({ name, text, row }, values) {
      const { rows } = await client
        .query({ ...prepared({ name, text, isLong: true }), values })
        .catch(failed);
      return rows.map((each: unknown) => row.parse(each));
    },
    async [Symbol.asyncDispose]() {
      const broken = await client.query('ROLLBACK').then(
        () => false,
        () => true,
      );
      client.release(broken);
    },
  };
}
