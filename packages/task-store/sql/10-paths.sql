-- Which paths a batch owns while it works.

-- What paths of a run's target cover: each path itself and everything below it. No name of a branch holds a colon.
CREATE FUNCTION baton_path_ranges(v_run uuid, files text[]) RETURNS textmultirange
  LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT range_agg(v.covered) FROM run
  CROSS JOIN LATERAL (SELECT run.repo_id || ':' || run.target AS root) b
  CROSS JOIN LATERAL (SELECT rtrim(regexp_replace(f, '^(\./)+', ''), '/') AS path FROM unnest(files) f) p
  CROSS JOIN LATERAL (VALUES
    (CASE WHEN path IN ('', '.') THEN textrange(root || ':', root || ';')
      ELSE textrange(root || ':' || path, root || ':' || path, '[]') END),
    (CASE WHEN path IN ('', '.') THEN textrange(root || ':', root || ';')
      ELSE textrange(root || ':' || path || '/', root || ':' || path || '0') END)) v(covered)
   WHERE run.id = v_run;
$$;

-- Are these paths owned by a batch, or wanted for ten minutes by a task before it?
CREATE FUNCTION baton_paths_free(v_run uuid, v_files text[], v_rank timestamptz) RETURNS boolean
  LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF v_files = '{}' THEN RETURN true; END IF;
  RETURN (SELECT NOT EXISTS (SELECT 1 FROM unnest(baton_path_ranges(v_run, v_files)) r JOIN path_lock p
    ON p.range && r)
    AND NOT EXISTS (SELECT 1 FROM task w WHERE w.paths_wanted_since < now() - interval '10 minutes'
      AND w.ready AND w.rank < v_rank
         AND baton_path_ranges(w.run_id, w.files) && baton_path_ranges(v_run, v_files)));
END;
$$;
