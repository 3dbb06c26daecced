-- The door for many claims at once, a batch of one each. Only what needs no slot, no path and no reservation: the rest is claimed
-- one by one. Everything is done as a set, in one transaction.
CREATE VIEW baton_claim_set AS SELECT
  NULL::text AS worker, NULL::text AS host, NULL::text[] AS labels, NULL::text[] AS roles, NULL::uuid AS run_id, NULL::integer AS lease_ms,
  NULL::uuid[] AS session_ids, NULL::uuid[] AS attempt_ids, NULL::text[] AS known_runs, NULL::json AS answer
  WHERE false;

CREATE FUNCTION baton_claim_many() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  expires timestamptz := moment + NEW.lease_ms * interval '1 millisecond';
  ids uuid[];
  size integer;
  numbers integer[];
  fences bigint[];
  versions integer[];
  runs uuid[];
  items json;
BEGIN
  IF NEW.run_id IS NULL THEN
    SELECT array_agg(h.id) INTO ids FROM (SELECT o.id FROM task o
      WHERE o.status = 'OPEN' AND o.pending_dependencies = 0 AND o.claimable AND NOT o.cancel_requested AND o.files = '{}'
        AND (o.host IS NULL OR o.host = NEW.host) AND o.labels <@ NEW.labels AND (NEW.roles IS NULL OR o.role = ANY (NEW.roles))
        AND baton_run_unbound(o.run_id)
      ORDER BY o.rank, o.id LIMIT cardinality(NEW.session_ids) FOR NO KEY UPDATE OF o SKIP LOCKED) h;
  ELSE
    SELECT array_agg(h.id) INTO ids FROM (SELECT o.id FROM task o
      WHERE o.run_id = NEW.run_id AND o.status = 'OPEN' AND o.pending_dependencies = 0 AND o.claimable AND NOT o.cancel_requested AND o.files = '{}'
        AND (o.host IS NULL OR o.host = NEW.host) AND o.labels <@ NEW.labels AND (NEW.roles IS NULL OR o.role = ANY (NEW.roles))
        AND baton_run_unbound(o.run_id)
      ORDER BY o.rank, o.id LIMIT cardinality(NEW.session_ids) FOR NO KEY UPDATE OF o SKIP LOCKED) h;
  END IF;
  size := coalesce(cardinality(ids), 0);
  IF size = 0 THEN
    NEW.answer := '{"tasks":[],"runs":[]}';
    RETURN NEW;
  END IF;
  WITH held AS (
      UPDATE task t SET status = 'CLAIMED', version = t.version + 1, fence = t.fence + 1, claimable = false, paths_wanted_since = NULL, updated_at = moment
        WHERE t.id = ANY (ids) RETURNING t.*),
    made AS (
      INSERT INTO attempt (id, task_id, run_id, session_id, number, place, fence, worker_id, lease_expires_at, turn_status, turn_seq, created_at)
        SELECT NEW.attempt_ids[g.n], h.id, h.run_id, NEW.session_ids[g.n], coalesce((SELECT max(o.number) FROM attempt o WHERE o.task_id = h.id), 0) + 1, 1,
          h.fence, NEW.worker, expires, 'CLAIMING', 1, moment
        FROM held h JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id
        RETURNING task_id, number),
    sat AS (
      INSERT INTO agent_session (id, run_id, worker_id, host, created_at)
        SELECT NEW.session_ids[g.n], h.run_id, NEW.worker, NEW.host, moment FROM held h JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id)
  SELECT array_agg(m.number ORDER BY g.n), array_agg(h.fence ORDER BY g.n), array_agg(h.version ORDER BY g.n), array_agg(h.run_id ORDER BY g.n),
      json_agg(json_build_object('task', h, 'number', m.number, 'fence', h.fence,
        'earlier', CASE WHEN m.number > 1 THEN baton_earlier(h.id, m.number) END, 'predecessors', baton_predecessors(h.id)) ORDER BY g.n)
    INTO numbers, fences, versions, runs, items
    FROM held h JOIN made m ON m.task_id = h.id JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id;
  PERFORM baton_put_events(
      array_fill('task|OPEN|claim||CLAIMED|move'::text, ARRAY[size]) || array_fill('turn|IDLE|task_claimed||CLAIMING|move'::text, ARRAY[size]),
      ids || NEW.attempt_ids[1:size], versions || array_fill(1, ARRAY[size]), runs || runs, ids || ids,
      array_fill('claimed'::text, ARRAY[2 * size]), array_fill(NULL::text, ARRAY[2 * size]),
      (SELECT array_agg(jsonb_build_object('metadata', jsonb_build_object('attemptId', NEW.attempt_ids[n], 'number', numbers[n], 'fence', fences[n],
        'sessionId', NEW.session_ids[n])) ORDER BY n) FROM generate_series(1, size) n) || array_fill(NULL::jsonb, ARRAY[size]),
      (SELECT array_agg(n) FROM generate_series(1, 2 * size) n), 'worker:' || NEW.worker, moment);
  NEW.answer := json_build_object('now', moment, 'expires', expires, 'tasks', items, 'runs', (
    SELECT coalesce(json_agg(json_build_object('mark', r.xmin::text, 'run', to_jsonb(r) || baton_run_money(r.id), 'repo', p)), '[]')
      FROM run r JOIN repo p ON p.id = r.repo_id WHERE r.id = ANY (runs) AND r.id || ':' || r.xmin::text <> ALL (NEW.known_runs)));
  RETURN NEW;
END;
$$;
CREATE TRIGGER baton_claim_many INSTEAD OF INSERT ON baton_claim_set FOR EACH ROW EXECUTE FUNCTION baton_claim_many();
ALTER FUNCTION baton_claim_many() SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan;

-- Neither slots nor a cap: its tasks can be claimed without looking at any shared row.
CREATE FUNCTION baton_run_unbound(v_run uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT r.max_agents IS NULL AND b.cap_micro_usd IS NULL FROM run r JOIN budget b ON b.run_id = r.id WHERE r.id = v_run);
END;
$$;
