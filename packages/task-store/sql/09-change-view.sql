-- What a change is given as: arrays that run side by side, of its rows in the record and of the rows that it sets.

-- An array of JSON strings as one of text.
CREATE FUNCTION baton_texts(list jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ARRAY(SELECT jsonb_array_elements_text(list));
END;
$$;

-- Tells why not all rows of a change were as it was decided on.
CREATE FUNCTION baton_missed(what text, ids uuid[], places integer[], entities uuid[]) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM unnest(ids, places) AS g(id, at) WHERE g.at > 0
      AND NOT coalesce(entities[g.at] = g.id, false)) THEN
    RAISE EXCEPTION '% must stand where its last change says', what USING ERRCODE = 'BA002';
  END IF;
  RAISE EXCEPTION 'stale %', what USING ERRCODE = 'BA010';
END;
$$;

-- INSERT changes, get back what became of them.
CREATE VIEW baton_change AS SELECT
  NULL::text[] AS steps, NULL::uuid[] AS runs, NULL::uuid[] AS tasks, NULL::uuid[] AS attempts,
    NULL::uuid[] AS sessions,
  NULL::integer[] AS task_seqs, NULL::integer[] AS turn_seqs, NULL::integer[] AS agent_seqs,
    NULL::integer[] AS execution_seqs, NULL::integer[] AS run_seqs,
  NULL::text[] AS actors, NULL::text[] AS reasons, NULL::text[] AS transition_reasons, NULL::text[] AS abort_reasons,
    NULL::jsonb[] AS metadata,
  NULL::uuid[] AS session_ids, NULL::integer[] AS session_status_seqs, NULL::integer[] AS session_execution_seqs,
    NULL::integer[] AS session_status_first, NULL::integer[] AS session_status_at,
    NULL::integer[] AS session_execution_first, NULL::integer[] AS session_execution_at,
    NULL::jsonb[] AS session_patches,
  NULL::uuid[] AS task_ids, NULL::integer[] AS task_versions, NULL::bigint[] AS task_fences,
    NULL::integer[] AS task_first, NULL::integer[] AS task_at, NULL::jsonb[] AS task_patches,
  NULL::uuid[] AS attempt_ids, NULL::bigint[] AS attempt_fences, NULL::integer[] AS attempt_seqs,
    NULL::integer[] AS attempt_tools, NULL::integer[] AS attempt_first, NULL::integer[] AS attempt_at,
    NULL::jsonb[] AS attempt_patches,
  NULL::jsonb AS rest, NULL::jsonb AS answer
  WHERE false;
