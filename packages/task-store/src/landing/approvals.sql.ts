import { approvalRow } from '../db/rows.ts';
import type { Statement } from '../db/statement.ts';

/** $1: run or null, $2: status or null, $3: the last one of the page before or null, $4: limit or null */
export const selectApprovals = {
  name: 'select-approvals',
  text: `SELECT * FROM approval WHERE ($1::uuid IS NULL OR run_id = $1) AND ($2::text IS NULL OR status = $2)
    AND ($3::uuid IS NULL OR (created_at, id) > (SELECT c.created_at, c.id FROM approval c WHERE c.id = $3)) ORDER BY created_at, id LIMIT $4::int`,
  row: approvalRow,
  readonly: true,
} satisfies Statement;

/** $1: id */
export const approvalById = {
  name: 'approval-by-id',
  text: 'SELECT * FROM approval WHERE id = $1',
  row: approvalRow,
  readonly: true,
} satisfies Statement;
