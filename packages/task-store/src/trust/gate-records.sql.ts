import { gateWindow } from '@baton/contracts';
import { z } from 'zod';
import type { Statement } from '../db/statement.ts';

/** Verdicts of a run that are looked back at, and runs of a repository. */
const perRun = 200;
const runs = 20;

/**
 * $1: repository. For each gate, by name and command, the last trees that it was asked about: how many it refused in the end, and how
 * many it refused and passed with nothing changed (noted with the result, or two verdicts on the same tree by the same checks).
 */
export const gateRecordsStatement = {
  name: 'gate-records',
  text: `WITH recent AS (SELECT id, gates FROM run WHERE repo_id = $1::uuid ORDER BY created_at DESC, id DESC LIMIT ${runs}),
    judged AS (SELECT v.tree, v.checks_hash, v.created_at, v.results, r.gates FROM recent r CROSS JOIN LATERAL (
        SELECT o.tree, o.checks_hash, o.created_at, o.results FROM task t JOIN verdict o ON o.task_id = t.id WHERE t.run_id = r.id
        ORDER BY o.created_at DESC, o.id DESC LIMIT ${perRun}) v),
    asked AS (SELECT x->>'name' AS name, g->'command' AS command, j.tree, j.checks_hash, j.created_at,
        (x->>'passed')::boolean AS passed, coalesce((x->>'reds')::integer, 0) AS reds
      FROM judged j CROSS JOIN LATERAL jsonb_array_elements(j.results) x JOIN LATERAL jsonb_array_elements(j.gates) g ON g->>'name' = x->>'name'
      WHERE x->>'kind' = 'gate' AND x->>'cached' = 'false' AND x->>'reason' NOT LIKE 'not asked: %'),
    alike AS (SELECT name, command, tree, max(created_at) AS at, bool_or(passed) AS passed,
        bool_or(passed AND reds > 0) OR (bool_or(passed) AND bool_or(NOT passed)) AS flaked
      FROM asked GROUP BY name, command, tree, checks_hash),
    trees AS (SELECT name, command, max(at) AS at, bool_or(passed) AS passed, bool_or(flaked) AS flaked,
        row_number() OVER (PARTITION BY name, command ORDER BY max(at) DESC, tree DESC) AS place
      FROM alike GROUP BY name, command, tree)
    SELECT name, command, count(*)::integer AS judged, (count(*) FILTER (WHERE NOT passed))::integer AS refused,
      (count(*) FILTER (WHERE flaked))::integer AS flaked, max(at) AS "lastAt", max(at) FILTER (WHERE flaked) AS "flakedAt"
    FROM trees WHERE place <= ${gateWindow} GROUP BY name, command ORDER BY name, max(at) DESC, command::text`,
  row: z.object({
    name: z.string(),
    command: z.array(z.string()),
    judged: z.number(),
    refused: z.number(),
    flaked: z.number(),
    lastAt: z.coerce.date(),
    flakedAt: z.coerce.date().nullable(),
  }),
  readonly: true,
} satisfies Statement;
