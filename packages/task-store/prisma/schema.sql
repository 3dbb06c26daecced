-- The schema as a migrated database has it; the texts of functions stand in ../sql. Don't edit.

CREATE TYPE textrange AS RANGE (subtype = text);

CREATE TABLE agent_event (
  at timestamp(6) with time zone NOT NULL,
  attempt_id uuid,
  event jsonb NOT NULL,
  id bigint DEFAULT nextval('agent_event_id_seq'::regclass) NOT NULL,
  session_id uuid NOT NULL
);
CREATE TABLE agent_session (
  abort_reason text,
  activity text,
  adapter text DEFAULT ''::text NOT NULL,
  created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  current_attempt_id uuid,
  deadline_at timestamp(6) with time zone,
  ended_at timestamp(6) with time zone,
  execution_seq integer DEFAULT 0 NOT NULL,
  execution_state text DEFAULT 'pending'::text NOT NULL,
  exit_code integer,
  host text NOT NULL,
  id uuid NOT NULL,
  last_sign_at timestamp(6) with time zone,
  model text,
  parent_session_id uuid,
  pid integer,
  pid_started text,
  run_id uuid NOT NULL,
  status text,
  status_seq integer DEFAULT '-1'::integer NOT NULL,
  worker_id text NOT NULL,
  workspace text
) WITH (fillfactor=60);
CREATE TABLE api_key (
  created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  hash text NOT NULL,
  id text NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  revoked_at timestamp(6) with time zone,
  scopes text[]
);
CREATE TABLE approval (
  attempt_id uuid NOT NULL,
  created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  decided_at timestamp(6) with time zone,
  decided_by text,
  decision_reason text,
  head_commit text NOT NULL,
  id uuid NOT NULL,
  nonce text NOT NULL,
  patch_id text NOT NULL,
  reason text NOT NULL,
  run_id uuid NOT NULL,
  status text DEFAULT 'waiting'::text NOT NULL,
  task_id uuid NOT NULL
);
CREATE TABLE archived_change (
  archived_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  events integer NOT NULL,
  id bigint DEFAULT nextval('archived_change_id_seq'::regclass) NOT NULL,
  ids int8multirange NOT NULL
);
CREATE TABLE archived_entity (
  entity_id uuid NOT NULL,
  events integer NOT NULL,
  machine text NOT NULL,
  seqs int4multirange NOT NULL,
  state text NOT NULL,
  upto_seq integer NOT NULL
);
CREATE TABLE attempt (
  abort_reason text,
  base_commit text,
  cost_estimated boolean DEFAULT false NOT NULL,
  cost_micro_usd bigint DEFAULT 0 NOT NULL,
  counted boolean DEFAULT false NOT NULL,
  created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  done_at timestamp(6) with time zone,
  ended_at timestamp(6) with time zone,
  fence bigint NOT NULL,
  head_commit text,
  head_missed jsonb,
  head_missing_since timestamp(6) with time zone,
  head_missing_text text,
  head_place jsonb,
  id uuid NOT NULL,
  input_tokens bigint DEFAULT 0 NOT NULL,
  lease_expires_at timestamp(6) with time zone,
  meter text DEFAULT 'none'::text NOT NULL,
  metered_reviewer text,
  number integer NOT NULL,
  open_tools integer DEFAULT 0 NOT NULL,
  orphan_counts boolean DEFAULT false NOT NULL,
  orphaned_at timestamp(6) with time zone,
  outcome text,
  output_tokens bigint DEFAULT 0 NOT NULL,
  place integer DEFAULT 1 NOT NULL,
  rejections text[],
  review jsonb,
  route jsonb,
  run_id uuid NOT NULL,
  salvage_ref text,
  session_id uuid,
  start_commit text,
  summary text,
  task_id uuid NOT NULL,
  turn_seq integer DEFAULT 0 NOT NULL,
  turn_status text DEFAULT 'IDLE'::text NOT NULL,
  unmeasured_micro_usd bigint DEFAULT 0 NOT NULL,
  unmeasured_reason text,
  worker_id text
) WITH (fillfactor=35);
CREATE TABLE base_verdict (
  checks_hash text NOT NULL,
  created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  run_id uuid NOT NULL,
  verdict jsonb NOT NULL
);
CREATE TABLE budget (
  cap_micro_usd bigint,
  held boolean DEFAULT false NOT NULL,
  reserved_micro_usd bigint DEFAULT 0 NOT NULL,
  run_id uuid NOT NULL,
  spent_micro_usd bigint DEFAULT 0 NOT NULL,
  starved boolean DEFAULT false NOT NULL,
  unmeasured_attempts integer DEFAULT 0 NOT NULL,
  unmeasured_micro_usd bigint DEFAULT 0 NOT NULL
);
CREATE TABLE change (
  abort_reason text,
  actor text NOT NULL,
  agent_seq integer,
  at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  attempt_id uuid,
  execution_seq integer,
  extra jsonb,
  fence bigint,
  id bigint DEFAULT nextval('change_id_seq'::regclass) NOT NULL,
  note integer,
  number integer,
  reason text NOT NULL,
  run_id uuid,
  run_seq integer,
  session_id uuid,
  step smallint NOT NULL,
  task_id uuid,
  task_seq integer,
  tasks uuid[],
  transition_reason text,
  turn_seq integer
);
CREATE TABLE cognitive_checkpoint (
  at timestamp(6) with time zone DEFAULT now() NOT NULL,
  attempt_id uuid NOT NULL,
  checkpoint jsonb NOT NULL,
  id bigint DEFAULT nextval('cognitive_checkpoint_id_seq'::regclass) NOT NULL,
  seq integer NOT NULL,
  timing text NOT NULL
);
CREATE TABLE command (
  actor text NOT NULL,
  answer jsonb NOT NULL,
  at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  id text NOT NULL
);
CREATE TABLE cursor (
  name text NOT NULL,
  position bigint NOT NULL
);
CREATE TABLE landing (
  abandon_reason text,
  abandoned_at timestamp(6) with time zone,
  attempt_id uuid NOT NULL,
  candidate_commit text NOT NULL,
  confirmed_at timestamp(6) with time zone,
  created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  epoch bigint NOT NULL,
  from_commit text NOT NULL,
  holder jsonb NOT NULL,
  id uuid NOT NULL,
  lane_id uuid NOT NULL,
  place integer DEFAULT 1 NOT NULL,
  run_id uuid NOT NULL,
  task_id uuid NOT NULL,
  tree text NOT NULL,
  verdict_id uuid NOT NULL
);
CREATE TABLE lane (
  epoch bigint DEFAULT 0 NOT NULL,
  id uuid NOT NULL,
  lease_expires_at timestamp(6) with time zone,
  repo_id uuid NOT NULL,
  target text NOT NULL,
  wait_cause text,
  wait_since timestamp(6) with time zone,
  wait_text text,
  worker_id text
);
CREATE TABLE log_entry (
  at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  first bigint NOT NULL,
  hash bytea NOT NULL,
  ids bigint[] NOT NULL,
  leaves bytea NOT NULL,
  next bigint NOT NULL,
  seen bigint NOT NULL,
  sizes integer[] NOT NULL
);
CREATE TABLE log_gap (
  id bigint DEFAULT nextval('log_gap_id_seq'::regclass) NOT NULL,
  ids int8multirange NOT NULL,
  until xid8 NOT NULL
);
CREATE TABLE machine_cell (
  alias text,
  event text NOT NULL,
  from_state text,
  key text NOT NULL,
  kind text NOT NULL,
  machine text NOT NULL,
  to_state text NOT NULL,
  version integer NOT NULL
);
CREATE TABLE path_lock (
  id bigint DEFAULT nextval('path_lock_id_seq'::regclass) NOT NULL,
  range textrange NOT NULL,
  session_id uuid NOT NULL
);
CREATE TABLE pull_request (
  attempt_id uuid NOT NULL,
  branch text NOT NULL,
  commits text[] NOT NULL,
  created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  look_at timestamp(6) with time zone NOT NULL,
  merge_commit text,
  number integer,
  onto text,
  red text,
  run_id uuid NOT NULL,
  state text NOT NULL,
  task_id uuid NOT NULL,
  trouble text,
  troubles integer DEFAULT 0 NOT NULL,
  updated_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  url text
);
CREATE TABLE repo (
  created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  host text,
  id uuid NOT NULL,
  location text NOT NULL
);
CREATE TABLE reservation (
  amount_micro_usd bigint NOT NULL,
  attempt_id uuid NOT NULL,
  left_micro_usd bigint NOT NULL,
  run_id uuid NOT NULL
);
CREATE TABLE run (
  agents jsonb NOT NULL,
  allow_red text[],
  base_commit text,
  batch_size integer NOT NULL,
  created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  created_by text NOT NULL,
  default_agent jsonb,
  finished_at timestamp(6) with time zone,
  gates jsonb NOT NULL,
  gates_hash text NOT NULL,
  id uuid NOT NULL,
  max_agents integer,
  name text NOT NULL,
  plan jsonb,
  repo_id uuid NOT NULL,
  review boolean NOT NULL,
  routing jsonb,
  seq integer DEFAULT 0 NOT NULL,
  slug text NOT NULL,
  standing boolean DEFAULT false NOT NULL,
  status text NOT NULL,
  status_reason text,
  target text NOT NULL,
  trust text NOT NULL,
  workspace jsonb
);
CREATE TABLE slot (
  number integer NOT NULL,
  run_id uuid NOT NULL,
  session_id uuid NOT NULL
);
CREATE TABLE step (
  agent_from text,
  agent_moves smallint NOT NULL,
  agent_to text,
  execution_from text,
  execution_moves smallint NOT NULL,
  execution_to text,
  id smallint NOT NULL,
  key text NOT NULL,
  past boolean NOT NULL,
  run_from text,
  run_moves smallint NOT NULL,
  run_to text,
  size smallint NOT NULL,
  task_from text,
  task_moves smallint NOT NULL,
  task_to text,
  turn_from text,
  turn_moves smallint NOT NULL,
  turn_to text
);
CREATE TABLE step_move (
  alias text,
  back smallint NOT NULL,
  carries boolean NOT NULL,
  event text,
  from_state text,
  kind text NOT NULL,
  machine text NOT NULL,
  n smallint NOT NULL,
  step smallint NOT NULL,
  to_state text,
  transition_reason text,
  trigger text,
  version integer NOT NULL
);
CREATE TABLE store_identity (
  created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  id uuid NOT NULL
);
CREATE TABLE task (
  agent jsonb,
  allow_red text[],
  approval boolean DEFAULT false NOT NULL,
  blocked_on jsonb,
  cancel_requested boolean DEFAULT false NOT NULL,
  claimable boolean DEFAULT false NOT NULL,
  complexity text NOT NULL,
  conflicts integer DEFAULT 0 NOT NULL,
  context text[],
  continue_from jsonb,
  created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  deadline_at timestamp(6) with time zone,
  effort text,
  fence bigint DEFAULT 0 NOT NULL,
  files text[],
  goal text NOT NULL,
  granted_tries integer DEFAULT 0 NOT NULL,
  host text,
  id uuid NOT NULL,
  idempotency_key text,
  key text NOT NULL,
  labels text[],
  max_attempts integer,
  max_cost_micro_usd bigint,
  max_retries integer NOT NULL,
  model text,
  not_before timestamp(6) with time zone,
  parent_id uuid,
  paths_wanted_since timestamp(6) with time zone,
  pending_dependencies integer DEFAULT 0 NOT NULL,
  priority integer NOT NULL,
  rank timestamp(6) with time zone NOT NULL,
  ready boolean GENERATED ALWAYS AS ((status = 'OPEN'::text) AND (pending_dependencies = 0) AND claimable AND (NOT cancel_requested)) STORED,
  repo_id uuid NOT NULL,
  risk text NOT NULL,
  role text NOT NULL,
  run_id uuid NOT NULL,
  scope text NOT NULL,
  setbacks integer DEFAULT 0 NOT NULL,
  settled boolean DEFAULT false NOT NULL,
  signals jsonb NOT NULL,
  source jsonb NOT NULL,
  stage text GENERATED ALWAYS AS 
CASE status
    WHEN 'IN_PROGRESS'::text THEN 'CLAIMED'::text
    ELSE status
END STORED,
  status text NOT NULL,
  timeout_ms integer,
  title text NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  updated_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  version integer DEFAULT 0 NOT NULL
) WITH (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=500);
CREATE TABLE task_dependency (
  depends_on_id uuid NOT NULL,
  satisfied boolean DEFAULT false NOT NULL,
  task_id uuid NOT NULL
);
CREATE TABLE trigger_delivery (
  delivery_id text NOT NULL,
  event jsonb NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL,
  received_at timestamp(6) with time zone NOT NULL,
  source text NOT NULL,
  task_ids uuid[]
);
CREATE TABLE usage_entry (
  at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  attempt_id uuid NOT NULL,
  cache_read_tokens bigint NOT NULL,
  cache_write_tokens bigint NOT NULL,
  cost_micro_usd bigint NOT NULL,
  estimated boolean NOT NULL,
  input_tokens bigint NOT NULL,
  measured boolean DEFAULT true NOT NULL,
  model text,
  offset bigint NOT NULL,
  output_tokens bigint NOT NULL,
  reviewer text
);
CREATE TABLE verdict (
  attempt_id uuid NOT NULL,
  checks text NOT NULL,
  checks_hash text NOT NULL,
  created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  duration_ms double precision NOT NULL,
  id uuid NOT NULL,
  passed boolean NOT NULL,
  reasons text[],
  results jsonb NOT NULL,
  task_id uuid NOT NULL,
  tree text NOT NULL
);
CREATE TABLE worker (
  boot_id text NOT NULL,
  capacity integer NOT NULL,
  expected_conflicts jsonb DEFAULT '[]'::jsonb NOT NULL,
  heartbeat_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
  host text NOT NULL,
  id text NOT NULL,
  labels text[],
  name text NOT NULL,
  pid integer NOT NULL,
  pid_started text NOT NULL,
  run_id uuid,
  status text DEFAULT 'online'::text NOT NULL,
  version text NOT NULL,
  withdrawn jsonb DEFAULT '[]'::jsonb NOT NULL
);

ALTER TABLE agent_event ADD CONSTRAINT agent_event_pkey PRIMARY KEY (id);
ALTER TABLE agent_session ADD CONSTRAINT agent_session_pkey PRIMARY KEY (id);
ALTER TABLE api_key ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);
ALTER TABLE approval ADD CONSTRAINT approval_pkey PRIMARY KEY (id);
ALTER TABLE archived_change ADD CONSTRAINT archived_change_pkey PRIMARY KEY (id);
ALTER TABLE archived_entity ADD CONSTRAINT archived_entity_pkey PRIMARY KEY (machine, entity_id);
ALTER TABLE attempt ADD CONSTRAINT attempt_meter CHECK ((meter = ANY (ARRAY['none'::text, 'open'::text, 'measured'::text, 'unknown'::text, 'unmeasured'::text])));
ALTER TABLE attempt ADD CONSTRAINT attempt_pkey PRIMARY KEY (id);
ALTER TABLE base_verdict ADD CONSTRAINT base_verdict_pkey PRIMARY KEY (run_id);
ALTER TABLE base_verdict ADD CONSTRAINT base_verdict_run_id_fkey FOREIGN KEY (run_id) REFERENCES run(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE budget ADD CONSTRAINT budget_not_negative CHECK (((reserved_micro_usd >= 0) AND (spent_micro_usd >= 0)));
ALTER TABLE budget ADD CONSTRAINT budget_pkey PRIMARY KEY (run_id);
ALTER TABLE budget ADD CONSTRAINT budget_run_id_fkey FOREIGN KEY (run_id) REFERENCES run(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE change ADD CONSTRAINT change_pkey PRIMARY KEY (id);
ALTER TABLE cognitive_checkpoint ADD CONSTRAINT cognitive_checkpoint_pkey PRIMARY KEY (id);
ALTER TABLE command ADD CONSTRAINT command_pkey PRIMARY KEY (id);
ALTER TABLE cursor ADD CONSTRAINT cursor_pkey PRIMARY KEY (name);
ALTER TABLE landing ADD CONSTRAINT landing_pkey PRIMARY KEY (id);
ALTER TABLE lane ADD CONSTRAINT lane_pkey PRIMARY KEY (id);
ALTER TABLE lane ADD CONSTRAINT lane_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE log_entry ADD CONSTRAINT log_entry_pkey PRIMARY KEY (next);
ALTER TABLE log_gap ADD CONSTRAINT log_gap_pkey PRIMARY KEY (id);
ALTER TABLE machine_cell ADD CONSTRAINT machine_cell_pkey PRIMARY KEY (key);
ALTER TABLE path_lock ADD CONSTRAINT path_lock_disjoint EXCLUDE USING gist (range WITH &&);
ALTER TABLE path_lock ADD CONSTRAINT path_lock_pkey PRIMARY KEY (id);
ALTER TABLE path_lock ADD CONSTRAINT path_lock_session_id_fkey FOREIGN KEY (session_id) REFERENCES agent_session(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE pull_request ADD CONSTRAINT pull_request_pkey PRIMARY KEY (attempt_id);
ALTER TABLE pull_request ADD CONSTRAINT pull_request_state CHECK ((state = ANY (ARRAY['opening'::text, 'open'::text, 'merged'::text, 'closed'::text])));
ALTER TABLE repo ADD CONSTRAINT repo_pkey PRIMARY KEY (id);
ALTER TABLE reservation ADD CONSTRAINT reservation_pkey PRIMARY KEY (attempt_id);
ALTER TABLE run ADD CONSTRAINT run_pkey PRIMARY KEY (id);
ALTER TABLE run ADD CONSTRAINT run_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repo(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE slot ADD CONSTRAINT slot_pkey PRIMARY KEY (run_id, number);
ALTER TABLE step ADD CONSTRAINT step_pkey PRIMARY KEY (id);
ALTER TABLE step_move ADD CONSTRAINT step_move_pkey PRIMARY KEY (step, n);
ALTER TABLE store_identity ADD CONSTRAINT store_identity_pkey PRIMARY KEY (id);
ALTER TABLE task ADD CONSTRAINT task_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES task(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE task ADD CONSTRAINT task_pending_not_negative CHECK ((pending_dependencies >= 0));
ALTER TABLE task ADD CONSTRAINT task_pkey PRIMARY KEY (id);
ALTER TABLE task_dependency ADD CONSTRAINT task_dependency_depends_on_id_fkey FOREIGN KEY (depends_on_id) REFERENCES task(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE task_dependency ADD CONSTRAINT task_dependency_pkey PRIMARY KEY (task_id, depends_on_id);
ALTER TABLE task_dependency ADD CONSTRAINT task_dependency_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE trigger_delivery ADD CONSTRAINT trigger_delivery_pkey PRIMARY KEY (id);
ALTER TABLE usage_entry ADD CONSTRAINT usage_entry_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempt(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE usage_entry ADD CONSTRAINT usage_entry_pkey PRIMARY KEY (attempt_id, "offset");
ALTER TABLE verdict ADD CONSTRAINT verdict_pkey PRIMARY KEY (id);
ALTER TABLE worker ADD CONSTRAINT worker_pkey PRIMARY KEY (id);

CREATE INDEX agent_event_attempt_id_id_idx ON public.agent_event USING btree (attempt_id, id);
CREATE INDEX agent_event_session_id_id_idx ON public.agent_event USING btree (session_id, id);
CREATE INDEX agent_session_live_idx ON public.agent_session USING btree (worker_id) WHERE (ended_at IS NULL);
CREATE INDEX agent_session_run_id_created_at_idx ON public.agent_session USING btree (run_id, created_at);
CREATE UNIQUE INDEX api_key_hash_key ON public.api_key USING btree (hash);
CREATE INDEX approval_rejected_idx ON public.approval USING btree (attempt_id) WHERE (status = 'rejected'::text);
CREATE INDEX approval_run_id_idx ON public.approval USING btree (run_id);
CREATE INDEX approval_task_id_idx ON public.approval USING btree (task_id);
CREATE UNIQUE INDEX approval_waiting_key ON public.approval USING btree (task_id) WHERE (status = 'waiting'::text);
CREATE UNIQUE INDEX attempt_open_key ON public.attempt USING btree (task_id) WHERE (ended_at IS NULL);
CREATE INDEX attempt_run_id_created_at_idx ON public.attempt USING btree (run_id, created_at);
CREATE INDEX attempt_session_id_idx ON public.attempt USING btree (session_id);
CREATE UNIQUE INDEX attempt_task_id_number_key ON public.attempt USING btree (task_id, number);
CREATE INDEX attempt_unsettled_meter ON public.attempt USING btree (id) WHERE (meter = ANY (ARRAY['open'::text, 'unknown'::text]));
CREATE INDEX change_run_id_id_idx ON public.change USING btree (run_id, id) WHERE (task_id IS NULL);
CREATE INDEX change_task_id_id_idx ON public.change USING btree (task_id, id);
CREATE UNIQUE INDEX cognitive_checkpoint_attempt_id_seq_timing_key ON public.cognitive_checkpoint USING btree (attempt_id, seq, timing);
CREATE UNIQUE INDEX landing_confirmed_key ON public.landing USING btree (task_id) WHERE (confirmed_at IS NOT NULL);
CREATE UNIQUE INDEX landing_open_key ON public.landing USING btree (lane_id, place) WHERE ((confirmed_at IS NULL) AND (abandoned_at IS NULL));
CREATE INDEX landing_run_id_idx ON public.landing USING btree (run_id);
CREATE INDEX landing_task_id_idx ON public.landing USING btree (task_id);
CREATE UNIQUE INDEX lane_repo_id_target_key ON public.lane USING btree (repo_id, target);
CREATE INDEX log_entry_seen_idx ON public.log_entry USING btree (seen);
CREATE INDEX path_lock_session_id_idx ON public.path_lock USING btree (session_id);
CREATE INDEX pull_request_run_id_idx ON public.pull_request USING btree (run_id);
CREATE INDEX pull_request_task_id_idx ON public.pull_request USING btree (task_id);
CREATE UNIQUE INDEX repo_place_key ON public.repo USING btree (location, COALESCE(host, ''::text));
CREATE INDEX run_created_at_id_idx ON public.run USING btree (created_at, id);
CREATE UNIQUE INDEX run_slug_key ON public.run USING btree (slug);
CREATE UNIQUE INDEX slot_session_id_key ON public.slot USING btree (session_id);
CREATE UNIQUE INDEX step_key_key ON public.step USING btree (key);
CREATE INDEX task_created_at_id_idx ON public.task USING btree (created_at, id);
CREATE INDEX task_dependency_depends_on_id_idx ON public.task_dependency USING btree (depends_on_id);
CREATE UNIQUE INDEX task_idempotency_key ON public.task USING btree (run_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX task_parent_id_idx ON public.task USING btree (parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX task_ready_idx ON public.task USING btree (rank, id) WHERE ready;
CREATE INDEX task_ready_run_idx ON public.task USING btree (run_id, rank, id) WHERE ready;
CREATE UNIQUE INDEX task_run_id_key_key ON public.task USING btree (run_id, key);
CREATE INDEX task_run_id_stage_idx ON public.task USING btree (run_id, stage);
CREATE INDEX task_upkeep_idx ON public.task USING btree (stage, repo_id, run_id) WHERE ((stage = ANY (ARRAY['DONE'::text, 'ORPHANED'::text, 'WAITING_FOR_SUBTASKS'::text, 'BLOCKED'::text])) OR (cancel_requested AND (NOT settled)) OR (not_before IS NOT NULL) OR (paths_wanted_since IS NOT NULL));
CREATE UNIQUE INDEX trigger_delivery_source_delivery_id_key ON public.trigger_delivery USING btree (source, delivery_id);
CREATE INDEX verdict_tampered_idx ON public.verdict USING btree (attempt_id) WHERE jsonb_path_exists(results, '$[*]?((@."name" == "tamper" || @."name" == "weakened") && @."passed" == false)'::jsonpath);
CREATE INDEX verdict_task_id_idx ON public.verdict USING btree (task_id);
CREATE INDEX verdict_tree_checks_hash_idx ON public.verdict USING btree (tree, checks_hash);

CREATE VIEW baton_unlogged (id bigint, at timestamp(6) with time zone, step smallint, run_id uuid, task_id uuid, attempt_id uuid, session_id uuid, tasks uuid[], task_seq integer, turn_seq integer, agent_seq integer, execution_seq integer, run_seq integer, note integer, number integer, fence bigint, actor text, reason text, transition_reason text, abort_reason text, extra jsonb);
CREATE VIEW lifecycle_event (id bigint, n integer, machine text, version integer, entity_id uuid, run_id uuid, task_id uuid, seq integer, note integer, from_state text, to_state text, event text, alias text, kind text, actor text, reason text, transition_reason text, abort_reason text, trigger text, metadata jsonb, at timestamp with time zone);

CREATE FUNCTION baton_accept_delivery(request jsonb) RETURNS jsonb LANGUAGE plpgsql;
CREATE FUNCTION baton_accept_delivery_as_set(request jsonb) RETURNS jsonb LANGUAGE plpgsql;
CREATE FUNCTION baton_add(request jsonb) RETURNS json LANGUAGE plpgsql;
CREATE FUNCTION baton_add_as_set(request jsonb) RETURNS json LANGUAGE plpgsql;
CREATE FUNCTION baton_add_steps(v_steps smallint[], v_keys text[], v_past boolean) RETURNS void LANGUAGE plpgsql;
CREATE FUNCTION baton_add_tasks(tasks jsonb, edges jsonb, by jsonb) RETURNS json LANGUAGE plpgsql;
CREATE FUNCTION baton_admit(req change_request) RETURNS void LANGUAGE plpgsql;
CREATE FUNCTION baton_archivable(older_than interval, most integer) RETURNS SETOF bigint LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_archive(v_ids bigint[]) RETURNS jsonb LANGUAGE plpgsql;
CREATE FUNCTION baton_at_rest(c change, cutoff timestamp with time zone) RETURNS boolean LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_book_bounds(attempts uuid[]) RETURNS void LANGUAGE plpgsql;
CREATE FUNCTION baton_book_usage(v_attempt uuid, v_offset bigint, v_usage jsonb, v_cost bigint) RETURNS jsonb LANGUAGE plpgsql;
CREATE FUNCTION baton_cascade_cancel(cancelled uuid) RETURNS uuid[] LANGUAGE plpgsql;
CREATE FUNCTION baton_change(req change_request) RETURNS jsonb LANGUAGE plpgsql;
CREATE FUNCTION baton_change_as_set(req change_request) RETURNS jsonb LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan;
CREATE FUNCTION baton_changes_of(v_entity uuid) RETURNS SETOF bigint LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_check_agent_session_execution_state() RETURNS trigger LANGUAGE plpgsql;
CREATE FUNCTION baton_check_agent_session_status() RETURNS trigger LANGUAGE plpgsql;
CREATE FUNCTION baton_check_attempt_turn_status() RETURNS trigger LANGUAGE plpgsql;
CREATE FUNCTION baton_check_change() RETURNS trigger LANGUAGE plpgsql;
CREATE FUNCTION baton_check_entry() RETURNS trigger LANGUAGE plpgsql;
CREATE FUNCTION baton_check_run_status() RETURNS trigger LANGUAGE plpgsql;
CREATE FUNCTION baton_check_task_status() RETURNS trigger LANGUAGE plpgsql;
CREATE FUNCTION baton_claim(req claim_request) RETURNS json LANGUAGE plpgsql;
CREATE FUNCTION baton_claim_as_set(req claim_request) RETURNS json LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET plan_cache_mode = force_generic_plan;
CREATE FUNCTION baton_claim_head(request jsonb) RETURNS SETOF task LANGUAGE plpgsql;
CREATE FUNCTION baton_claim_many(req claim_set_request) RETURNS json LANGUAGE plpgsql;
CREATE FUNCTION baton_claim_many_as_set(req claim_set_request) RETURNS json LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan;
CREATE FUNCTION baton_claim_mates(head task, v_max integer) RETURNS jsonb LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_cost_left(t task) RETURNS bigint LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_cost_unbooked(t task) RETURNS bigint LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_create(request jsonb) RETURNS jsonb LANGUAGE plpgsql;
CREATE FUNCTION baton_create_as_set(request jsonb) RETURNS jsonb LANGUAGE plpgsql;
CREATE FUNCTION baton_default_cost(scope text) RETURNS bigint LANGUAGE sql IMMUTABLE;
CREATE FUNCTION baton_earlier(v_task uuid, before integer) RETURNS json LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_end_waits(v_run uuid, causes text[]) RETURNS integer LANGUAGE plpgsql;
CREATE FUNCTION baton_events(c change) RETURNS TABLE(id bigint, n integer, machine text, version integer, entity_id uuid, run_id uuid, task_id uuid, seq integer, note integer, from_state text, to_state text, event text, alias text, kind text, actor text, reason text, transition_reason text, abort_reason text, trigger text, metadata jsonb, at timestamp with time zone) LANGUAGE sql STABLE;
CREATE FUNCTION baton_feed_due() RETURNS integer LANGUAGE plpgsql;
CREATE FUNCTION baton_free_reservations(attempts uuid[]) RETURNS void LANGUAGE plpgsql;
CREATE FUNCTION baton_have_repo(place jsonb) RETURNS uuid LANGUAGE plpgsql;
CREATE FUNCTION baton_hold_runs(ids uuid[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
CREATE FUNCTION baton_is_chained(steps smallint[], tasks uuid[], attempts uuid[], sessions uuid[], task_seqs integer[], turn_seqs integer[], agent_seqs integer[], execution_seqs integer[]) RETURNS boolean LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_is_initial(state text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION baton_keep_archived() RETURNS trigger LANGUAGE plpgsql;
CREATE FUNCTION baton_keep_change() RETURNS trigger LANGUAGE plpgsql;
CREATE FUNCTION baton_keep_events() RETURNS trigger LANGUAGE plpgsql;
CREATE FUNCTION baton_leaf(c change) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE;
CREATE FUNCTION baton_leave() RETURNS trigger LANGUAGE plpgsql;
CREATE FUNCTION baton_leaves(entry log_entry) RETURNS TABLE(id bigint, start bigint, size integer, leaf bytea) LANGUAGE plpgsql STABLE PARALLEL SAFE;
CREATE FUNCTION baton_lineage(v_task uuid) RETURNS jsonb LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_link(previous bytea, next bigint, leaves bytea) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION baton_log(most integer, waits boolean DEFAULT false) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
CREATE FUNCTION baton_made_by_rules(rules text[]) RETURNS bigint LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_may_claim(workers text[]) RETURNS boolean LANGUAGE plpgsql;
CREATE FUNCTION baton_missed(what text, ids uuid[], places integer[], entities uuid[]) RETURNS void LANGUAGE plpgsql;
CREATE FUNCTION baton_moves_of(v_steps smallint[], v_keys text[]) RETURNS SETOF step_move LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_must_follow(v_machine text, v_entity uuid, v_seq integer, moves integer, v_from text) RETURNS void LANGUAGE plpgsql;
CREATE FUNCTION baton_must_have_landed(v_task uuid) RETURNS void LANGUAGE plpgsql;
CREATE FUNCTION baton_must_have_seen(v_run uuid, seen text) RETURNS void LANGUAGE plpgsql;
CREATE FUNCTION baton_newest(v_machine text, v_entity uuid) RETURNS TABLE(seq integer, note integer, state text) LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_number_transaction() RETURNS trigger LANGUAGE plpgsql;
CREATE FUNCTION baton_path_ranges(v_run uuid, files text[]) RETURNS textmultirange LANGUAGE sql STABLE PARALLEL SAFE;
CREATE FUNCTION baton_paths_free(v_run uuid, v_files text[], v_rank timestamp with time zone) RETURNS boolean LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_predecessors(v_task uuid) RETURNS json LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_recheck_budget(v_run uuid) RETURNS void LANGUAGE plpgsql;
CREATE FUNCTION baton_refresh_claimable(run uuid) RETURNS integer LANGUAGE plpgsql;
CREATE FUNCTION baton_release_dependents(closed uuid) RETURNS integer LANGUAGE plpgsql;
CREATE FUNCTION baton_reserve(t task, attempt uuid) RETURNS boolean LANGUAGE plpgsql;
CREATE FUNCTION baton_reserve_all(ids uuid[], attempts uuid[], capped uuid[]) RETURNS boolean LANGUAGE plpgsql;
CREATE FUNCTION baton_reserve_at_work(v_run uuid) RETURNS void LANGUAGE plpgsql;
CREATE FUNCTION baton_run_money(v_run uuid) RETURNS jsonb LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_run_open(v_run uuid) RETURNS boolean LANGUAGE plpgsql;
CREATE FUNCTION baton_seal() RETURNS trigger LANGUAGE plpgsql;
CREATE FUNCTION baton_set_budget(request jsonb) RETURNS jsonb LANGUAGE plpgsql;
CREATE FUNCTION baton_set_worker(v_worker text, v_status text) RETURNS boolean LANGUAGE plpgsql;
CREATE FUNCTION baton_size(c change) RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE;
CREATE FUNCTION baton_spend(v_run uuid, v_cost bigint, v_covered bigint) RETURNS budget LANGUAGE plpgsql;
CREATE FUNCTION baton_step(v_key text) RETURNS smallint LANGUAGE plpgsql STABLE;
CREATE FUNCTION baton_sum(sizes integer[]) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION baton_texts(list jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE;
CREATE FUNCTION baton_unchecked() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE;
CREATE FUNCTION baton_worker_key(v_worker text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION baton_write_note(task_id uuid, note jsonb) RETURNS void LANGUAGE plpgsql;

CREATE TRIGGER agent_session_execution_state AFTER INSERT OR UPDATE OF execution_state, execution_seq ON public.agent_session FOR EACH ROW WHEN ((current_setting('baton.checked'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION baton_check_agent_session_execution_state();
CREATE TRIGGER agent_session_status AFTER INSERT OR UPDATE OF status, status_seq ON public.agent_session FOR EACH ROW WHEN ((current_setting('baton.checked'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION baton_check_agent_session_status();
CREATE TRIGGER archived_change_keep BEFORE DELETE OR UPDATE OR TRUNCATE ON public.archived_change FOR EACH STATEMENT EXECUTE FUNCTION baton_keep_events();
CREATE TRIGGER archived_change_leave BEFORE INSERT ON public.archived_change FOR EACH ROW EXECUTE FUNCTION baton_leave();
CREATE TRIGGER archived_entity_keep BEFORE DELETE OR UPDATE ON public.archived_entity FOR EACH ROW EXECUTE FUNCTION baton_keep_archived();
CREATE TRIGGER archived_entity_keep_all BEFORE TRUNCATE ON public.archived_entity FOR EACH STATEMENT EXECUTE FUNCTION baton_keep_events();
CREATE TRIGGER attempt_turn_status AFTER INSERT OR UPDATE OF turn_status, turn_seq ON public.attempt FOR EACH ROW WHEN ((current_setting('baton.checked'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION baton_check_attempt_turn_status();
CREATE TRIGGER change_check BEFORE INSERT ON public.change FOR EACH ROW WHEN ((current_setting('baton.checked'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION baton_check_change();
CREATE TRIGGER change_keep BEFORE DELETE OR UPDATE ON public.change FOR EACH ROW EXECUTE FUNCTION baton_keep_change();
CREATE TRIGGER change_keep_all BEFORE TRUNCATE ON public.change FOR EACH STATEMENT EXECUTE FUNCTION baton_keep_events();
CREATE TRIGGER change_transaction BEFORE INSERT ON public.change FOR EACH STATEMENT EXECUTE FUNCTION baton_number_transaction();
CREATE TRIGGER log_entry_check BEFORE INSERT ON public.log_entry FOR EACH ROW EXECUTE FUNCTION baton_check_entry();
CREATE TRIGGER log_entry_keep BEFORE DELETE OR UPDATE OR TRUNCATE ON public.log_entry FOR EACH STATEMENT EXECUTE FUNCTION baton_keep_events();
CREATE TRIGGER run_status AFTER INSERT OR UPDATE OF status, seq ON public.run FOR EACH ROW WHEN ((current_setting('baton.checked'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION baton_check_run_status();
CREATE TRIGGER step_seal BEFORE INSERT OR DELETE OR UPDATE ON public.step FOR EACH ROW EXECUTE FUNCTION baton_seal();
CREATE TRIGGER step_seal_all BEFORE TRUNCATE ON public.step FOR EACH STATEMENT EXECUTE FUNCTION baton_seal();
CREATE TRIGGER step_move_seal BEFORE INSERT OR DELETE OR UPDATE ON public.step_move FOR EACH ROW EXECUTE FUNCTION baton_seal();
CREATE TRIGGER step_move_seal_all BEFORE TRUNCATE ON public.step_move FOR EACH STATEMENT EXECUTE FUNCTION baton_seal();
CREATE TRIGGER task_status AFTER INSERT OR UPDATE OF status, version ON public.task FOR EACH ROW WHEN ((current_setting('baton.checked'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION baton_check_task_status();
