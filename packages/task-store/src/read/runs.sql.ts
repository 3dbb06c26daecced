import type { Statement } from '../db/statement.ts';
import { runRow } from '../db/rows.ts';

const columns = `SELECT r.*, b.cap_micro_usd AS budget_micro_usd, b.spent_micro_usd, b.reserved_micro_usd,
  b.unmeasured_micro_usd, b.unmeasured_attempts FROM run r JOIN budget b ON b.run_id = r.id`;

/** $1: id */
export const runById = {
  name: 'run-by-id',
  text: `${columns} WHERE r.id = $1`,
  row: runRow,
  readonly: true,
} satisfies Statement;

/** $1: id. The run, if it runs and an agent or a landing is at work on one of its tasks */
export const runAtWork = {
  name: 'run-at-work',
  text: `${columns} WHERE r.id = $1 AND r.status = 'running' AND r.status_reason IS NULL
    AND EXISTS (SELECT 1 FROM task t WHERE t.run_id = r.id AND t.stage IN ('CLAIMED', 'DONE'))`,
  row: runRow,
  readonly: true,
} satisfies Statement;

/** $1: id as text, slug or beginning of a slug, with LIKE's signs escaped */
export const runsByReference = {
  name: 'runs-by-reference',
  text: `${columns} WHERE r.id::text = $1 OR r.slug = $1 OR r.slug LIKE $2 || '%' ORDER BY (r.slug = $1 OR r.id::text = $1) DESC, r.created_at DESC LIMIT 3`,
  row: runRow,
  readonly: true,
} satisfies Statement;

/** $1: statuses or null, $2: repo or null, $3: last run of the page before or null, $4: limit */
export const listRunsStatement = {
  name: 'list-runs',
  text: `${columns} WHERE ($1::text[] IS NULL OR r.status = ANY ($1)) AND ($2::uuid IS NULL OR r.repo_id = $2)
    AND ($3::uuid IS NULL OR (r.created_at, r.id) < (SELECT c.created_at, c.id FROM run c WHERE c.id = $3)) ORDER BY r.created_at DESC, r.id DESC LIMIT $4`,
  row: runRow,
  readonly: true,
} satisfies Statement;
