-- Which paths a batch owns while it works.

-- What a task's paths cover: each path itself and everything below it.
CREATE FUNCTION baton_path_ranges(repo uuid, files text[]) RETURNS textmultirange
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT range_agg(r) FROM (
    SELECT rtrim(regexp_replace(f, '^(\./)+', ''), '/') AS path FROM unnest(files) f) p
  CROSS JOIN LATERAL (VALUES
    (CASE WHEN path IN ('', '.') THEN textrange(repo || ':', repo || ';')
      ELSE textrange(repo || ':' || path, repo || ':' || path, '[]') END),
    (CASE WHEN path IN ('', '.') THEN textrange(repo || ':', repo || ';')
      ELSE textrange(repo || ':' || path || '/', repo || ':' || path || '0') END)) v(r);
$$;

-- Are its paths owned by a batch, or wanted for ten minutes by a task before it?
CREATE FUNCTION baton_paths_busy(t task) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
  SELECT EXISTS (SELECT 1 FROM unnest(baton_path_ranges(t.repo_id, t.files)) r JOIN path_lock p ON p.range && r)
    OR EXISTS (SELECT 1 FROM task w WHERE w.paths_wanted_since < now() - interval '10 minutes' AND w.status = 'OPEN'
      AND w.claimable
         AND w.pending_dependencies = 0 AND w.rank < t.rank AND w.repo_id = t.repo_id
         AND baton_path_ranges(w.repo_id, w.files) && baton_path_ranges(t.repo_id, t.files)));
END;
$$;

-- Are these paths owned by a batch, or wanted for ten minutes by a task before it?
CREATE FUNCTION baton_paths_free(v_repo uuid, v_files text[], v_rank timestamptz) RETURNS boolean
  LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF v_files = '{}' THEN RETURN true; END IF;
  RETURN (SELECT NOT EXISTS (SELECT 1 FROM unnest(baton_path_ranges(v_repo, v_files)) r JOIN path_lock p
    ON p.range && r)
    AND NOT EXISTS (SELECT 1 FROM task w WHERE w.paths_wanted_since < now() - interval '10 minutes'
      AND w.status = 'OPEN' AND w.claimable
         AND w.pending_dependencies = 0 AND w.rank < v_rank AND w.repo_id = v_repo
         AND baton_path_ranges(w.repo_id, w.files) && baton_path_ranges(v_repo, v_files)));
END;
$$;
