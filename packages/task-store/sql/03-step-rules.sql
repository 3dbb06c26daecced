-- What a step must be, how its moves are read from its key, and who writes them. Rules: docs/spec/store.md#record.

-- Is this statement one of somebody's own? baton_change and its like set `baton.checked` while they run: they check
-- what they write as a set. In a WHEN clause it is written out, since there a function is parsed for each statement.
CREATE FUNCTION baton_unchecked() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT current_setting('baton.checked', true) IS DISTINCT FROM 'on'
$$;

-- The moves of steps, by their keys.
CREATE FUNCTION baton_moves_of(v_steps smallint[], v_keys text[]) RETURNS SETOF step_move LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT s.id, m.n::smallint, p.part[1], coalesce(c.version, 1), nullif(p.part[2], ''),
      nullif(p.part[3], ''), nullif(p.part[4], ''), nullif(p.part[5], ''), p.part[6], nullif(p.part[7], ''),
      nullif(p.part[8], ''), (count(*) OVER (PARTITION BY s.id, p.part[1]) - row_number() OVER w)::smallint,
      p.part[1] IN ('task', 'run') AND lead(m.n) OVER w IS NULL
    FROM unnest(v_steps, v_keys) AS s(id, key)
      CROSS JOIN LATERAL unnest(string_to_array(s.key, ' ')) WITH ORDINALITY AS m(move, n)
      CROSS JOIN LATERAL (SELECT string_to_array(m.move, '|') AS part) p
      LEFT JOIN machine_cell c ON c.key = array_to_string(p.part[1:6], '|')
    WINDOW w AS (PARTITION BY s.id, p.part[1] ORDER BY m.n) ORDER BY s.id, m.n;
END;
$$;

-- Adds steps to the dictionary, all at once: one by one they would take most of the time that a new database needs.
-- Each move is a cell of its machine, and those of one machine follow one another. A note is none.
CREATE FUNCTION baton_add_steps(v_steps smallint[], v_keys text[], v_past boolean) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  wrong record;
BEGIN
  SELECT k.key, concat_ws(' --', m.from_state, m.event || '--> ' || m.to_state) AS move INTO wrong
    FROM (SELECT o.*, lag(o.to_state) OVER w AS before, lag(o.n) OVER w AS n_before
        FROM baton_moves_of(v_steps, v_keys) o WINDOW w AS (PARTITION BY o.step, o.machine ORDER BY o.n)) m
      JOIN unnest(v_steps, v_keys) AS k(id, key) ON k.id = m.step
    WHERE NOT EXISTS (SELECT 1 FROM machine_cell c WHERE c.key = concat_ws('|', m.machine, coalesce(m.from_state, ''),
        m.event, coalesce(m.alias, ''), m.to_state, m.kind))
      AND NOT (m.kind IN ('refused', 'late_report') AND k.key = 'task|||||' || m.kind || '||')
      OR m.n_before IS NOT NULL AND m.from_state IS DISTINCT FROM m.before
    LIMIT 1;
  IF FOUND THEN RAISE EXCEPTION '% is no move of step %', wrong.move, wrong.key USING ERRCODE = 'BA001'; END IF;
  INSERT INTO step (id, key, past, size, task_from, task_to, task_moves, turn_from, turn_to, turn_moves, agent_from,
      agent_to, agent_moves, execution_from, execution_to, execution_moves, run_from, run_to, run_moves)
    SELECT k.id, k.key, v_past, count(*),
      (array_agg(from_state ORDER BY n) FILTER (WHERE machine = 'task'))[1],
      (array_agg(to_state ORDER BY n DESC) FILTER (WHERE machine = 'task'))[1],
      count(to_state) FILTER (WHERE machine = 'task'),
      (array_agg(from_state ORDER BY n) FILTER (WHERE machine = 'turn'))[1],
      (array_agg(to_state ORDER BY n DESC) FILTER (WHERE machine = 'turn'))[1],
      count(*) FILTER (WHERE machine = 'turn'),
      (array_agg(from_state ORDER BY n) FILTER (WHERE machine = 'agent'))[1],
      (array_agg(to_state ORDER BY n DESC) FILTER (WHERE machine = 'agent'))[1],
      count(*) FILTER (WHERE machine = 'agent'),
      (array_agg(from_state ORDER BY n) FILTER (WHERE machine = 'execution'))[1],
      (array_agg(to_state ORDER BY n DESC) FILTER (WHERE machine = 'execution'))[1],
      count(*) FILTER (WHERE machine = 'execution'),
      (array_agg(from_state ORDER BY n) FILTER (WHERE machine = 'run'))[1],
      (array_agg(to_state ORDER BY n DESC) FILTER (WHERE machine = 'run'))[1],
      count(*) FILTER (WHERE machine = 'run')
    FROM unnest(v_steps, v_keys) AS k(id, key) JOIN baton_moves_of(v_steps, v_keys) m ON m.step = k.id
    GROUP BY k.id, k.key;
  INSERT INTO step_move SELECT * FROM baton_moves_of(v_steps, v_keys);
END;
$$;

-- The dictionary is generated: nobody adds to it.
CREATE FUNCTION baton_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the dictionary of steps is closed' USING ERRCODE = 'BA004';
END;
$$;

-- A step by its key; what is none is refused, however legal each of its moves is.
CREATE FUNCTION baton_step(v_key text) RETURNS smallint LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_step smallint;
BEGIN
  SELECT s.id INTO v_step FROM step s WHERE s.key = v_key AND NOT s.past;
  IF NOT FOUND THEN RAISE EXCEPTION 'no such step: %', v_key USING ERRCODE = 'BA001'; END IF;
  RETURN v_step;
END;
$$;
