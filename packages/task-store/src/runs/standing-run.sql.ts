import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/**
 * $1: run, $2: its new settings as columns, none to keep them. Other gates, or a run that failed, mean that the base is pinned
 * and verified again. All parts see the run as it was before.
 */
export const renewStandingStatement = {
  name: 'renew-standing',
  text: `WITH wanted AS (SELECT n.*, r.status = 'failed' OR n.gates_hash <> r.gates_hash AS anew
      FROM run r, jsonb_populate_record(r, $2::jsonb) n WHERE r.id = $1),
    forgotten AS (DELETE FROM base_verdict b USING wanted w WHERE b.run_id = w.id AND w.anew)
    UPDATE run r SET gates = w.gates, gates_hash = w.gates_hash, workspace = w.workspace, agents = w.agents,
      default_agent = w.default_agent, routing = w.routing, base_commit = CASE WHEN w.anew THEN NULL ELSE r.base_commit END
    FROM wanted w WHERE r.id = w.id AND (w.anew OR (r.workspace, r.agents, r.default_agent, r.routing)
      IS DISTINCT FROM (w.workspace, w.agents, w.default_agent, w.routing))
    RETURNING r.id`,
  row: z.object({ id: z.string() }),
  readonly: false,
} satisfies Statement;

/** $1: slug; with the repository that its tasks are done on */
export const runBySlug = {
  name: 'run-by-slug',
  text: `SELECT r.id, r.repo_id AS "repoId", r.target, p.location, p.host FROM run r JOIN repo p ON p.id = r.repo_id WHERE r.slug = $1`,
  row: z.object({
    id: z.string(),
    repoId: z.string(),
    target: z.string(),
    location: z.string(),
    host: z.string().nullable(),
  }),
  readonly: true,
} satisfies Statement;
