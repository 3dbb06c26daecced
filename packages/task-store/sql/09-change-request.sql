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

-- What baton_change is asked for.
CREATE TYPE change_request AS (
  steps text[], runs uuid[], tasks uuid[], attempts uuid[], sessions uuid[], task_seqs integer[],
  turn_seqs integer[], agent_seqs integer[], execution_seqs integer[], run_seqs integer[], actors text[],
  reasons text[], transition_reasons text[], abort_reasons text[], metadata jsonb[], session_ids uuid[],
  session_status_seqs integer[], session_execution_seqs integer[], session_status_first integer[],
  session_status_at integer[], session_execution_first integer[], session_execution_at integer[],
  session_patches jsonb[], task_ids uuid[], task_versions integer[], task_fences bigint[], task_first integer[],
  task_at integer[], task_patches jsonb[], attempt_ids uuid[], attempt_fences bigint[], attempt_seqs integer[],
  attempt_tools integer[], attempt_first integer[], attempt_at integer[], attempt_patches jsonb[], rest jsonb
);
