-- Money: reserved by the claim, booked as it is reported, bounded where nobody reports. Rules:
-- docs/spec/routing-and-cost.md.

-- What a task may cost when nobody said: a default by its scope, no more than is left.
CREATE FUNCTION baton_default_cost(scope text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE scope WHEN 'small' THEN 500000 WHEN 'medium' THEN 1000000 WHEN 'large' THEN 3000000
    ELSE 6000000 END::bigint;
$$;

-- The budget of a run with a cap, locked; null: it has none.
CREATE FUNCTION baton_run_money(v_run uuid) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
  SELECT jsonb_build_object('budget_micro_usd', b.cap_micro_usd, 'spent_micro_usd', b.spent_micro_usd,
    'reserved_micro_usd', b.reserved_micro_usd, 'unmeasured_micro_usd', b.unmeasured_micro_usd,
    'unmeasured_attempts', b.unmeasured_attempts)
  FROM budget b WHERE b.run_id = v_run);
END;
$$;

-- What a task's max_cost, once more for each try that a person granted, is above what is booked. Null: it has none.
CREATE FUNCTION baton_cost_unbooked(t task) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF t.max_cost_micro_usd IS NULL THEN RETURN NULL; END IF;
  RETURN (SELECT greatest(t.max_cost_micro_usd * (1 + t.granted_tries) - coalesce(sum(a.cost_micro_usd), 0), 0)
    FROM attempt a WHERE a.task_id = t.id);
END;
$$;

-- What a task may still cost: that, less what lost agents of it may still spend, without a reservation all of a try.
CREATE FUNCTION baton_cost_left(t task) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT CASE WHEN t.max_cost_micro_usd IS NOT NULL THEN
      greatest(baton_cost_unbooked(t) - coalesce(sum(coalesce(r.left_micro_usd, t.max_cost_micro_usd)), 0), 0) END
    FROM attempt a LEFT JOIN reservation r ON r.attempt_id = a.id
    WHERE a.task_id = t.id AND a.ended_at IS NOT NULL AND a.meter IN ('open', 'unknown'));
END;
$$;

-- Reserves what a task may still cost of its run's budget, the default of its scope at most as far as there is room;
-- false: no room, or 95 % are spent.
CREATE FUNCTION baton_reserve(t task, attempt uuid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_wanted bigint;
BEGIN
  UPDATE budget b SET reserved_micro_usd = b.reserved_micro_usd + m.wanted
    FROM (SELECT o.run_id, o.room, coalesce(baton_cost_left(t), least(baton_default_cost(t.scope), o.room)) AS wanted
      FROM (SELECT i.run_id, i.cap_micro_usd - i.spent_micro_usd - i.reserved_micro_usd AS room FROM budget i
        WHERE i.run_id = t.run_id AND i.spent_micro_usd * 100 < i.cap_micro_usd * 95 FOR NO KEY UPDATE) o) m
    WHERE b.run_id = m.run_id AND m.room > 0 AND m.wanted <= m.room RETURNING m.wanted INTO v_wanted;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO reservation (attempt_id, run_id, amount_micro_usd, left_micro_usd)
    VALUES (attempt, t.run_id, v_wanted, v_wanted);
  RETURN true;
END;
$$;

-- Reserves the costs of all these tasks that have a budget, or nothing: no room for all of them, or 95 % of one are
-- spent.
CREATE FUNCTION baton_reserve_all(ids uuid[], attempts uuid[], capped uuid[]) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM budget b WHERE b.run_id = ANY (capped) ORDER BY b.run_id FOR NO KEY UPDATE;
  IF EXISTS (SELECT 1 FROM budget b WHERE b.run_id = ANY (capped) AND (b.spent_micro_usd * 100 >= b.cap_micro_usd * 95
      OR b.cap_micro_usd - b.spent_micro_usd - b.reserved_micro_usd < (
        SELECT sum(coalesce(baton_cost_left(t), baton_default_cost(t.scope))) FROM task t
          WHERE t.id = ANY (ids) AND t.run_id = b.run_id))) THEN
    RETURN false;
  END IF;
  WITH kept AS (
    INSERT INTO reservation (attempt_id, run_id, amount_micro_usd, left_micro_usd)
      SELECT attempts[g.n], t.run_id, w.amount, w.amount
        FROM unnest(ids) WITH ORDINALITY AS g(id, n) JOIN task t ON t.id = g.id
        CROSS JOIN LATERAL (SELECT coalesce(baton_cost_left(t), baton_default_cost(t.scope)) AS amount) w
        WHERE t.run_id = ANY (capped)
      RETURNING run_id, amount_micro_usd),
    sums AS (SELECT run_id, sum(amount_micro_usd) AS amount FROM kept GROUP BY run_id)
  UPDATE budget b SET reserved_micro_usd = b.reserved_micro_usd + s.amount FROM sums s WHERE b.run_id = s.run_id;
  RETURN true;
END;
$$;

-- Agents that began while the run had no cap, lost ones too, get a share of what is left of it, the oldest first.
CREATE FUNCTION baton_reserve_at_work(v_run uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH wanted AS (
      SELECT a.id, a.created_at, coalesce(
        CASE WHEN a.ended_at IS NULL THEN baton_cost_left(t)
          ELSE least(baton_cost_unbooked(t), t.max_cost_micro_usd) END,
        greatest(baton_default_cost(t.scope) - a.cost_micro_usd, 0)) AS amount
        FROM attempt a JOIN task t ON t.id = a.task_id
        WHERE a.run_id = v_run AND (a.ended_at IS NULL AND a.done_at IS NULL OR a.meter IN ('open', 'unknown'))
          AND NOT EXISTS (SELECT 1 FROM reservation r WHERE r.attempt_id = a.id)),
    lined AS (
      SELECT w.id, w.amount,
        sum(w.amount) OVER (ORDER BY w.created_at, w.id ROWS UNBOUNDED PRECEDING) - w.amount AS before FROM wanted w),
    kept AS (
      INSERT INTO reservation (attempt_id, run_id, amount_micro_usd, left_micro_usd)
        SELECT l.id, v_run, s.share, s.share FROM lined l CROSS JOIN LATERAL (
          SELECT greatest(least(l.amount, b.cap_micro_usd - b.spent_micro_usd - b.reserved_micro_usd - l.before),
            0)::bigint AS share FROM budget b WHERE b.run_id = v_run) s
        RETURNING amount_micro_usd)
  UPDATE budget b SET reserved_micro_usd = b.reserved_micro_usd + coalesce((SELECT sum(amount_micro_usd) FROM kept), 0)
    WHERE b.run_id = v_run;
END;
$$;

-- Adds to what a run has spent, and takes it off what is reserved. From 95 % on nothing new begins.
CREATE FUNCTION baton_spend(v_run uuid, v_cost bigint, v_covered bigint) RETURNS budget LANGUAGE plpgsql AS $$
DECLARE
  b budget;
  was_held boolean;
BEGIN
  SELECT held INTO was_held FROM budget WHERE run_id = v_run FOR NO KEY UPDATE;
  UPDATE budget SET spent_micro_usd = spent_micro_usd + v_cost, reserved_micro_usd = reserved_micro_usd - v_covered,
    held = held OR coalesce((spent_micro_usd + v_cost) * 100 >= cap_micro_usd * 95, false)
    WHERE run_id = v_run RETURNING * INTO b;
  IF b.held AND NOT was_held THEN PERFORM baton_refresh_claimable(v_run); END IF;
  RETURN b;
END;
$$;

-- Books usage once per (attempt, offset), whoever reports it, and settles the attempt's reservation by it. What comes
-- after the attempt was booked at its bound takes the place of a part of that.
CREATE FUNCTION baton_book_usage(v_attempt uuid, v_offset bigint, v_usage jsonb, v_cost bigint) RETURNS jsonb
  LANGUAGE plpgsql AS $$
DECLARE
  a attempt;
  t task;
  b budget;
  v_known bigint := 0;
  v_covered bigint := 0;
  v_left bigint;
  v_limit bigint;
  v_cost_so_far bigint;
BEGIN
  SELECT * INTO a FROM attempt WHERE id = v_attempt FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  INSERT INTO usage_entry (attempt_id, "offset", model, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, cost_micro_usd, estimated, reviewer)
    VALUES (v_attempt, v_offset, v_usage->>'model', (v_usage->>'inputTokens')::bigint,
      (v_usage->>'outputTokens')::bigint, (v_usage->>'cacheReadTokens')::bigint,
      (v_usage->>'cacheWriteTokens')::bigint, v_cost, (v_usage->>'estimated')::boolean, v_usage->>'reviewer')
    ON CONFLICT DO NOTHING;
  IF FOUND THEN
    v_known := least(a.unmeasured_micro_usd, v_cost);
    IF v_known > 0 THEN
      UPDATE usage_entry SET cost_micro_usd = cost_micro_usd - v_known WHERE attempt_id = v_attempt AND NOT measured;
      UPDATE budget SET unmeasured_micro_usd = unmeasured_micro_usd - v_known WHERE run_id = a.run_id;
    END IF;
    UPDATE attempt SET cost_micro_usd = cost_micro_usd + v_cost - v_known,
      unmeasured_micro_usd = unmeasured_micro_usd - v_known,
      input_tokens = input_tokens + (v_usage->>'inputTokens')::bigint + (v_usage->>'cacheReadTokens')::bigint
        + (v_usage->>'cacheWriteTokens')::bigint,
      output_tokens = output_tokens + (v_usage->>'outputTokens')::bigint,
      cost_estimated = cost_estimated OR (v_usage->>'estimated')::boolean WHERE id = v_attempt;
    SELECT least(left_micro_usd, v_cost - v_known) INTO v_covered FROM reservation
      WHERE attempt_id = v_attempt FOR UPDATE;
    v_covered := coalesce(v_covered, 0);
    UPDATE reservation SET left_micro_usd = left_micro_usd - v_covered WHERE attempt_id = v_attempt;
    b := baton_spend(a.run_id, v_cost - v_known, v_covered);
  ELSE
    SELECT * INTO b FROM budget WHERE run_id = a.run_id;
  END IF;
  SELECT left_micro_usd INTO v_left FROM reservation WHERE attempt_id = v_attempt;
  SELECT * INTO t FROM task WHERE id = a.task_id;
  v_limit := t.max_cost_micro_usd * (1 + t.granted_tries);
  IF v_limit IS NOT NULL THEN
    SELECT sum(o.cost_micro_usd) INTO v_cost_so_far FROM attempt o WHERE o.task_id = t.id;
  END IF;
  -- The cap is reached as well when this attempt has used up its own share and the rest is bound by others.
  RETURN jsonb_build_object('spentMicroUsd', b.spent_micro_usd,
    'capReached', coalesce(b.spent_micro_usd >= b.cap_micro_usd
      OR (coalesce(v_left, 0) = 0 AND b.spent_micro_usd + b.reserved_micro_usd >= b.cap_micro_usd), false),
    'capExceeded', coalesce(b.spent_micro_usd > b.cap_micro_usd, false),
    'maxCostReached', coalesce(v_cost_so_far >= v_limit, false), 'maxCostExceeded',
      coalesce(v_cost_so_far > v_limit, false));
END;
$$;

-- Books attempts that are over and have not told all they spent at their bound, each once: what is left of their
-- reservation, else of their task's max_cost. Without either nobody knows: then it is nothing, and marked all the
-- same.
CREATE FUNCTION baton_book_bounds(attempts uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v record;
BEGIN
  -- A report that is under way is booked first, and what it left is what is read below.
  PERFORM 1 FROM attempt a WHERE a.id = ANY (attempts) AND a.meter IN ('open', 'unknown') ORDER BY a.id
    FOR NO KEY UPDATE;
  FOR v IN SELECT a.id, a.run_id, a.metered_reviewer, r.left_micro_usd,
        coalesce(r.left_micro_usd,
          least(baton_cost_unbooked(t), t.max_cost_micro_usd), 0) AS bound
      FROM attempt a JOIN task t ON t.id = a.task_id LEFT JOIN reservation r ON r.attempt_id = a.id
      WHERE a.id = ANY (attempts) AND a.meter IN ('open', 'unknown') ORDER BY a.id
  LOOP
    INSERT INTO usage_entry (attempt_id, "offset", input_tokens, output_tokens, cache_read_tokens,
      cache_write_tokens, cost_micro_usd, estimated, measured, reviewer)
      VALUES (v.id, -1, 0, 0, 0, 0, v.bound, true, false, v.metered_reviewer) ON CONFLICT DO NOTHING;
    CONTINUE WHEN NOT FOUND;
    UPDATE attempt SET meter = 'unmeasured', unmeasured_micro_usd = v.bound, cost_micro_usd = cost_micro_usd + v.bound,
      cost_estimated = true, unmeasured_reason = coalesce(unmeasured_reason,
        'It ended before it told all that it spent.')
      WHERE id = v.id;
    UPDATE reservation SET left_micro_usd = 0 WHERE attempt_id = v.id;
    UPDATE budget SET unmeasured_micro_usd = unmeasured_micro_usd + v.bound,
      unmeasured_attempts = unmeasured_attempts + 1
      WHERE run_id = v.run_id;
    PERFORM baton_spend(v.run_id, v.bound, coalesce(v.left_micro_usd, 0));
  END LOOP;
END;
$$;

-- Makes the tasks of starved runs claimable again.
CREATE FUNCTION baton_recheck_budget(v_run uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE budget SET starved = false WHERE run_id = v_run;
  PERFORM baton_refresh_claimable(v_run);
END;
$$;

-- Runs whose tasks had no room and now have, e.g. since the cap was raised. Gives how many.
CREATE FUNCTION baton_feed_due() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  fed integer := 0;
  v_run uuid;
BEGIN
  FOR v_run IN SELECT b.run_id FROM budget b WHERE b.starved AND EXISTS (
      SELECT 1 FROM task t WHERE t.run_id = b.run_id AND t.stage = 'OPEN'
        AND NOT t.claimable AND coalesce(t.not_before <= now(), true)
        AND greatest(coalesce(baton_cost_left(t), 1),
          1) <= b.cap_micro_usd - b.spent_micro_usd - b.reserved_micro_usd) LOOP
    PERFORM baton_recheck_budget(v_run);
    fed := fed + 1;
  END LOOP;
  RETURN fed;
END;
$$;

-- Settles attempts whose processes are gone: what they did not tell is booked, the rest of what they could have spent
-- is free. What had no room before is claimable again.
CREATE FUNCTION baton_free_reservations(attempts uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_run uuid;
  was_starved boolean;
BEGIN
  PERFORM baton_book_bounds(attempts);
  FOR v_run, was_starved IN
    WITH freed AS (DELETE FROM reservation r WHERE r.attempt_id = ANY (attempts) RETURNING r.run_id, r.left_micro_usd),
      sums AS (SELECT run_id, sum(left_micro_usd) AS amount FROM freed GROUP BY run_id)
    UPDATE budget b SET reserved_micro_usd = b.reserved_micro_usd - f.amount FROM sums f
      WHERE b.run_id = f.run_id RETURNING b.run_id, b.starved
  LOOP
    IF was_starved THEN PERFORM baton_recheck_budget(v_run); END IF;
  END LOOP;
END;
$$;

-- Sets the cap (null: none) unless more than that is spent and reserved already. Tasks that waited for money are
-- claimable at once, and with a cap all agents at work have a share of it.
CREATE FUNCTION baton_set_budget(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_cap bigint := (request->>'cap')::bigint;
  r run;
  b budget;
BEGIN
  -- Locks in the order of claims and reports: run, tasks, attempts, budget.
  SELECT * INTO r FROM run WHERE id = (request->>'run_id')::uuid FOR NO KEY UPDATE;
  IF NOT FOUND OR EXISTS (SELECT 1 FROM command c WHERE c.id = request#>>'{command,id}')
    THEN RETURN '{"ok":true}'; END IF;
  PERFORM 1 FROM task t WHERE t.run_id = r.id AND t.stage = 'OPEN' ORDER BY t.id FOR NO KEY UPDATE;
  -- What an agent at work reports is booked before it gets its share, or taken off it.
  PERFORM 1 FROM attempt a WHERE a.run_id = r.id AND (a.ended_at IS NULL OR a.meter IN ('open', 'unknown'))
    ORDER BY a.id FOR NO KEY UPDATE;
  SELECT * INTO b FROM budget WHERE run_id = r.id FOR NO KEY UPDATE;
  IF v_cap < b.spent_micro_usd + b.reserved_micro_usd THEN
    RETURN jsonb_build_object('ok', false, 'spent', b.spent_micro_usd, 'reserved', b.reserved_micro_usd);
  END IF;
  IF request ? 'command' THEN
    INSERT INTO command (id, actor, answer)
      VALUES (request#>>'{command,id}', request->>'actor', jsonb_build_object('runId', r.id));
  END IF;
  IF v_cap IS NOT DISTINCT FROM b.cap_micro_usd THEN RETURN '{"ok":true}'; END IF;
  INSERT INTO change (step, run_id, run_seq, actor, reason, extra)
    VALUES (baton_step('run|' || r.status || '|budget||' || r.status || '|move||'), r.id, r.seq + 1, request->>'actor',
      request->>'reason', jsonb_build_object('metadata',
        jsonb_build_object('fromMicroUsd', b.cap_micro_usd, 'toMicroUsd', v_cap)));
  UPDATE run SET seq = r.seq + 1 WHERE id = r.id;
  UPDATE budget SET cap_micro_usd = v_cap, held = coalesce(spent_micro_usd * 100 >= v_cap * 95, false), starved = false
    WHERE run_id = r.id;
  IF v_cap IS NOT NULL THEN PERFORM baton_reserve_at_work(r.id); END IF;
  -- Those that a worker gave back for want of money, or of a price under a cap, need not wait until they are looked
  -- at again.
  UPDATE task t SET not_before = NULL WHERE t.run_id = r.id AND t.stage = 'OPEN' AND t.not_before > now() AND EXISTS (
    SELECT 1 FROM (SELECT a.outcome FROM attempt a WHERE a.task_id = t.id AND a.ended_at IS NOT NULL
        ORDER BY a.number DESC LIMIT 1) last
      WHERE last.outcome = 'budget' OR last.outcome = 'price_unknown' AND v_cap IS NULL);
  PERFORM baton_refresh_claimable(r.id);
  RETURN '{"ok":true}';
END;
$$;
