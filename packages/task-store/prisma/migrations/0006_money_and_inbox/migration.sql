-- Books usage once per (attempt, offset), whoever reports it, and settles the attempt's reservation by it.
CREATE FUNCTION baton_book_usage(v_attempt uuid, v_offset bigint, v_usage jsonb, v_cost bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  a attempt;
  b budget;
  covered bigint := 0;
  was_held boolean;
  v_left bigint;
BEGIN
  SELECT * INTO a FROM attempt WHERE id = v_attempt FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  INSERT INTO usage_entry (attempt_id, "offset", model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micro_usd, estimated)
    VALUES (v_attempt, v_offset, v_usage->>'model', (v_usage->>'inputTokens')::bigint, (v_usage->>'outputTokens')::bigint,
      (v_usage->>'cacheReadTokens')::bigint, (v_usage->>'cacheWriteTokens')::bigint, v_cost, (v_usage->>'estimated')::boolean)
    ON CONFLICT DO NOTHING;
  IF FOUND THEN
    UPDATE attempt SET input_tokens = input_tokens + (v_usage->>'inputTokens')::bigint + (v_usage->>'cacheReadTokens')::bigint + (v_usage->>'cacheWriteTokens')::bigint,
      output_tokens = output_tokens + (v_usage->>'outputTokens')::bigint, cost_micro_usd = cost_micro_usd + v_cost,
      cost_estimated = cost_estimated OR (v_usage->>'estimated')::boolean WHERE id = v_attempt;
    SELECT least(left_micro_usd, v_cost) INTO covered FROM reservation WHERE attempt_id = v_attempt FOR UPDATE;
    covered := coalesce(covered, 0);
    UPDATE reservation SET left_micro_usd = left_micro_usd - covered WHERE attempt_id = v_attempt;
    SELECT held INTO was_held FROM budget WHERE run_id = a.run_id FOR UPDATE;
    -- From 95 % on nothing new begins.
    UPDATE budget SET spent_micro_usd = spent_micro_usd + v_cost, reserved_micro_usd = reserved_micro_usd - covered,
      held = held OR coalesce((spent_micro_usd + v_cost) * 100 >= cap_micro_usd * 95, false) WHERE run_id = a.run_id RETURNING * INTO b;
    IF b.held AND NOT was_held THEN PERFORM baton_refresh_claimable(a.run_id); END IF;
  ELSE
    SELECT * INTO b FROM budget WHERE run_id = a.run_id;
  END IF;
  SELECT left_micro_usd INTO v_left FROM reservation WHERE attempt_id = v_attempt;
  -- Reached as well when this attempt has used up its own share and the rest is bound by others.
  RETURN jsonb_build_object('spentMicroUsd', b.spent_micro_usd, 'capReached', coalesce(b.spent_micro_usd >= b.cap_micro_usd
    OR (coalesce(v_left, 0) = 0 AND b.spent_micro_usd + b.reserved_micro_usd >= b.cap_micro_usd), false));
END;
$$;

-- One delivery from outside with the tasks it makes, or the answer that was given before.
CREATE FUNCTION baton_accept_delivery(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  known trigger_delivery;
  item jsonb;
BEGIN
  INSERT INTO trigger_delivery (id, source, delivery_id, kind, event, received_at, task_ids)
    VALUES ((request->>'id')::uuid, request#>>'{event,source}', request#>>'{event,deliveryId}', request#>>'{event,kind}', request->'event',
      (request#>>'{event,receivedAt}')::timestamptz, ARRAY(SELECT jsonb_array_elements_text(request->'task_ids')::uuid))
    ON CONFLICT (source, delivery_id) DO NOTHING;
  IF NOT FOUND THEN
    SELECT * INTO known FROM trigger_delivery WHERE source = request#>>'{event,source}' AND delivery_id = request#>>'{event,deliveryId}';
    RETURN jsonb_build_object('duplicate', true, 'taskIds', to_jsonb(known.task_ids));
  END IF;
  FOR item IN SELECT value FROM jsonb_array_elements(request->'adds') LOOP
    PERFORM baton_add_tasks(item->'tasks', item->'edges', item->'by');
  END LOOP;
  RETURN jsonb_build_object('duplicate', false, 'taskIds', request->'task_ids');
END;
$$;
