import pg from 'pg';
import { inLoops, type ContenderKind } from './contender.ts';

const tables = `
  CREATE TABLE job (id bigserial PRIMARY KEY, priority int NOT NULL DEFAULT 0, status text NOT NULL DEFAULT 'open', version int NOT NULL DEFAULT 0,
    owner text, payload jsonb NOT NULL DEFAULT '{}') WITH (fillfactor = 70);
  CREATE INDEX job_ready ON job (priority, id) WHERE status = 'open';`;

const claim = {
  name: 'claim',
  text: `UPDATE job SET status = 'claimed', version = version + 1, owner = $1
    WHERE id = (SELECT id FROM job WHERE status = 'open' ORDER BY priority, id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, version`,
};
const complete = {
  name: 'complete',
  text: `UPDATE job SET status = 'done', version = version + 1 WHERE id = $1 AND status = 'claimed' AND version = $2`,
};

/** The least that a queue in Postgres can be: one table, one statement to claim, one to complete. No events, no machines. */
export const sketch: ContenderKind = {
  name: 'bare-pg',
  async open(url, { claimers }) {
    const pool = new pg.Pool({ connectionString: url, max: claimers });
    pool.on('error', () => undefined);
    await pool.query(tables);
    return {
      name: 'bare-pg',
      url,
      fill: async (jobs) => {
        await pool.query('INSERT INTO job (payload) SELECT $2 FROM generate_series(1, $1::int)', [jobs, {}]);
      },
      leftSql: `SELECT count(*) AS left FROM job WHERE status <> 'done'`,
      start: () =>
        Promise.resolve(
          inLoops(claimers, async (loop) => {
            const { rows } = await pool.query<{ id: string; version: number }>({
              ...claim,
              values: [`bench-${loop}`],
            });
            const [job] = rows;
            if (job === undefined) return 0;
            await pool.query({ ...complete, values: [job.id, job.version] });
            return 1;
          }),
        ),
      close: () => pool.end(),
    };
  },
};
