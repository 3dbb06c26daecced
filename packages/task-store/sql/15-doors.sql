-- What programs call to change state. Each writes as a set what its `_as_set` checks as a set; `baton.checked` says so
-- to the triggers of 05-status.sql until it is over. No SET clause does that: PostgreSQL lets only a superuser name a
-- setting there that it does not know. After an error PostgreSQL takes the setting back by itself.

CREATE FUNCTION baton_create(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  answer jsonb;
BEGIN
  PERFORM set_config('baton.checked', 'on', true);
  answer := baton_create_as_set(request);
  PERFORM set_config('baton.checked', '', true);
  RETURN answer;
END;
$$;

CREATE FUNCTION baton_add(request jsonb) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  answer json;
BEGIN
  PERFORM set_config('baton.checked', 'on', true);
  answer := baton_add_as_set(request);
  PERFORM set_config('baton.checked', '', true);
  RETURN answer;
END;
$$;

CREATE FUNCTION baton_accept_delivery(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  answer jsonb;
BEGIN
  PERFORM set_config('baton.checked', 'on', true);
  answer := baton_accept_delivery_as_set(request);
  PERFORM set_config('baton.checked', '', true);
  RETURN answer;
END;
$$;

CREATE FUNCTION baton_change(req change_request) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  answer jsonb;
BEGIN
  PERFORM set_config('baton.checked', 'on', true);
  answer := baton_change_as_set(req);
  PERFORM set_config('baton.checked', '', true);
  RETURN answer;
END;
$$;

CREATE FUNCTION baton_claim(req claim_request) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  answer json;
BEGIN
  PERFORM set_config('baton.checked', 'on', true);
  answer := baton_claim_as_set(req);
  PERFORM set_config('baton.checked', '', true);
  RETURN answer;
END;
$$;

CREATE FUNCTION baton_claim_many(req claim_set_request) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  answer json;
BEGIN
  PERFORM set_config('baton.checked', 'on', true);
  answer := baton_claim_many_as_set(req);
  PERFORM set_config('baton.checked', '', true);
  RETURN answer;
END;
$$;
