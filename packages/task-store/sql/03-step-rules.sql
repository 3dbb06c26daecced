-- What a step must be, how its moves are read from its key, and who writes them. Rules: docs/spec/store.md#record.

-- Is this statement one of somebody's own? baton_change and its like set `baton.checked` while they run: they check
-- what they write as a set. In a WHEN clause it is written out, since there a function is parsed for each statement.
CREATE FUNCTION baton_unchecked() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT current_setting('baton.checked', true) IS DISTINCT FROM 'on'
$$;

-- The moves of a step, by its key.
CREATE FUNCTION baton_step_moves(v_step smallint, v_key text) RETURNS SETOF step_move LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT v_step, m.n::smallint, p.part[1], coalesce(c.version, 1), nullif(p.part[2], ''),
      nullif(p.part[3], ''), nullif(p.part[4], ''), nullif(p.part[5], ''), p.part[6], nullif(p.part[7], ''),
      nullif(p.part[8], ''), (count(*) OVER (PARTITION BY p.part[1]) - row_number() OVER w)::smallint,
      p.part[1] IN ('task', 'run') AND lead(m.n) OVER w IS NULL
    FROM unnest(string_to_array(v_key, ' ')) WITH ORDINALITY AS m(move, n)
      CROSS JOIN LATERAL (SELECT string_to_array(m.move, '|') AS part) p
      LEFT JOIN machine_cell c ON c.key = array_to_string(p.part[1:6], '|')
    WINDOW w AS (PARTITION BY p.part[1] ORDER BY m.n) ORDER BY m.n;
END;
$$;

-- Each move of a step is a cell of its machine, and those of one machine follow one another. A note is none.
CREATE FUNCTION baton_check_step() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong text;
BEGIN
  SELECT concat_ws(' --', m.from_state, m.event || '--> ' || m.to_state) INTO wrong
    FROM (SELECT o.*, lag(o.to_state) OVER w AS before, lag(o.n) OVER w AS n_before
      FROM baton_step_moves(NEW.id, NEW.key) o WINDOW w AS (PARTITION BY o.machine ORDER BY o.n)) m
    WHERE NOT EXISTS (SELECT 1 FROM machine_cell c WHERE c.key = concat_ws('|', m.machine, coalesce(m.from_state, ''),
        m.event, coalesce(m.alias, ''), m.to_state, m.kind))
      AND NOT (m.kind IN ('refused', 'late_report') AND NEW.key = 'task|||||' || m.kind || '||')
      OR m.n_before IS NOT NULL AND m.from_state IS DISTINCT FROM m.before
    LIMIT 1;
  IF FOUND THEN RAISE EXCEPTION '% is no move of step %', wrong, NEW.key USING ERRCODE = 'BA001'; END IF;
  SELECT count(*),
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
    INTO NEW.size, NEW.task_from, NEW.task_to, NEW.task_moves, NEW.turn_from, NEW.turn_to, NEW.turn_moves,
      NEW.agent_from, NEW.agent_to, NEW.agent_moves, NEW.execution_from, NEW.execution_to, NEW.execution_moves,
      NEW.run_from, NEW.run_to, NEW.run_moves
    FROM baton_step_moves(NEW.id, NEW.key);
  RETURN NEW;
END;
$$;

CREATE TRIGGER step_check BEFORE INSERT ON step FOR EACH ROW EXECUTE FUNCTION baton_check_step();

CREATE FUNCTION baton_spell_step() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO step_move SELECT * FROM baton_step_moves(NEW.id, NEW.key);
  RETURN NULL;
END;
$$;

CREATE TRIGGER step_spell AFTER INSERT ON step FOR EACH ROW EXECUTE FUNCTION baton_spell_step();

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
