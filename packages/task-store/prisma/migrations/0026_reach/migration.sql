-- Where the head of finished work lies: {"at":"repository","ref"} for a ref of the target's repository, {"at":"clone","host","path","ref"}
-- for a worker's own clone. Null: not written down (older work). `head_missed`: worker → from when on it may have the attempt again,
-- in seconds since 1970.
ALTER TABLE "attempt" ADD COLUMN "head_place" JSONB, ADD COLUMN "head_missed" JSONB,
  ADD COLUMN "head_missing_since" TIMESTAMPTZ(6), ADD COLUMN "head_missing_text" TEXT;
-- Agents that this worker cannot start at present: [{"agent","reason","until"}].
ALTER TABLE "worker" ADD COLUMN "withdrawn" JSONB NOT NULL DEFAULT '[]';

-- Claims and drains of one worker exclude one another, and nothing else: when a drain has come back, no claim of that worker is under way.
CREATE FUNCTION baton_worker_key(v_worker text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended('baton worker ' || v_worker, 0)
$$;

CREATE FUNCTION baton_may_claim(v_worker text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(baton_worker_key(v_worker));
  RETURN NOT EXISTS (SELECT 1 FROM worker w WHERE w.id = v_worker AND w.status = 'draining');
END;
$$;

-- Stand before the doors of claims (triggers fire in the order of their names): a draining worker gets no answer, that is nothing.
CREATE FUNCTION baton_admit_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE WHEN baton_may_claim(NEW.worker) THEN NEW END;
END;
$$;
CREATE TRIGGER baton_admit_claim INSTEAD OF INSERT ON baton_claim FOR EACH ROW EXECUTE FUNCTION baton_admit_claim();

-- Of a set with a draining worker in it, each looks for itself: `cut` sends them there.
CREATE FUNCTION baton_admit_claims() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_worker text;
BEGIN
  FOR v_worker IN SELECT DISTINCT w FROM unnest(NEW.workers) AS w ORDER BY w LOOP
    IF NOT baton_may_claim(v_worker) THEN RETURN NULL; END IF;
  END LOOP;
  RETURN NEW;
END;
$$;
CREATE TRIGGER baton_admit_claims INSTEAD OF INSERT ON baton_claim_set FOR EACH ROW EXECUTE FUNCTION baton_admit_claims();

-- True: there is such a worker, and its row says so now. One that has ended does not drain.
CREATE FUNCTION baton_set_worker(v_worker text, v_status text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(baton_worker_key(v_worker));
  UPDATE worker SET status = v_status WHERE id = v_worker AND NOT (status = 'offline' AND v_status = 'draining');
  RETURN EXISTS (SELECT 1 FROM worker w WHERE w.id = v_worker);
END;
$$;
