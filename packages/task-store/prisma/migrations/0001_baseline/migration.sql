-- The whole schema, assembled from packages/task-store/sql by scripts/write-sql.ts; a test holds both equal. Don't edit.

-- Runs, tasks, attempts and sessions, what they hold and their history: tables as prisma/schema.prisma names them,
-- with what Prisma cannot say.

-- Half-open ranges of paths; collation C, so that a prefix is a range whatever the database's locale.
CREATE TYPE textrange AS RANGE (subtype = text, collation = "C");

CREATE TABLE "repo" (
    "id" UUID NOT NULL,
    "location" TEXT NOT NULL,
    "host" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "repo_pkey" PRIMARY KEY ("id")
);
-- One repository per place; a path means another one on another host.
CREATE UNIQUE INDEX "repo_place_key" ON "repo" ("location", coalesce("host", ''));

CREATE TABLE "run" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "repo_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "seq" INTEGER NOT NULL DEFAULT 0,
    "target" TEXT NOT NULL,
    "base_commit" TEXT,
    "batch_size" INTEGER NOT NULL,
    "max_agents" INTEGER,
    "trust" TEXT NOT NULL,
    "review" BOOLEAN NOT NULL,
    "gates" JSONB NOT NULL,
    "gates_hash" TEXT NOT NULL,
    "allow_red" TEXT[],
    "workspace" JSONB,
    "agents" JSONB NOT NULL,
    "default_agent" JSONB,
    "routing" JSONB,
    "plan" JSONB,
    "standing" BOOLEAN NOT NULL DEFAULT false,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "run_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "run_slug_key" ON "run"("slug");
CREATE INDEX "run_created_at_id_idx" ON "run"("created_at", "id");

-- `max_attempts`: attempts in all, for a task and what it is split into, before a person decides; null: the default.
CREATE TABLE "task" (
    "id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "repo_id" UUID NOT NULL,
    "host" TEXT,
    "parent_id" UUID,
    "key" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "goal" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "complexity" TEXT NOT NULL,
    "risk" TEXT NOT NULL,
    "priority" INTEGER NOT NULL,
    "files" TEXT[],
    "context" TEXT[],
    "signals" JSONB NOT NULL,
    "agent" JSONB,
    "model" TEXT,
    "effort" TEXT,
    "labels" TEXT[],
    "rank" TIMESTAMPTZ(6) NOT NULL,
    "max_retries" INTEGER NOT NULL,
    "max_attempts" INTEGER,
    "deadline_at" TIMESTAMPTZ(6),
    "timeout_ms" INTEGER,
    "max_cost_micro_usd" BIGINT,
    "approval" BOOLEAN NOT NULL DEFAULT false,
    "allow_red" TEXT[],
    "idempotency_key" TEXT,
    "source" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- What moves stands together: the log of an update has what lies between the first and the last byte that changed.
    "status" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 0,
    "fence" BIGINT NOT NULL DEFAULT 0,
    "pending_dependencies" INTEGER NOT NULL DEFAULT 0,
    "claimable" BOOLEAN NOT NULL DEFAULT false,
    "paths_wanted_since" TIMESTAMPTZ(6),
    "tries" INTEGER NOT NULL DEFAULT 0,
    "granted_tries" INTEGER NOT NULL DEFAULT 0,
    "conflicts" INTEGER NOT NULL DEFAULT 0,
    "continue_from" JSONB,
    "setbacks" INTEGER NOT NULL DEFAULT 0,
    "settled" BOOLEAN NOT NULL DEFAULT false,
    "not_before" TIMESTAMPTZ(6),
    "blocked_on" JSONB,
    "cancel_requested" BOOLEAN NOT NULL DEFAULT false,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- May a worker claim it now? The one text of this rule: docs/spec/store.md#ready.
    "ready" BOOLEAN GENERATED ALWAYS AS ("status" = 'OPEN' AND "pending_dependencies" = 0 AND "claimable"
      AND NOT "cancel_requested") STORED,
    -- The status as indexes have it: IN_PROGRESS counts as CLAIMED, so that an agent's start needs no index entries.
    "stage" TEXT GENERATED ALWAYS AS (CASE "status" WHEN 'IN_PROGRESS' THEN 'CLAIMED' ELSE "status" END) STORED,

    CONSTRAINT "task_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "task" ADD CONSTRAINT "task_pending_not_negative" CHECK ("pending_dependencies" >= 0);
-- Room in the page, so that a change of state needs no new index entries.
ALTER TABLE "task" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
CREATE INDEX "task_run_id_stage_idx" ON "task"("run_id", "stage");
CREATE INDEX "task_created_at_id_idx" ON "task"("created_at", "id");
CREATE UNIQUE INDEX "task_run_id_key_key" ON "task"("run_id", "key");
-- Exactly the claim's order over exactly the ready tasks, at large and of one run.
CREATE INDEX "task_ready_idx" ON "task" ("rank", "id") WHERE "ready";
CREATE INDEX "task_ready_run_idx" ON "task" ("run_id", "rank", "id") WHERE "ready";
-- Each partial index costs every write of the table its predicate: one for all that upkeep looks for.
CREATE INDEX task_upkeep_idx ON task (stage, repo_id, run_id)
  WHERE stage IN ('DONE', 'ORPHANED', 'WAITING_FOR_SUBTASKS', 'BLOCKED')
  OR (cancel_requested AND NOT settled) OR not_before IS NOT NULL OR paths_wanted_since IS NOT NULL;
CREATE INDEX task_parent_id_idx ON task (parent_id) WHERE parent_id IS NOT NULL;
CREATE UNIQUE INDEX task_idempotency_key ON task (run_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

CREATE TABLE "task_dependency" (
    "task_id" UUID NOT NULL,
    "depends_on_id" UUID NOT NULL,
    "satisfied" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "task_dependency_pkey" PRIMARY KEY ("task_id","depends_on_id")
);
CREATE INDEX "task_dependency_depends_on_id_idx" ON "task_dependency"("depends_on_id");

-- `meter`: how much of its spending is known. `none` (nothing that costs has begun), `open` (at work: what it spent
-- since its last report is not known), `measured` (all reported), `unknown` (over, and not all reported),
-- `unmeasured` (the same, and booked at its bound). `metered_reviewer`: the reviewer for which the meter was opened
-- last, null: the author. `head_place`: where the head of finished work lies:
-- {"at":"repository","ref"} for a ref of the target's repository, {"at":"clone","host","path","ref"} for a worker's
-- own clone. `head_missed`: worker → from when on it may have the attempt again, in seconds since 1970. `review`: what
-- a reviewer said of its change (`review` in @baton/contracts).
CREATE TABLE "attempt" (
    "id" UUID NOT NULL,
    "task_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "session_id" UUID,
    "number" INTEGER NOT NULL,
    "place" INTEGER NOT NULL DEFAULT 1,
    "base_commit" TEXT,
    "start_commit" TEXT,
    -- What moves stands together, as in task.
    "counted" BOOLEAN NOT NULL DEFAULT false,
    "fence" BIGINT NOT NULL,
    "worker_id" TEXT,
    "lease_expires_at" TIMESTAMPTZ(6),
    "turn_status" TEXT NOT NULL DEFAULT 'IDLE',
    "turn_seq" INTEGER NOT NULL DEFAULT 0,
    "open_tools" INTEGER NOT NULL DEFAULT 0,
    "head_commit" TEXT,
    "summary" TEXT,
    "outcome" TEXT,
    "abort_reason" TEXT,
    "rejections" TEXT[],
    "salvage_ref" TEXT,
    "orphaned_at" TIMESTAMPTZ(6),
    "orphan_counts" BOOLEAN NOT NULL DEFAULT false,
    "done_at" TIMESTAMPTZ(6),
    "route" JSONB,
    "input_tokens" BIGINT NOT NULL DEFAULT 0,
    "output_tokens" BIGINT NOT NULL DEFAULT 0,
    "cost_micro_usd" BIGINT NOT NULL DEFAULT 0,
    "cost_estimated" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(6),
    meter text NOT NULL DEFAULT 'none',
    unmeasured_micro_usd bigint NOT NULL DEFAULT 0,
    unmeasured_reason text,
    metered_reviewer text,
    "head_place" JSONB,
    "head_missed" JSONB,
    "head_missing_since" TIMESTAMPTZ(6),
    "head_missing_text" TEXT,
    "review" JSONB,

    CONSTRAINT "attempt_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "attempt" ADD CONSTRAINT attempt_meter CHECK (meter IN ('none', 'open', 'measured', 'unknown',
  'unmeasured'));
-- Room in the page, so that a change of state needs no new index entries: an attempt becomes twice as long.
ALTER TABLE "attempt" SET (fillfactor = 35);
CREATE INDEX "attempt_session_id_idx" ON "attempt"("session_id");
CREATE INDEX "attempt_run_id_created_at_idx" ON "attempt"("run_id", "created_at");
CREATE UNIQUE INDEX "attempt_task_id_number_key" ON "attempt"("task_id", "number");
-- One live lease per task. What a worker holds is found among these, too: an index of its own would make giving up the
-- lease cost an entry in each index of the table.
CREATE UNIQUE INDEX "attempt_open_key" ON "attempt" ("task_id") WHERE "ended_at" IS NULL;
CREATE INDEX attempt_unsettled_meter ON attempt (id) WHERE meter IN ('open', 'unknown');

CREATE TABLE "agent_session" (
    "id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "worker_id" TEXT NOT NULL,
    "adapter" TEXT NOT NULL DEFAULT '',
    "model" TEXT,
    "pid" INTEGER,
    "pid_started" TEXT,
    "host" TEXT NOT NULL,
    "parent_session_id" UUID,
    "current_attempt_id" UUID,
    "activity" TEXT,
    "status" TEXT,
    "status_seq" INTEGER NOT NULL DEFAULT -1,
    "execution_state" TEXT NOT NULL DEFAULT 'pending',
    "execution_seq" INTEGER NOT NULL DEFAULT 0,
    "exit_code" INTEGER,
    "abort_reason" TEXT,
    "workspace" TEXT,
    "deadline_at" TIMESTAMPTZ(6),
    "last_sign_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(6),

    CONSTRAINT "agent_session_pkey" PRIMARY KEY ("id")
);
-- Room in the page, so that a change of state needs no new index entries.
ALTER TABLE "agent_session" SET (fillfactor = 60);
CREATE INDEX "agent_session_run_id_created_at_idx" ON "agent_session"("run_id", "created_at");
CREATE INDEX "agent_session_live_idx" ON "agent_session" ("worker_id") WHERE "ended_at" IS NULL;

CREATE TABLE "slot" (
    "run_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "session_id" UUID NOT NULL,

    CONSTRAINT "slot_pkey" PRIMARY KEY ("run_id","number")
);
CREATE UNIQUE INDEX "slot_session_id_key" ON "slot"("session_id");

CREATE TABLE "path_lock" (
    "id" BIGSERIAL NOT NULL,
    "session_id" UUID NOT NULL,
    "range" textrange NOT NULL,

    CONSTRAINT "path_lock_pkey" PRIMARY KEY ("id")
);
-- No two batches own overlapping paths.
ALTER TABLE "path_lock" ADD CONSTRAINT "path_lock_disjoint" EXCLUDE USING gist ("range" WITH &&);
CREATE INDEX "path_lock_session_id_idx" ON "path_lock"("session_id");

-- The record: the dictionary of steps, the changes that name them, and the log over the changes. Rules:
-- docs/spec/store.md#record.

-- The dictionary of steps: the moves that one fact brings about for a task with its attempt and session. `key`: the
-- moves in order, each as machine|from|event|alias|to|kind|trigger|reason. For each machine: where it must stand, where
-- it stands afterwards, and how many moves it makes. `past`: a single move, as records before version 3 have them.
CREATE TABLE "step" (
    "id" SMALLINT NOT NULL,
    "key" TEXT NOT NULL,
    "past" BOOLEAN NOT NULL,
    "size" SMALLINT NOT NULL,
    "task_from" TEXT,
    "task_to" TEXT,
    "task_moves" SMALLINT NOT NULL,
    "turn_from" TEXT,
    "turn_to" TEXT,
    "turn_moves" SMALLINT NOT NULL,
    "agent_from" TEXT,
    "agent_to" TEXT,
    "agent_moves" SMALLINT NOT NULL,
    "execution_from" TEXT,
    "execution_to" TEXT,
    "execution_moves" SMALLINT NOT NULL,
    "run_from" TEXT,
    "run_to" TEXT,
    "run_moves" SMALLINT NOT NULL,

    CONSTRAINT "step_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "step_key_key" ON "step"("key");

-- The moves of each step. `back`: how many moves of the same machine follow; `carries`: it has the change's metadata.
CREATE TABLE "step_move" (
    "step" SMALLINT NOT NULL,
    "n" SMALLINT NOT NULL,
    "machine" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "from_state" TEXT,
    "event" TEXT,
    "alias" TEXT,
    "to_state" TEXT,
    "kind" TEXT NOT NULL,
    "trigger" TEXT,
    "transition_reason" TEXT,
    "back" SMALLINT NOT NULL,
    "carries" BOOLEAN NOT NULL,

    CONSTRAINT "step_move_pkey" PRIMARY KEY ("step","n")
);

-- The record: one append-only row for each fact and task. The numbers say where each machine stands afterwards; null:
-- it did not move. `tasks`: tasks that were created as one set. `note`: a refused or late report, which moves nothing.
CREATE TABLE "change" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "step" SMALLINT NOT NULL,
    "run_id" UUID,
    "task_id" UUID,
    "attempt_id" UUID,
    "session_id" UUID,
    "tasks" UUID[],
    "task_seq" INTEGER,
    "turn_seq" INTEGER,
    "agent_seq" INTEGER,
    "execution_seq" INTEGER,
    "run_seq" INTEGER,
    "note" INTEGER,
    "number" INTEGER,
    "fence" BIGINT,
    "actor" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "transition_reason" TEXT,
    "abort_reason" TEXT,
    "extra" JSONB,

    CONSTRAINT "change_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "change_task_id_id_idx" ON "change"("task_id", "id");
-- What is about no one task: runs, sets of new tasks, sessions that hold nothing.
CREATE INDEX "change_run_id_id_idx" ON "change"("run_id", "id") WHERE "task_id" IS NULL;

-- The log over the record. An entry gives the moves of the changes `ids`, `sizes` of each, the positions from `first`
-- up to `next` (exclusive) and chains digests of the changes: 32 bytes of `leaves` each. `seen`: the highest id that
-- was looked at so far.
CREATE TABLE "log_entry" (
    "first" BIGINT NOT NULL,
    "next" BIGINT NOT NULL,
    "seen" BIGINT NOT NULL,
    "ids" BIGINT[] NOT NULL,
    "sizes" INTEGER[] NOT NULL,
    "leaves" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "log_entry_pkey" PRIMARY KEY ("next")
);
CREATE INDEX "log_entry_seen_idx" ON "log_entry"("seen");

-- Ids below `seen` that were not there: of transactions that had not committed yet, or that were rolled back. None of
-- them can come any more once every transaction before `until` is over.
CREATE TABLE "log_gap" (
    "id" BIGSERIAL NOT NULL,
    "ids" INT8MULTIRANGE NOT NULL,
    "until" XID8 NOT NULL,

    CONSTRAINT "log_gap_pkey" PRIMARY KEY ("id")
);

-- The other tables: verdicts and landings, money, workers, what comes from outside and what is remembered of it.

CREATE TABLE "agent_event" (
    "id" BIGSERIAL NOT NULL,
    "session_id" UUID NOT NULL,
    "attempt_id" UUID,
    "event" JSONB NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "agent_event_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "agent_event_session_id_id_idx" ON "agent_event"("session_id", "id");
CREATE INDEX "agent_event_attempt_id_id_idx" ON "agent_event"("attempt_id", "id");

CREATE TABLE "verdict" (
    "id" UUID NOT NULL,
    "attempt_id" UUID NOT NULL,
    "task_id" UUID NOT NULL,
    "tree" TEXT NOT NULL,
    "checks_hash" TEXT NOT NULL,
    "passed" BOOLEAN NOT NULL,
    "checks" TEXT NOT NULL,
    "results" JSONB NOT NULL,
    "reasons" TEXT[],
    "duration_ms" DOUBLE PRECISION NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "verdict_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "verdict_tree_checks_hash_idx" ON "verdict"("tree", "checks_hash");
CREATE INDEX "verdict_task_id_idx" ON "verdict"("task_id");
-- Signs of tampering, as refused work below, are few and never forgotten, however long the history.
CREATE INDEX "verdict_tampered_idx" ON "verdict" ("attempt_id")
  WHERE jsonb_path_exists("results", '$[*] ? ((@.name == "tamper" || @.name == "weakened") && @.passed == false)');

CREATE TABLE "base_verdict" (
    "run_id" UUID NOT NULL,
    "checks_hash" TEXT NOT NULL,
    "verdict" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "base_verdict_pkey" PRIMARY KEY ("run_id")
);

CREATE TABLE "lane" (
    "id" UUID NOT NULL,
    "repo_id" UUID NOT NULL,
    "target" TEXT NOT NULL,
    "epoch" BIGINT NOT NULL DEFAULT 0,
    "worker_id" TEXT,
    "lease_expires_at" TIMESTAMPTZ(6),
    "wait_cause" TEXT,
    "wait_text" TEXT,
    "wait_since" TIMESTAMPTZ(6),

    CONSTRAINT "lane_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "lane_repo_id_target_key" ON "lane"("repo_id", "target");

CREATE TABLE "landing" (
    "id" UUID NOT NULL,
    "lane_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "task_id" UUID NOT NULL,
    "attempt_id" UUID NOT NULL,
    "verdict_id" UUID NOT NULL,
    "epoch" BIGINT NOT NULL,
    "from_commit" TEXT NOT NULL,
    "candidate_commit" TEXT NOT NULL,
    "tree" TEXT NOT NULL,
    "holder" JSONB NOT NULL,
    "place" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "confirmed_at" TIMESTAMPTZ(6),
    "abandoned_at" TIMESTAMPTZ(6),
    "abandon_reason" TEXT,

    CONSTRAINT "landing_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "landing_task_id_idx" ON "landing"("task_id");
CREATE INDEX "landing_run_id_idx" ON "landing"("run_id");
-- The open intents of a lane are those of one train, in its order: the next holder settles them first.
CREATE UNIQUE INDEX "landing_open_key" ON "landing" ("lane_id", "place")
  WHERE "confirmed_at" IS NULL AND "abandoned_at" IS NULL;
CREATE UNIQUE INDEX "landing_confirmed_key" ON "landing" ("task_id") WHERE "confirmed_at" IS NOT NULL;

-- The request of an attempt at its code host: one at most. `commits`: all that was ever to be pushed for it, oldest
-- first.
CREATE TABLE "pull_request" (
    "attempt_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "task_id" UUID NOT NULL,
    "branch" TEXT NOT NULL,
    "commits" TEXT[] NOT NULL,
    "onto" TEXT,
    "state" TEXT NOT NULL,
    "number" INTEGER,
    "url" TEXT,
    "merge_commit" TEXT,
    "red" TEXT,
    "trouble" TEXT,
    "troubles" INTEGER NOT NULL DEFAULT 0,
    "look_at" TIMESTAMPTZ(6) NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pull_request_pkey" PRIMARY KEY ("attempt_id"),
    CONSTRAINT "pull_request_state" CHECK ("state" IN ('opening', 'open', 'merged', 'closed'))
);
CREATE INDEX "pull_request_run_id_idx" ON "pull_request"("run_id");
CREATE INDEX "pull_request_task_id_idx" ON "pull_request"("task_id");

CREATE TABLE "approval" (
    "id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "task_id" UUID NOT NULL,
    "attempt_id" UUID NOT NULL,
    "reason" TEXT NOT NULL,
    "head_commit" TEXT NOT NULL,
    "patch_id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'waiting',
    "decided_by" TEXT,
    "decision_reason" TEXT,
    "nonce" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "decided_at" TIMESTAMPTZ(6),

    CONSTRAINT "approval_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "approval_run_id_idx" ON "approval"("run_id");
CREATE INDEX "approval_task_id_idx" ON "approval"("task_id");
CREATE INDEX "approval_rejected_idx" ON "approval" ("attempt_id") WHERE "status" = 'rejected';
CREATE UNIQUE INDEX "approval_waiting_key" ON "approval" ("task_id") WHERE "status" = 'waiting';

CREATE TABLE "usage_entry" (
    "attempt_id" UUID NOT NULL,
    "offset" BIGINT NOT NULL,
    "model" TEXT,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cache_read_tokens" BIGINT NOT NULL,
    "cache_write_tokens" BIGINT NOT NULL,
    "cost_micro_usd" BIGINT NOT NULL,
    "estimated" BOOLEAN NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    measured boolean NOT NULL DEFAULT true,
    reviewer text,
    CONSTRAINT "usage_entry_pkey" PRIMARY KEY ("attempt_id","offset")
);

-- `starved`: a task had no room; whatever frees money makes such tasks claimable again.
CREATE TABLE "budget" (
    "run_id" UUID NOT NULL,
    "cap_micro_usd" BIGINT,
    "spent_micro_usd" BIGINT NOT NULL DEFAULT 0,
    "reserved_micro_usd" BIGINT NOT NULL DEFAULT 0,
    "held" BOOLEAN NOT NULL DEFAULT false,
    starved boolean NOT NULL DEFAULT false,
    unmeasured_micro_usd bigint NOT NULL DEFAULT 0,
    unmeasured_attempts integer NOT NULL DEFAULT 0,

    CONSTRAINT "budget_pkey" PRIMARY KEY ("run_id")
);
ALTER TABLE "budget" ADD CONSTRAINT "budget_not_negative" CHECK ("reserved_micro_usd" >= 0 AND "spent_micro_usd" >= 0);

CREATE TABLE "reservation" (
    "attempt_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "amount_micro_usd" BIGINT NOT NULL,
    "left_micro_usd" BIGINT NOT NULL,

    CONSTRAINT "reservation_pkey" PRIMARY KEY ("attempt_id")
);

-- `withdrawn`: agents that this worker cannot start at present: [{"agent","reason","until"}]. `expected_conflicts`:
-- work in progress that would conflict if it landed as it is:
-- [{"attempts":[one,other or null],"target","files","more","since"}].
CREATE TABLE "worker" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "pid_started" TEXT NOT NULL,
    "boot_id" TEXT NOT NULL,
    "capacity" INTEGER NOT NULL,
    "labels" TEXT[],
    "version" TEXT NOT NULL,
    "run_id" UUID,
    "status" TEXT NOT NULL DEFAULT 'online',
    "heartbeat_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "withdrawn" JSONB NOT NULL DEFAULT '[]',
    "expected_conflicts" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "worker_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "trigger_delivery" (
    "id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "event" JSONB NOT NULL,
    "received_at" TIMESTAMPTZ(6) NOT NULL,
    "task_ids" UUID[],

    CONSTRAINT "trigger_delivery_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "trigger_delivery_source_delivery_id_key" ON "trigger_delivery"("source", "delivery_id");

CREATE TABLE "cursor" (
    "name" TEXT NOT NULL,
    "position" BIGINT NOT NULL,

    CONSTRAINT "cursor_pkey" PRIMARY KEY ("name")
);

CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(6),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

CREATE TABLE "store_identity" (
    "id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "store_identity_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "command" (
    "id" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "answer" JSONB NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "command_pkey" PRIMARY KEY ("id")
);

-- What of the history of an entity has left for the archive: `seqs` of its moves, and the last one of them.
CREATE TABLE archived_entity (
  "machine" TEXT NOT NULL,
  "entity_id" UUID NOT NULL,
  "seqs" INT4MULTIRANGE NOT NULL,
  "upto_seq" INTEGER NOT NULL,
  "state" TEXT NOT NULL,
  "events" INTEGER NOT NULL,
  CONSTRAINT "archived_entity_pkey" PRIMARY KEY ("machine", "entity_id")
);

-- The changes that left, by the files that they went to.
CREATE TABLE archived_change (
  "id" BIGSERIAL NOT NULL,
  "ids" INT8MULTIRANGE NOT NULL,
  "events" INTEGER NOT NULL,
  "archived_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "archived_change_pkey" PRIMARY KEY ("id")
);

-- Checkpoint logs of cognitive tasks: one row a checkpoint, in order; a move that is written twice counts once.
CREATE TABLE "cognitive_checkpoint" (
  "id" BIGSERIAL PRIMARY KEY,
  "attempt_id" UUID NOT NULL,
  "seq" INTEGER NOT NULL,
  "timing" TEXT NOT NULL,
  "checkpoint" JSONB NOT NULL,
  "at" TIMESTAMPTZ(6) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX "cognitive_checkpoint_attempt_id_seq_timing_key"
  ON "cognitive_checkpoint"("attempt_id", "seq", "timing");

-- Rows of the hot path are made from rows that were just read: keys to them would cost a look-up and a lock on a
-- shared row each.
ALTER TABLE "run" ADD CONSTRAINT "run_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repo"("id")
  ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "task" ADD CONSTRAINT "task_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "task"("id") ON DELETE
  SET NULL ON UPDATE CASCADE;
ALTER TABLE "task_dependency" ADD CONSTRAINT "task_dependency_task_id_fkey" FOREIGN KEY ("task_id")
  REFERENCES "task"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "task_dependency" ADD CONSTRAINT "task_dependency_depends_on_id_fkey" FOREIGN KEY ("depends_on_id")
  REFERENCES "task"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "path_lock" ADD CONSTRAINT "path_lock_session_id_fkey" FOREIGN KEY ("session_id")
  REFERENCES "agent_session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "base_verdict" ADD CONSTRAINT "base_verdict_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id")
  ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "lane" ADD CONSTRAINT "lane_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repo"("id")
  ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "usage_entry" ADD CONSTRAINT "usage_entry_attempt_id_fkey" FOREIGN KEY ("attempt_id")
  REFERENCES "attempt"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "budget" ADD CONSTRAINT "budget_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id")
  ON DELETE RESTRICT ON UPDATE CASCADE;

-- Made once per database; of several rows (never made by Baton) the smallest counts.
INSERT INTO "store_identity" ("id") VALUES (gen_random_uuid());

-- Written by scripts/write-sql.ts from the tables of @baton/fsm-core; a test holds both equal. Don't edit.

-- May an entity begin in this state?
CREATE FUNCTION baton_is_initial(state text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT state = ANY (ARRAY[
  'task|OPEN',
  'task|PLANNED',
  'agent|starting',
  'turn|IDLE',
  'cognitive|idle',
  'execution|pending',
  'run|running'
  ]);
$$;

-- The moves of every machine: machine|from|event|alias|to|kind.
CREATE TABLE machine_cell (
  key text PRIMARY KEY, machine text NOT NULL, version integer NOT NULL,
  from_state text, event text NOT NULL, alias text, to_state text NOT NULL, kind text NOT NULL);

INSERT INTO machine_cell (key, machine, version, from_state, event, alias, to_state, kind)
SELECT key, part[1], m.version, nullif(part[2], ''), part[3], nullif(part[4], ''), part[5], part[6]
  FROM unnest(ARRAY[
  'agent|idle|recycle||dead|move',
  'agent|idle|task_assigned||working|move',
  'agent|starting|ready||working|move',
  'agent|starting|spawn_failed||dead|move',
  'agent|working|task_finished||idle|move',
  'agent|working|terminate||dead|move',
  'cognitive|acting|STEP_COMPLETED||acting|move',
  'cognitive|acting|STEP_COMPLETED||completed|move',
  'cognitive|acting|STEP_COMPLETED||reasoning|move',
  'cognitive|acting|TASK_FAILED||failed|move',
  'cognitive|acting|TASK_SUSPENDED||suspended|move',
  'cognitive|acting|TOOL_CALL_COMPLETED||acting|move',
  'cognitive|acting|TOOL_CALL_COMPLETED||completed|move',
  'cognitive|acting|TOOL_CALL_COMPLETED||reasoning|move',
  'cognitive|acting|TOOL_CALL_FAILED||acting|move',
  'cognitive|acting|TOOL_CALL_FAILED||completed|move',
  'cognitive|acting|TOOL_CALL_FAILED||reasoning|move',
  'cognitive|idle|TASK_CREATED||reasoning|move',
  'cognitive|idle|TASK_FAILED||failed|move',
  'cognitive|reasoning|NEED_MORE_INFO||suspended|move',
  'cognitive|reasoning|REASON_DONE||acting|move',
  'cognitive|reasoning|TASK_FAILED||failed|move',
  'cognitive|reasoning|TASK_SUSPENDED||suspended|move',
  'cognitive|suspended|MESSAGE_RECEIVED||reasoning|move',
  'cognitive|suspended|TASK_FAILED||failed|move',
  'cognitive|suspended|TASK_RESUMED||acting|move',
  'cognitive|suspended|TASK_RESUMED||reasoning|move',
  'execution|busy|fail||failed|move',
  'execution|busy|finish||idle|move',
  'execution|busy|stop||stopped|move',
  'execution|busy|suspend||suspended|move',
  'execution|failed|restart||starting|move',
  'execution|idle|fail||failed|move',
  'execution|idle|prompt||busy|move',
  'execution|idle|stop||stopped|move',
  'execution|idle|suspend||suspended|move',
  'execution|pending|fail||failed|move',
  'execution|pending|start||starting|move',
  'execution|starting|connect||idle|move',
  'execution|starting|fail||failed|move',
  'execution|stopped|restart||starting|move',
  'execution|suspended|fail||failed|move',
  'execution|suspended|resume||busy|move',
  'execution|suspended|settle||idle|move',
  'execution|suspended|stop||stopped|move',
  'task|BLOCKED|cancel||CANCELLED|move',
  'task|BLOCKED|unblock||OPEN|move',
  'task|CLAIMED|block||BLOCKED|move',
  'task|CLAIMED|cancel||CANCELLED|move',
  'task|CLAIMED|complete||DONE|move',
  'task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move',
  'task|CLAIMED|fail||FAILED|move',
  'task|CLAIMED|release||OPEN|move',
  'task|CLAIMED|start||IN_PROGRESS|move',
  'task|DONE|request_approval||PENDING_APPROVAL|override',
  'task|DONE|verify_pass||CLOSED|move',
  'task|DONE|verify_reject||FAILED|move',
  'task|FAILED|retry||OPEN|move',
  'task|IN_PROGRESS|block||BLOCKED|move',
  'task|IN_PROGRESS|cancel||CANCELLED|move',
  'task|IN_PROGRESS|complete||DONE|move',
  'task|IN_PROGRESS|crash||ORPHANED|move',
  'task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move',
  'task|IN_PROGRESS|fail||FAILED|move',
  'task|IN_PROGRESS|release||OPEN|move',
  'task|OPEN|cancel||CANCELLED|move',
  'task|OPEN|claim||CLAIMED|move',
  'task|OPEN|decompose||WAITING_FOR_SUBTASKS|move',
  'task|ORPHANED|fail||FAILED|move',
  'task|ORPHANED|retry||OPEN|move',
  'task|ORPHANED|salvage||DONE|move',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override',
  'task|PLANNED|approve||OPEN|move',
  'task|PLANNED|reject||CANCELLED|move',
  'task|WAITING_FOR_SUBTASKS|cancel||CANCELLED|move',
  'task|WAITING_FOR_SUBTASKS|subtask_timeout||BLOCKED|move',
  'task|WAITING_FOR_SUBTASKS|subtasks_done||DONE|move',
  'turn|CLAIMING|agent_spawned||SPAWNING|move',
  'turn|CLAIMING|task_failed||FAILED|move',
  'turn|COMPACTING|task_failed||FAILED|move',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move',
  'turn|COMPACTING|verify_requested||RUNNING|move',
  'turn|COMPLETING|agent_reaped||REAPED|move',
  'turn|FAILED|agent_reaped||REAPED|move',
  'turn|IDLE|task_claimed||CLAIMING|move',
  'turn|RUNNING|compact_needed||COMPACTING|move',
  'turn|RUNNING|task_failed||FAILED|move',
  'turn|RUNNING|tool_started||TOOL_USE|move',
  'turn|RUNNING|verify_requested||VERIFYING|move',
  'turn|SPAWNING|agent_spawned||RUNNING|move',
  'turn|SPAWNING|task_failed||FAILED|move',
  'turn|TOOL_USE|task_failed||FAILED|move',
  'turn|TOOL_USE|tool_completed||RUNNING|move',
  'turn|VERIFYING|compact_needed||RUNNING|move',
  'turn|VERIFYING|task_completed||COMPLETING|move',
  'turn|VERIFYING|task_failed||FAILED|move',
  'task||created||OPEN|created',
  'task||created||PLANNED|created',
  'agent||created||starting|created',
  'turn||created||IDLE|created',
  'cognitive||created||idle|created',
  'execution||created||pending|created',
  'run||created||running|created',
  'run|cancelled|budget||cancelled|move',
  'run|cancelled|cancel||done|move',
  'run|cancelled|cancel||failed|move',
  'run|cancelled|cancel||paused|move',
  'run|cancelled|cancel||running|move',
  'run|cancelled|cancel||stuck|move',
  'run|cancelled|cancel||waiting|move',
  'run|cancelled|fail||done|move',
  'run|cancelled|fail||failed|move',
  'run|cancelled|fail||paused|move',
  'run|cancelled|fail||running|move',
  'run|cancelled|fail||stuck|move',
  'run|cancelled|fail||waiting|move',
  'run|cancelled|pause||done|move',
  'run|cancelled|pause||failed|move',
  'run|cancelled|pause||paused|move',
  'run|cancelled|pause||running|move',
  'run|cancelled|pause||stuck|move',
  'run|cancelled|pause||waiting|move',
  'run|cancelled|reopen||done|move',
  'run|cancelled|reopen||failed|move',
  'run|cancelled|reopen||paused|move',
  'run|cancelled|reopen||running|move',
  'run|cancelled|reopen||stuck|move',
  'run|cancelled|reopen||waiting|move',
  'run|cancelled|resume||done|move',
  'run|cancelled|resume||failed|move',
  'run|cancelled|resume||paused|move',
  'run|cancelled|resume||running|move',
  'run|cancelled|resume||stuck|move',
  'run|cancelled|resume||waiting|move',
  'run|cancelled|settle||done|move',
  'run|cancelled|settle||failed|move',
  'run|cancelled|settle||paused|move',
  'run|cancelled|settle||running|move',
  'run|cancelled|settle||stuck|move',
  'run|cancelled|settle||waiting|move',
  'run|done|budget||done|move',
  'run|done|cancel||cancelled|move',
  'run|done|cancel||failed|move',
  'run|done|cancel||paused|move',
  'run|done|cancel||running|move',
  'run|done|cancel||stuck|move',
  'run|done|cancel||waiting|move',
  'run|done|fail||cancelled|move',
  'run|done|fail||failed|move',
  'run|done|fail||paused|move',
  'run|done|fail||running|move',
  'run|done|fail||stuck|move',
  'run|done|fail||waiting|move',
  'run|done|pause||cancelled|move',
  'run|done|pause||failed|move',
  'run|done|pause||paused|move',
  'run|done|pause||running|move',
  'run|done|pause||stuck|move',
  'run|done|pause||waiting|move',
  'run|done|reopen||cancelled|move',
  'run|done|reopen||failed|move',
  'run|done|reopen||paused|move',
  'run|done|reopen||running|move',
  'run|done|reopen||stuck|move',
  'run|done|reopen||waiting|move',
  'run|done|resume||cancelled|move',
  'run|done|resume||failed|move',
  'run|done|resume||paused|move',
  'run|done|resume||running|move',
  'run|done|resume||stuck|move',
  'run|done|resume||waiting|move',
  'run|done|settle||cancelled|move',
  'run|done|settle||failed|move',
  'run|done|settle||paused|move',
  'run|done|settle||running|move',
  'run|done|settle||stuck|move',
  'run|done|settle||waiting|move',
  'run|failed|budget||failed|move',
  'run|failed|cancel||cancelled|move',
  'run|failed|cancel||done|move',
  'run|failed|cancel||paused|move',
  'run|failed|cancel||running|move',
  'run|failed|cancel||stuck|move',
  'run|failed|cancel||waiting|move',
  'run|failed|fail||cancelled|move',
  'run|failed|fail||done|move',
  'run|failed|fail||paused|move',
  'run|failed|fail||running|move',
  'run|failed|fail||stuck|move',
  'run|failed|fail||waiting|move',
  'run|failed|pause||cancelled|move',
  'run|failed|pause||done|move',
  'run|failed|pause||paused|move',
  'run|failed|pause||running|move',
  'run|failed|pause||stuck|move',
  'run|failed|pause||waiting|move',
  'run|failed|reopen||cancelled|move',
  'run|failed|reopen||done|move',
  'run|failed|reopen||paused|move',
  'run|failed|reopen||running|move',
  'run|failed|reopen||stuck|move',
  'run|failed|reopen||waiting|move',
  'run|failed|resume||cancelled|move',
  'run|failed|resume||done|move',
  'run|failed|resume||paused|move',
  'run|failed|resume||running|move',
  'run|failed|resume||stuck|move',
  'run|failed|resume||waiting|move',
  'run|failed|settle||cancelled|move',
  'run|failed|settle||done|move',
  'run|failed|settle||paused|move',
  'run|failed|settle||running|move',
  'run|failed|settle||stuck|move',
  'run|failed|settle||waiting|move',
  'run|paused|budget||paused|move',
  'run|paused|cancel||cancelled|move',
  'run|paused|cancel||done|move',
  'run|paused|cancel||failed|move',
  'run|paused|cancel||running|move',
  'run|paused|cancel||stuck|move',
  'run|paused|cancel||waiting|move',
  'run|paused|fail||cancelled|move',
  'run|paused|fail||done|move',
  'run|paused|fail||failed|move',
  'run|paused|fail||running|move',
  'run|paused|fail||stuck|move',
  'run|paused|fail||waiting|move',
  'run|paused|pause||cancelled|move',
  'run|paused|pause||done|move',
  'run|paused|pause||failed|move',
  'run|paused|pause||running|move',
  'run|paused|pause||stuck|move',
  'run|paused|pause||waiting|move',
  'run|paused|reopen||cancelled|move',
  'run|paused|reopen||done|move',
  'run|paused|reopen||failed|move',
  'run|paused|reopen||running|move',
  'run|paused|reopen||stuck|move',
  'run|paused|reopen||waiting|move',
  'run|paused|resume||cancelled|move',
  'run|paused|resume||done|move',
  'run|paused|resume||failed|move',
  'run|paused|resume||running|move',
  'run|paused|resume||stuck|move',
  'run|paused|resume||waiting|move',
  'run|paused|settle||cancelled|move',
  'run|paused|settle||done|move',
  'run|paused|settle||failed|move',
  'run|paused|settle||running|move',
  'run|paused|settle||stuck|move',
  'run|paused|settle||waiting|move',
  'run|running|budget||running|move',
  'run|running|cancel||cancelled|move',
  'run|running|cancel||done|move',
  'run|running|cancel||failed|move',
  'run|running|cancel||paused|move',
  'run|running|cancel||stuck|move',
  'run|running|cancel||waiting|move',
  'run|running|fail||cancelled|move',
  'run|running|fail||done|move',
  'run|running|fail||failed|move',
  'run|running|fail||paused|move',
  'run|running|fail||stuck|move',
  'run|running|fail||waiting|move',
  'run|running|pause||cancelled|move',
  'run|running|pause||done|move',
  'run|running|pause||failed|move',
  'run|running|pause||paused|move',
  'run|running|pause||stuck|move',
  'run|running|pause||waiting|move',
  'run|running|reopen||cancelled|move',
  'run|running|reopen||done|move',
  'run|running|reopen||failed|move',
  'run|running|reopen||paused|move',
  'run|running|reopen||stuck|move',
  'run|running|reopen||waiting|move',
  'run|running|resume||cancelled|move',
  'run|running|resume||done|move',
  'run|running|resume||failed|move',
  'run|running|resume||paused|move',
  'run|running|resume||stuck|move',
  'run|running|resume||waiting|move',
  'run|running|settle||cancelled|move',
  'run|running|settle||done|move',
  'run|running|settle||failed|move',
  'run|running|settle||paused|move',
  'run|running|settle||stuck|move',
  'run|running|settle||waiting|move',
  'run|stuck|budget||stuck|move',
  'run|stuck|cancel||cancelled|move',
  'run|stuck|cancel||done|move',
  'run|stuck|cancel||failed|move',
  'run|stuck|cancel||paused|move',
  'run|stuck|cancel||running|move',
  'run|stuck|cancel||waiting|move',
  'run|stuck|fail||cancelled|move',
  'run|stuck|fail||done|move',
  'run|stuck|fail||failed|move',
  'run|stuck|fail||paused|move',
  'run|stuck|fail||running|move',
  'run|stuck|fail||waiting|move',
  'run|stuck|pause||cancelled|move',
  'run|stuck|pause||done|move',
  'run|stuck|pause||failed|move',
  'run|stuck|pause||paused|move',
  'run|stuck|pause||running|move',
  'run|stuck|pause||waiting|move',
  'run|stuck|reopen||cancelled|move',
  'run|stuck|reopen||done|move',
  'run|stuck|reopen||failed|move',
  'run|stuck|reopen||paused|move',
  'run|stuck|reopen||running|move',
  'run|stuck|reopen||waiting|move',
  'run|stuck|resume||cancelled|move',
  'run|stuck|resume||done|move',
  'run|stuck|resume||failed|move',
  'run|stuck|resume||paused|move',
  'run|stuck|resume||running|move',
  'run|stuck|resume||waiting|move',
  'run|stuck|settle||cancelled|move',
  'run|stuck|settle||done|move',
  'run|stuck|settle||failed|move',
  'run|stuck|settle||paused|move',
  'run|stuck|settle||running|move',
  'run|stuck|settle||waiting|move',
  'run|waiting|budget||waiting|move',
  'run|waiting|cancel||cancelled|move',
  'run|waiting|cancel||done|move',
  'run|waiting|cancel||failed|move',
  'run|waiting|cancel||paused|move',
  'run|waiting|cancel||running|move',
  'run|waiting|cancel||stuck|move',
  'run|waiting|fail||cancelled|move',
  'run|waiting|fail||done|move',
  'run|waiting|fail||failed|move',
  'run|waiting|fail||paused|move',
  'run|waiting|fail||running|move',
  'run|waiting|fail||stuck|move',
  'run|waiting|pause||cancelled|move',
  'run|waiting|pause||done|move',
  'run|waiting|pause||failed|move',
  'run|waiting|pause||paused|move',
  'run|waiting|pause||running|move',
  'run|waiting|pause||stuck|move',
  'run|waiting|reopen||cancelled|move',
  'run|waiting|reopen||done|move',
  'run|waiting|reopen||failed|move',
  'run|waiting|reopen||paused|move',
  'run|waiting|reopen||running|move',
  'run|waiting|reopen||stuck|move',
  'run|waiting|resume||cancelled|move',
  'run|waiting|resume||done|move',
  'run|waiting|resume||failed|move',
  'run|waiting|resume||paused|move',
  'run|waiting|resume||running|move',
  'run|waiting|resume||stuck|move',
  'run|waiting|settle||cancelled|move',
  'run|waiting|settle||done|move',
  'run|waiting|settle||failed|move',
  'run|waiting|settle||paused|move',
  'run|waiting|settle||running|move',
  'run|waiting|settle||stuck|move'
]) key
 CROSS JOIN LATERAL string_to_array(key, '|') part
  JOIN (VALUES ('task', 1), ('agent', 1), ('turn', 1), ('cognitive', 1), ('execution', 1), ('run', 1))
    m(machine, version) ON m.machine = part[1];

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

-- Written by scripts/write-sql.ts from the coupled moves of src/moves; a test holds both equal. Don't edit.

-- The steps of all facts, beside all that an open attempt can reach (docs/evidence/coupled-rows.md).

SELECT baton_add_steps(array_agg(k.n::smallint ORDER BY k.n), array_agg(k.key ORDER BY k.n), false)
  FROM unnest(ARRAY[
  'task|||||late_report||',
  'task|||||refused||',
  'task||created||OPEN|created||',
  'task||created||PLANNED|created||',
  'run||created||running|created||',
  'run|cancelled|budget||cancelled|move||',
  'run|cancelled|cancel||done|move||',
  'run|cancelled|cancel||failed|move||',
  'run|cancelled|cancel||paused|move||',
  'run|cancelled|cancel||running|move||',
  'run|cancelled|cancel||stuck|move||',
  'run|cancelled|cancel||waiting|move||',
  'run|cancelled|fail||done|move||',
  'run|cancelled|fail||failed|move||',
  'run|cancelled|fail||paused|move||',
  'run|cancelled|fail||running|move||',
  'run|cancelled|fail||stuck|move||',
  'run|cancelled|fail||waiting|move||',
  'run|cancelled|pause||done|move||',
  'run|cancelled|pause||failed|move||',
  'run|cancelled|pause||paused|move||',
  'run|cancelled|pause||running|move||',
  'run|cancelled|pause||stuck|move||',
  'run|cancelled|pause||waiting|move||',
  'run|cancelled|reopen||done|move||',
  'run|cancelled|reopen||failed|move||',
  'run|cancelled|reopen||paused|move||',
  'run|cancelled|reopen||running|move||',
  'run|cancelled|reopen||stuck|move||',
  'run|cancelled|reopen||waiting|move||',
  'run|cancelled|resume||done|move||',
  'run|cancelled|resume||failed|move||',
  'run|cancelled|resume||paused|move||',
  'run|cancelled|resume||running|move||',
  'run|cancelled|resume||stuck|move||',
  'run|cancelled|resume||waiting|move||',
  'run|cancelled|settle||done|move||',
  'run|cancelled|settle||failed|move||',
  'run|cancelled|settle||paused|move||',
  'run|cancelled|settle||running|move||',
  'run|cancelled|settle||stuck|move||',
  'run|cancelled|settle||waiting|move||',
  'run|done|budget||done|move||',
  'run|done|cancel||cancelled|move||',
  'run|done|cancel||failed|move||',
  'run|done|cancel||paused|move||',
  'run|done|cancel||running|move||',
  'run|done|cancel||stuck|move||',
  'run|done|cancel||waiting|move||',
  'run|done|fail||cancelled|move||',
  'run|done|fail||failed|move||',
  'run|done|fail||paused|move||',
  'run|done|fail||running|move||',
  'run|done|fail||stuck|move||',
  'run|done|fail||waiting|move||',
  'run|done|pause||cancelled|move||',
  'run|done|pause||failed|move||',
  'run|done|pause||paused|move||',
  'run|done|pause||running|move||',
  'run|done|pause||stuck|move||',
  'run|done|pause||waiting|move||',
  'run|done|reopen||cancelled|move||',
  'run|done|reopen||failed|move||',
  'run|done|reopen||paused|move||',
  'run|done|reopen||running|move||',
  'run|done|reopen||stuck|move||',
  'run|done|reopen||waiting|move||',
  'run|done|resume||cancelled|move||',
  'run|done|resume||failed|move||',
  'run|done|resume||paused|move||',
  'run|done|resume||running|move||',
  'run|done|resume||stuck|move||',
  'run|done|resume||waiting|move||',
  'run|done|settle||cancelled|move||',
  'run|done|settle||failed|move||',
  'run|done|settle||paused|move||',
  'run|done|settle||running|move||',
  'run|done|settle||stuck|move||',
  'run|done|settle||waiting|move||',
  'run|failed|budget||failed|move||',
  'run|failed|cancel||cancelled|move||',
  'run|failed|cancel||done|move||',
  'run|failed|cancel||paused|move||',
  'run|failed|cancel||running|move||',
  'run|failed|cancel||stuck|move||',
  'run|failed|cancel||waiting|move||',
  'run|failed|fail||cancelled|move||',
  'run|failed|fail||done|move||',
  'run|failed|fail||paused|move||',
  'run|failed|fail||running|move||',
  'run|failed|fail||stuck|move||',
  'run|failed|fail||waiting|move||',
  'run|failed|pause||cancelled|move||',
  'run|failed|pause||done|move||',
  'run|failed|pause||paused|move||',
  'run|failed|pause||running|move||',
  'run|failed|pause||stuck|move||',
  'run|failed|pause||waiting|move||',
  'run|failed|reopen||cancelled|move||',
  'run|failed|reopen||done|move||',
  'run|failed|reopen||paused|move||',
  'run|failed|reopen||running|move||',
  'run|failed|reopen||stuck|move||',
  'run|failed|reopen||waiting|move||',
  'run|failed|resume||cancelled|move||',
  'run|failed|resume||done|move||',
  'run|failed|resume||paused|move||',
  'run|failed|resume||running|move||',
  'run|failed|resume||stuck|move||',
  'run|failed|resume||waiting|move||',
  'run|failed|settle||cancelled|move||',
  'run|failed|settle||done|move||',
  'run|failed|settle||paused|move||',
  'run|failed|settle||running|move||',
  'run|failed|settle||stuck|move||',
  'run|failed|settle||waiting|move||',
  'run|paused|budget||paused|move||',
  'run|paused|cancel||cancelled|move||',
  'run|paused|cancel||done|move||',
  'run|paused|cancel||failed|move||',
  'run|paused|cancel||running|move||',
  'run|paused|cancel||stuck|move||',
  'run|paused|cancel||waiting|move||',
  'run|paused|fail||cancelled|move||',
  'run|paused|fail||done|move||',
  'run|paused|fail||failed|move||',
  'run|paused|fail||running|move||',
  'run|paused|fail||stuck|move||',
  'run|paused|fail||waiting|move||',
  'run|paused|pause||cancelled|move||',
  'run|paused|pause||done|move||',
  'run|paused|pause||failed|move||',
  'run|paused|pause||running|move||',
  'run|paused|pause||stuck|move||',
  'run|paused|pause||waiting|move||',
  'run|paused|reopen||cancelled|move||',
  'run|paused|reopen||done|move||',
  'run|paused|reopen||failed|move||',
  'run|paused|reopen||running|move||',
  'run|paused|reopen||stuck|move||',
  'run|paused|reopen||waiting|move||',
  'run|paused|resume||cancelled|move||',
  'run|paused|resume||done|move||',
  'run|paused|resume||failed|move||',
  'run|paused|resume||running|move||',
  'run|paused|resume||stuck|move||',
  'run|paused|resume||waiting|move||',
  'run|paused|settle||cancelled|move||',
  'run|paused|settle||done|move||',
  'run|paused|settle||failed|move||',
  'run|paused|settle||running|move||',
  'run|paused|settle||stuck|move||',
  'run|paused|settle||waiting|move||',
  'run|running|budget||running|move||',
  'run|running|cancel||cancelled|move||',
  'run|running|cancel||done|move||',
  'run|running|cancel||failed|move||',
  'run|running|cancel||paused|move||',
  'run|running|cancel||stuck|move||',
  'run|running|cancel||waiting|move||',
  'run|running|fail||cancelled|move||',
  'run|running|fail||done|move||',
  'run|running|fail||failed|move||',
  'run|running|fail||paused|move||',
  'run|running|fail||stuck|move||',
  'run|running|fail||waiting|move||',
  'run|running|pause||cancelled|move||',
  'run|running|pause||done|move||',
  'run|running|pause||failed|move||',
  'run|running|pause||paused|move||',
  'run|running|pause||stuck|move||',
  'run|running|pause||waiting|move||',
  'run|running|reopen||cancelled|move||',
  'run|running|reopen||done|move||',
  'run|running|reopen||failed|move||',
  'run|running|reopen||paused|move||',
  'run|running|reopen||stuck|move||',
  'run|running|reopen||waiting|move||',
  'run|running|resume||cancelled|move||',
  'run|running|resume||done|move||',
  'run|running|resume||failed|move||',
  'run|running|resume||paused|move||',
  'run|running|resume||stuck|move||',
  'run|running|resume||waiting|move||',
  'run|running|settle||cancelled|move||',
  'run|running|settle||done|move||',
  'run|running|settle||failed|move||',
  'run|running|settle||paused|move||',
  'run|running|settle||stuck|move||',
  'run|running|settle||waiting|move||',
  'run|stuck|budget||stuck|move||',
  'run|stuck|cancel||cancelled|move||',
  'run|stuck|cancel||done|move||',
  'run|stuck|cancel||failed|move||',
  'run|stuck|cancel||paused|move||',
  'run|stuck|cancel||running|move||',
  'run|stuck|cancel||waiting|move||',
  'run|stuck|fail||cancelled|move||',
  'run|stuck|fail||done|move||',
  'run|stuck|fail||failed|move||',
  'run|stuck|fail||paused|move||',
  'run|stuck|fail||running|move||',
  'run|stuck|fail||waiting|move||',
  'run|stuck|pause||cancelled|move||',
  'run|stuck|pause||done|move||',
  'run|stuck|pause||failed|move||',
  'run|stuck|pause||paused|move||',
  'run|stuck|pause||running|move||',
  'run|stuck|pause||waiting|move||',
  'run|stuck|reopen||cancelled|move||',
  'run|stuck|reopen||done|move||',
  'run|stuck|reopen||failed|move||',
  'run|stuck|reopen||paused|move||',
  'run|stuck|reopen||running|move||',
  'run|stuck|reopen||waiting|move||',
  'run|stuck|resume||cancelled|move||',
  'run|stuck|resume||done|move||',
  'run|stuck|resume||failed|move||',
  'run|stuck|resume||paused|move||',
  'run|stuck|resume||running|move||',
  'run|stuck|resume||waiting|move||',
  'run|stuck|settle||cancelled|move||',
  'run|stuck|settle||done|move||',
  'run|stuck|settle||failed|move||',
  'run|stuck|settle||paused|move||',
  'run|stuck|settle||running|move||',
  'run|stuck|settle||waiting|move||',
  'run|waiting|budget||waiting|move||',
  'run|waiting|cancel||cancelled|move||',
  'run|waiting|cancel||done|move||',
  'run|waiting|cancel||failed|move||',
  'run|waiting|cancel||paused|move||',
  'run|waiting|cancel||running|move||',
  'run|waiting|cancel||stuck|move||',
  'run|waiting|fail||cancelled|move||',
  'run|waiting|fail||done|move||',
  'run|waiting|fail||failed|move||',
  'run|waiting|fail||paused|move||',
  'run|waiting|fail||running|move||',
  'run|waiting|fail||stuck|move||',
  'run|waiting|pause||cancelled|move||',
  'run|waiting|pause||done|move||',
  'run|waiting|pause||failed|move||',
  'run|waiting|pause||paused|move||',
  'run|waiting|pause||running|move||',
  'run|waiting|pause||stuck|move||',
  'run|waiting|reopen||cancelled|move||',
  'run|waiting|reopen||done|move||',
  'run|waiting|reopen||failed|move||',
  'run|waiting|reopen||paused|move||',
  'run|waiting|reopen||running|move||',
  'run|waiting|reopen||stuck|move||',
  'run|waiting|resume||cancelled|move||',
  'run|waiting|resume||done|move||',
  'run|waiting|resume||failed|move||',
  'run|waiting|resume||paused|move||',
  'run|waiting|resume||running|move||',
  'run|waiting|resume||stuck|move||',
  'run|waiting|settle||cancelled|move||',
  'run|waiting|settle||done|move||',
  'run|waiting|settle||failed|move||',
  'run|waiting|settle||paused|move||',
  'run|waiting|settle||running|move||',
  'run|waiting|settle||stuck|move||',
  'agent|idle|recycle||dead|move|| execution|busy|fail||failed|move|disconnected|',
  'agent|idle|recycle||dead|move|| execution|busy|fail||failed|move|process_crashed|',
  'agent|idle|recycle||dead|move|| execution|busy|fail||failed|move|reconciliation|',
  'agent|idle|recycle||dead|move|| execution|busy|stop||stopped|move|process_exited|',
  'agent|idle|recycle||dead|move|| execution|busy|stop||stopped|move|user_terminated|',
  'agent|idle|recycle||dead|move|| execution|idle|fail||failed|move|disconnected|',
  'agent|idle|recycle||dead|move|| execution|idle|fail||failed|move|process_crashed|',
  'agent|idle|recycle||dead|move|| execution|idle|fail||failed|move|reconciliation|',
  'agent|idle|recycle||dead|move|| execution|idle|stop||stopped|move|process_exited|',
  'agent|idle|recycle||dead|move|| execution|idle|stop||stopped|move|user_terminated|',
  'agent|idle|recycle||dead|move|| execution|suspended|fail||failed|move|disconnected|',
  'agent|idle|recycle||dead|move|| execution|suspended|fail||failed|move|process_crashed|',
  'agent|idle|recycle||dead|move|| execution|suspended|fail||failed|move|reconciliation|',
  'agent|idle|recycle||dead|move|| execution|suspended|stop||stopped|move|process_exited|',
  'agent|idle|recycle||dead|move|| execution|suspended|stop||stopped|move|user_terminated|',
  'agent|idle|task_assigned||working|move|| task|CLAIMED|start||IN_PROGRESS|move|| '
    'turn|CLAIMING|agent_spawned||SPAWNING|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'execution|idle|prompt||busy|move|prompt_received|',
  'agent|idle|task_assigned||working|move|| task|CLAIMED|start||IN_PROGRESS|move|| '
    'turn|SPAWNING|agent_spawned||RUNNING|move|| execution|idle|prompt||busy|move|prompt_received|',
  'agent|starting|spawn_failed||dead|move|| execution|starting|fail||failed|move|disconnected|',
  'agent|starting|spawn_failed||dead|move|| execution|starting|fail||failed|move|process_crashed|',
  'agent|starting|spawn_failed||dead|move|| execution|starting|fail||failed|move|process_exited|',
  'agent|starting|spawn_failed||dead|move|| execution|starting|fail||failed|move|reconciliation|',
  'agent|starting|spawn_failed||dead|move|| execution|starting|fail||failed|move|user_terminated|',
  'agent|working|task_finished||idle|move||',
  'agent|working|terminate||dead|move|| execution|busy|fail||failed|move|disconnected|',
  'agent|working|terminate||dead|move|| execution|busy|fail||failed|move|process_crashed|',
  'agent|working|terminate||dead|move|| execution|busy|fail||failed|move|reconciliation|',
  'agent|working|terminate||dead|move|| execution|busy|stop||stopped|move|process_exited|',
  'agent|working|terminate||dead|move|| execution|busy|stop||stopped|move|user_terminated|',
  'agent|working|terminate||dead|move|| execution|idle|fail||failed|move|disconnected|',
  'agent|working|terminate||dead|move|| execution|idle|fail||failed|move|process_crashed|',
  'agent|working|terminate||dead|move|| execution|idle|fail||failed|move|reconciliation|',
  'agent|working|terminate||dead|move|| execution|idle|stop||stopped|move|process_exited|',
  'agent|working|terminate||dead|move|| execution|idle|stop||stopped|move|user_terminated|',
  'agent|working|terminate||dead|move|| execution|suspended|fail||failed|move|disconnected|',
  'agent|working|terminate||dead|move|| execution|suspended|fail||failed|move|process_crashed|',
  'agent|working|terminate||dead|move|| execution|suspended|fail||failed|move|reconciliation|',
  'agent|working|terminate||dead|move|| execution|suspended|stop||stopped|move|process_exited|',
  'agent|working|terminate||dead|move|| execution|suspended|stop||stopped|move|user_terminated|',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|block||BLOCKED|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|block||BLOCKED|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|cancel||CANCELLED|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|cancel||CANCELLED|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|cancel||CANCELLED|move||aborted '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|cancel||CANCELLED|move||aborted '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|fail||FAILED|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|fail||FAILED|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|release||OPEN|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|release||OPEN|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|release||OPEN|move||retry '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|CLAIMED|release||OPEN|move||retry '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|block||BLOCKED|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|block||BLOCKED|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|block||BLOCKED|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|cancel||CANCELLED|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|cancel||CANCELLED|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|cancel||CANCELLED|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|cancel||CANCELLED|move||aborted '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|cancel||CANCELLED|move||aborted '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|cancel||CANCELLED|move||aborted '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|fail||FAILED|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|release||OPEN|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|release||OPEN|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|release||OPEN|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|release||OPEN|move||retry '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|release||OPEN|move||retry '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|release||OPEN|move||retry '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|pending|fail||failed|move|disconnected|',
  'execution|pending|fail||failed|move|process_crashed|',
  'execution|pending|fail||failed|move|process_exited|',
  'execution|pending|fail||failed|move|reconciliation|',
  'execution|pending|fail||failed|move|user_terminated|',
  'execution|starting|connect||idle|move|result_received| task|IN_PROGRESS|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|block||BLOCKED|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|block||BLOCKED|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|cancel||CANCELLED|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|cancel||CANCELLED|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|cancel||CANCELLED|move||aborted '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|cancel||CANCELLED|move||aborted '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|fail||FAILED|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|fail||FAILED|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|release||OPEN|move|| '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|release||OPEN|move|| '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|release||OPEN|move||retry '
    'turn|CLAIMING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|CLAIMED|release||OPEN|move||retry '
    'turn|SPAWNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|block||BLOCKED|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|block||BLOCKED|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|block||BLOCKED|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|cancel||CANCELLED|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|cancel||CANCELLED|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|cancel||CANCELLED|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|cancel||CANCELLED|move||aborted '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|cancel||CANCELLED|move||aborted '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|cancel||CANCELLED|move||aborted '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|fail||FAILED|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|release||OPEN|move|| '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|release||OPEN|move|| '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|release||OPEN|move|| '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|release||OPEN|move||retry '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|release||OPEN|move||retry '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|context_cleared| task|IN_PROGRESS|release||OPEN|move||retry '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'execution|suspended|settle||idle|move|result_received| task|IN_PROGRESS|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'task|BLOCKED|cancel||CANCELLED|move||aborted',
  'task|BLOCKED|unblock||OPEN|move||',
  'task|BLOCKED|unblock||OPEN|move|| task|OPEN|decompose||WAITING_FOR_SUBTASKS|move||',
  'task|CLAIMED|block||BLOCKED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|block||BLOCKED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|cancel||CANCELLED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|cancel||CANCELLED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|CLAIMED|cancel||CANCELLED|move||aborted turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| task|FAILED|retry||OPEN|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| task|FAILED|retry||OPEN|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| task|FAILED|retry||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| task|FAILED|retry||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|CLAIMED|fail||FAILED|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move|| turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|release||OPEN|move|| turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|CLAIMING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|CLAIMED|release||OPEN|move||retry turn|SPAWNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|CLAIMING|agent_spawned||SPAWNING|move|| '
    'turn|SPAWNING|agent_spawned||RUNNING|move||',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|CLAIMING|agent_spawned||SPAWNING|move|| '
    'turn|SPAWNING|agent_spawned||RUNNING|move|| agent|idle|task_assigned||working|move|| '
    'execution|busy|finish||idle|move|connected| execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|CLAIMING|agent_spawned||SPAWNING|move|| '
    'turn|SPAWNING|agent_spawned||RUNNING|move|| agent|idle|task_assigned||working|move|| '
    'execution|suspended|settle||idle|move|connected| execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|CLAIMING|agent_spawned||SPAWNING|move|| '
    'turn|SPAWNING|agent_spawned||RUNNING|move|| agent|starting|ready||working|move|| '
    'execution|starting|connect||idle|move|connected| execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|CLAIMING|agent_spawned||SPAWNING|move|| '
    'turn|SPAWNING|agent_spawned||RUNNING|move|| execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|SPAWNING|agent_spawned||RUNNING|move||',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'agent|idle|task_assigned||working|move|| execution|busy|finish||idle|move|connected| '
    'execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'agent|idle|task_assigned||working|move|| execution|suspended|settle||idle|move|connected| '
    'execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'agent|starting|ready||working|move|| execution|starting|connect||idle|move|connected| '
    'execution|idle|prompt||busy|move|prompt_received|',
  'task|CLAIMED|start||IN_PROGRESS|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'execution|idle|prompt||busy|move|prompt_received|',
  'task|DONE|request_approval||PENDING_APPROVAL|override||',
  'task|DONE|verify_pass||CLOSED|move||completed',
  'task|DONE|verify_pass||CLOSED|move||completed turn|VERIFYING|task_completed||COMPLETING|move|| '
    'turn|COMPLETING|agent_reaped||REAPED|move||',
  'task|DONE|verify_reject||FAILED|move||',
  'task|DONE|verify_reject||FAILED|move|| task|FAILED|retry||OPEN|move||',
  'task|DONE|verify_reject||FAILED|move|| task|FAILED|retry||OPEN|move|| '
    'turn|VERIFYING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|DONE|verify_reject||FAILED|move|| task|FAILED|retry||OPEN|move||retry',
  'task|DONE|verify_reject||FAILED|move|| task|FAILED|retry||OPEN|move||retry '
    'turn|VERIFYING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|DONE|verify_reject||FAILED|move|| turn|VERIFYING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|DONE|verify_reject||FAILED|move||aborted',
  'task|DONE|verify_reject||FAILED|move||aborted turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|DONE|verify_reject||FAILED|move||aborted turn|VERIFYING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|FAILED|retry||OPEN|move||',
  'task|IN_PROGRESS|block||BLOCKED|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|block||BLOCKED|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|block||BLOCKED|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move||aborted turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move||aborted turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move||aborted turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'task|IN_PROGRESS|crash||ORPHANED|move||',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| execution|pending|fail||failed|move|disconnected|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| execution|pending|fail||failed|move|process_crashed|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| execution|pending|fail||failed|move|process_exited|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| execution|pending|fail||failed|move|reconciliation|',
  'task|IN_PROGRESS|crash||ORPHANED|move|| execution|pending|fail||failed|move|user_terminated|',
  'task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| task|FAILED|retry||OPEN|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| task|FAILED|retry||OPEN|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| task|FAILED|retry||OPEN|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| task|FAILED|retry||OPEN|move||retry '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| task|FAILED|retry||OPEN|move||retry '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| task|FAILED|retry||OPEN|move||retry '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|fail||FAILED|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|release||OPEN|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|release||OPEN|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|release||OPEN|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|release||OPEN|move||retry turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|release||OPEN|move||retry turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|IN_PROGRESS|release||OPEN|move||retry turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|OPEN|cancel||CANCELLED|move||aborted',
  'task|OPEN|claim||CLAIMED|move|| turn|IDLE|task_claimed||CLAIMING|move||',
  'task|ORPHANED|fail||FAILED|move|| task|FAILED|retry||OPEN|move||orphan_recovered '
    'turn|COMPACTING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move|| task|FAILED|retry||OPEN|move||orphan_recovered '
    'turn|RUNNING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move|| task|FAILED|retry||OPEN|move||orphan_recovered '
    'turn|TOOL_USE|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move|| turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move|| turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move|| turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move||aborted turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move||aborted turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|fail||FAILED|move||aborted turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|retry||OPEN|move||orphan_recovered turn|COMPACTING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|retry||OPEN|move||orphan_recovered turn|RUNNING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|retry||OPEN|move||orphan_recovered turn|TOOL_USE|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|ORPHANED|salvage||DONE|move||orphan_recovered '
    'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'task|ORPHANED|salvage||DONE|move||orphan_recovered turn|RUNNING|verify_requested||VERIFYING|move||',
  'task|ORPHANED|salvage||DONE|move||orphan_recovered turn|TOOL_USE|tool_completed||RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override||',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override|| task|DONE|verify_reject||FAILED|move||',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override|| task|DONE|verify_reject||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override|| task|DONE|verify_reject||FAILED|move|| '
    'task|FAILED|retry||OPEN|move||retry turn|VERIFYING|task_failed||FAILED|move|| '
    'turn|FAILED|agent_reaped||REAPED|move||',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override|| task|DONE|verify_reject||FAILED|move|| '
    'turn|VERIFYING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override|| task|DONE|verify_reject||FAILED|move||aborted',
  'task|PENDING_APPROVAL|resolve_approval||DONE|override|| task|DONE|verify_reject||FAILED|move||aborted '
    'turn|VERIFYING|task_failed||FAILED|move|| turn|FAILED|agent_reaped||REAPED|move||',
  'task|PLANNED|approve||OPEN|move||',
  'task|PLANNED|reject||CANCELLED|move||',
  'task|PLANNED|reject||CANCELLED|move||aborted',
  'task|WAITING_FOR_SUBTASKS|cancel||CANCELLED|move||aborted',
  'task|WAITING_FOR_SUBTASKS|subtask_timeout||BLOCKED|move||',
  'task|WAITING_FOR_SUBTASKS|subtasks_done||DONE|move||completed',
  'turn|CLAIMING|agent_spawned||SPAWNING|move|| agent||created||starting|created|| '
    'execution|failed|restart||starting|move|spawn|',
  'turn|CLAIMING|agent_spawned||SPAWNING|move|| agent||created||starting|created|| '
    'execution|pending|start||starting|move|spawn|',
  'turn|CLAIMING|agent_spawned||SPAWNING|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'agent|idle|task_assigned||working|move|| task|CLAIMED|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|CLAIMING|agent_spawned||SPAWNING|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'agent|starting|ready||working|move|| execution|starting|connect||idle|move|connected| '
    'task|CLAIMED|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|CLAIMING|agent_spawned||SPAWNING|move|| turn|SPAWNING|agent_spawned||RUNNING|move|| '
    'task|CLAIMED|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'execution|busy|finish||idle|move|result_received| task|IN_PROGRESS|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'execution|idle|prompt||busy|move|context_cleared|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'execution|starting|connect||idle|move|result_received| task|IN_PROGRESS|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'execution|suspended|resume||busy|move|context_cleared|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'execution|suspended|resume||busy|move|context_cleared| execution|busy|finish||idle|move|result_received| '
    'task|IN_PROGRESS|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'task|IN_PROGRESS|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|idle|recycle||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|starting|spawn_failed||dead|move|| '
    'execution|starting|fail||failed|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|busy|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|busy|stop||stopped|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|idle|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|idle|stop||stopped|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| agent|working|terminate||dead|move|| '
    'execution|suspended|stop||stopped|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|busy|finish||idle|move|context_cleared|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|pending|fail||failed|move|disconnected|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|pending|fail||failed|move|process_crashed|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|pending|fail||failed|move|process_exited|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|pending|fail||failed|move|reconciliation|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|pending|fail||failed|move|user_terminated|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|starting|connect||idle|move|context_cleared|',
  'turn|COMPACTING|verify_requested|compact_completed|RUNNING|move|| '
    'turn|RUNNING|verify_requested||VERIFYING|move|| execution|suspended|settle||idle|move|context_cleared|',
  'turn|RUNNING|compact_needed||COMPACTING|move||',
  'turn|RUNNING|compact_needed||COMPACTING|move|| execution|busy|suspend||suspended|move|context_cleared|',
  'turn|RUNNING|compact_needed||COMPACTING|move|| execution|idle|suspend||suspended|move|context_cleared|',
  'turn|RUNNING|tool_started||TOOL_USE|move||',
  'turn|SPAWNING|agent_spawned||RUNNING|move|| agent|idle|task_assigned||working|move|| '
    'task|CLAIMED|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|SPAWNING|agent_spawned||RUNNING|move|| agent|starting|ready||working|move|| '
    'execution|starting|connect||idle|move|connected| task|CLAIMED|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|SPAWNING|agent_spawned||RUNNING|move|| agent||created||starting|created|| '
    'execution|failed|restart||starting|move|spawn|',
  'turn|SPAWNING|agent_spawned||RUNNING|move|| agent||created||starting|created|| '
    'execution|pending|start||starting|move|spawn|',
  'turn|SPAWNING|agent_spawned||RUNNING|move|| task|CLAIMED|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| execution|busy|finish||idle|move|result_received| '
    'task|IN_PROGRESS|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| execution|starting|connect||idle|move|result_received| '
    'task|IN_PROGRESS|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| execution|suspended|settle||idle|move|result_received| '
    'task|IN_PROGRESS|complete||DONE|move||completed turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| task|IN_PROGRESS|complete||DONE|move||completed '
    'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| turn|RUNNING|compact_needed||COMPACTING|move||',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| turn|RUNNING|compact_needed||COMPACTING|move|| '
    'execution|busy|suspend||suspended|move|context_cleared|',
  'turn|TOOL_USE|tool_completed||RUNNING|move|| turn|RUNNING|compact_needed||COMPACTING|move|| '
    'execution|idle|suspend||suspended|move|context_cleared|',
  'turn|VERIFYING|compact_needed||RUNNING|move|| turn|RUNNING|compact_needed||COMPACTING|move||',
  'turn|VERIFYING|compact_needed||RUNNING|move|| turn|RUNNING|compact_needed||COMPACTING|move|| '
    'execution|busy|suspend||suspended|move|context_cleared|',
  'turn|VERIFYING|compact_needed||RUNNING|move|| turn|RUNNING|compact_needed||COMPACTING|move|| '
    'execution|idle|suspend||suspended|move|context_cleared|'
]) WITH ORDINALITY AS k(key, n);

-- Single moves, of records that were written before a change was one row.
SELECT baton_add_steps(array_agg((10000 + k.n)::smallint ORDER BY k.n), array_agg(k.key ORDER BY k.n), true)
  FROM unnest(ARRAY[
  'agent|idle|recycle||dead|move||',
  'agent|idle|task_assigned||working|move||',
  'agent|starting|ready||working|move||',
  'agent|starting|spawn_failed||dead|move||',
  'agent|working|terminate||dead|move||',
  'execution|busy|fail||failed|move||',
  'execution|busy|finish||idle|move||',
  'execution|busy|stop||stopped|move||',
  'execution|busy|suspend||suspended|move||',
  'execution|failed|restart||starting|move||',
  'execution|idle|fail||failed|move||',
  'execution|idle|prompt||busy|move||',
  'execution|idle|stop||stopped|move||',
  'execution|idle|suspend||suspended|move||',
  'execution|pending|fail||failed|move||',
  'execution|pending|start||starting|move||',
  'execution|starting|connect||idle|move||',
  'execution|starting|fail||failed|move||',
  'execution|stopped|restart||starting|move||',
  'execution|suspended|fail||failed|move||',
  'execution|suspended|resume||busy|move||',
  'execution|suspended|settle||idle|move||',
  'execution|suspended|stop||stopped|move||',
  'task|BLOCKED|cancel||CANCELLED|move||',
  'task|CLAIMED|block||BLOCKED|move||',
  'task|CLAIMED|cancel||CANCELLED|move||',
  'task|CLAIMED|complete||DONE|move||',
  'task|CLAIMED|decompose||WAITING_FOR_SUBTASKS|move||',
  'task|CLAIMED|fail||FAILED|move||',
  'task|CLAIMED|release||OPEN|move||',
  'task|CLAIMED|start||IN_PROGRESS|move||',
  'task|DONE|verify_pass||CLOSED|move||',
  'task|IN_PROGRESS|block||BLOCKED|move||',
  'task|IN_PROGRESS|cancel||CANCELLED|move||',
  'task|IN_PROGRESS|complete||DONE|move||',
  'task|IN_PROGRESS|decompose||WAITING_FOR_SUBTASKS|move||',
  'task|IN_PROGRESS|fail||FAILED|move||',
  'task|IN_PROGRESS|release||OPEN|move||',
  'task|OPEN|cancel||CANCELLED|move||',
  'task|OPEN|claim||CLAIMED|move||',
  'task|OPEN|decompose||WAITING_FOR_SUBTASKS|move||',
  'task|ORPHANED|fail||FAILED|move||',
  'task|ORPHANED|retry||OPEN|move||',
  'task|ORPHANED|salvage||DONE|move||',
  'task|WAITING_FOR_SUBTASKS|cancel||CANCELLED|move||',
  'task|WAITING_FOR_SUBTASKS|subtasks_done||DONE|move||',
  'turn|CLAIMING|agent_spawned||SPAWNING|move||',
  'turn|CLAIMING|task_failed||FAILED|move||',
  'turn|COMPACTING|task_failed||FAILED|move||',
  'turn|COMPACTING|verify_requested||RUNNING|move||',
  'turn|COMPLETING|agent_reaped||REAPED|move||',
  'turn|FAILED|agent_reaped||REAPED|move||',
  'turn|IDLE|task_claimed||CLAIMING|move||',
  'turn|RUNNING|task_failed||FAILED|move||',
  'turn|RUNNING|verify_requested||VERIFYING|move||',
  'turn|SPAWNING|agent_spawned||RUNNING|move||',
  'turn|SPAWNING|task_failed||FAILED|move||',
  'turn|TOOL_USE|task_failed||FAILED|move||',
  'turn|VERIFYING|compact_needed||RUNNING|move||',
  'turn|VERIFYING|task_completed||COMPLETING|move||',
  'turn|VERIFYING|task_failed||FAILED|move||',
  'agent||created||starting|created||',
  'turn||created||IDLE|created||',
  'execution||created||pending|created||'
]) WITH ORDINALITY AS k(key, n);

-- The dictionary is whole.
CREATE TRIGGER step_seal BEFORE INSERT OR UPDATE OR DELETE ON step FOR EACH ROW EXECUTE FUNCTION baton_seal();
CREATE TRIGGER step_seal_all BEFORE TRUNCATE ON step FOR EACH STATEMENT EXECUTE FUNCTION baton_seal();
CREATE TRIGGER step_move_seal BEFORE INSERT OR UPDATE OR DELETE ON step_move FOR EACH ROW EXECUTE FUNCTION baton_seal();
CREATE TRIGGER step_move_seal_all BEFORE TRUNCATE ON step_move FOR EACH STATEMENT EXECUTE FUNCTION baton_seal();

-- The record: each change names a step of the dictionary and continues what it moves. The log (13-log.sql) chains
-- changes. Rules: docs/spec/store.md#record.

-- The events of a change, one for each of its moves, in order. `n`: its place in its change.
CREATE FUNCTION baton_events(c change) RETURNS TABLE (id bigint, n integer, machine text, version integer,
  entity_id uuid, run_id uuid, task_id uuid, seq integer, note integer, from_state text, to_state text, event text,
  alias text, kind text, actor text, reason text, transition_reason text, abort_reason text, trigger text,
  metadata jsonb, at timestamptz) LANGUAGE sql STABLE AS $$
  SELECT c.id, (m.n + x.k - 1)::integer, m.machine, m.version,
      CASE m.machine WHEN 'task' THEN x.task_id WHEN 'turn' THEN c.attempt_id WHEN 'run' THEN c.run_id
        ELSE c.session_id END,
      c.run_id, CASE WHEN m.machine IN ('task', 'turn') THEN x.task_id END,
      CASE m.machine WHEN 'task' THEN c.task_seq WHEN 'turn' THEN c.turn_seq WHEN 'agent' THEN c.agent_seq
        WHEN 'execution' THEN c.execution_seq ELSE c.run_seq END - m.back,
      coalesce(c.note, 0), coalesce(m.from_state, c.extra->>'state'), coalesce(m.to_state, c.extra->>'state'),
      coalesce(m.event, c.extra->>'event'), m.alias, m.kind, c.actor, c.reason,
      CASE WHEN m.kind <> 'created' THEN coalesce(m.transition_reason, c.transition_reason) END,
      CASE WHEN m.kind <> 'created' THEN c.abort_reason END,
      coalesce(m.trigger, c.extra->>'trigger'),
      CASE WHEN NOT m.carries THEN '{}' WHEN c.number IS NOT NULL THEN jsonb_build_object('attemptId', c.attempt_id,
        'number', c.number, 'fence', c.fence, 'sessionId', c.session_id)
        ELSE coalesce(c.extra->'metadata', '{}') END,
      c.at
    FROM step_move m CROSS JOIN LATERAL unnest(coalesce(c.tasks, ARRAY[c.task_id])) WITH ORDINALITY AS x(task_id, k)
    WHERE m.step = c.step;
$$;

-- What consumers see.
CREATE VIEW lifecycle_event AS SELECT e.* FROM change c CROSS JOIN LATERAL baton_events(c) e;

-- How many events a change has.
CREATE FUNCTION baton_size(c change) RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(cardinality(c.tasks), s.size) FROM step s WHERE s.id = c.step;
$$;

-- The changes that moved an entity, whichever machine it is of.
CREATE FUNCTION baton_changes_of(v_entity uuid) RETURNS SETOF bigint LANGUAGE plpgsql STABLE ROWS 10 AS $$
BEGIN
  RETURN QUERY
    SELECT c.id FROM change c WHERE c.task_id = v_entity
    UNION SELECT c.id FROM task t JOIN change c ON c.run_id = t.run_id AND c.task_id IS NULL AND t.id = ANY (c.tasks)
      WHERE t.id = v_entity
    UNION SELECT c.id FROM attempt a JOIN change c ON c.task_id = a.task_id AND c.attempt_id = a.id
      WHERE a.id = v_entity
    UNION SELECT c.id FROM attempt a JOIN change c ON c.task_id = a.task_id AND c.session_id = v_entity
      WHERE a.session_id = v_entity
    UNION SELECT c.id FROM agent_session s JOIN change c ON c.run_id = s.run_id AND c.task_id IS NULL
      AND c.session_id = s.id WHERE s.id = v_entity
    UNION SELECT c.id FROM change c WHERE c.run_id = v_entity AND c.task_id IS NULL AND c.run_seq IS NOT NULL;
END;
$$;

-- Where the record says that a machine stands; nothing: it has not begun.
CREATE FUNCTION baton_newest(v_machine text, v_entity uuid) RETURNS TABLE (seq integer, note integer, state text)
  LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT e.seq, e.note, e.to_state FROM lifecycle_event e
    WHERE e.id IN (SELECT baton_changes_of(v_entity)) AND e.entity_id = v_entity AND e.machine = v_machine
    ORDER BY e.seq DESC, e.note DESC LIMIT 1;
END;
$$;

-- DONE→CLOSED needs a confirmed landing with a passed verdict.
CREATE FUNCTION baton_must_have_landed(v_task uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM landing l JOIN verdict v ON v.id = l.verdict_id
      WHERE l.task_id = v_task AND l.confirmed_at IS NOT NULL AND v.passed AND v.tree = l.tree) THEN
    RAISE EXCEPTION 'task %: no confirmed landing with a passed verdict', v_task USING ERRCODE = 'BA003';
  END IF;
END;
$$;

-- A machine that a step moves stands where the step begins; one that it does not move has no number.
CREATE FUNCTION baton_must_follow(v_machine text, v_entity uuid, v_seq integer, moves integer, v_from text)
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF moves = 0 THEN
    IF v_seq IS NOT NULL THEN
      RAISE EXCEPTION 'a step that moves no % gives it no number', v_machine USING ERRCODE = 'BA002';
    END IF;
    RETURN;
  END IF;
  SELECT * INTO last FROM baton_newest(v_machine, v_entity);
  IF NOT FOUND THEN
    -- Without an earlier event a machine is created, or stands in its first state.
    IF v_from IS NULL AND v_seq = moves - 1 OR v_seq = moves AND baton_is_initial(v_machine || '|' || v_from) THEN
      RETURN;
    END IF;
  ELSIF v_seq = last.seq + moves AND v_from = last.state THEN
    RETURN;
  END IF;
  RAISE EXCEPTION '% % stands in % (%), and does not go on from % to %', v_machine, v_entity, last.state, last.seq,
    v_from, v_seq USING ERRCODE = 'BA002';
END;
$$;

-- A change that is written by hand must be a step and continue all that it moves. Those of baton_change are checked
-- there, as a set.
CREATE FUNCTION baton_check_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  s step;
  last record;
BEGIN
  SELECT * INTO s FROM step o WHERE o.id = NEW.step AND NOT o.past;
  IF NOT FOUND OR NEW.tasks IS NOT NULL THEN RAISE EXCEPTION 'no such step' USING ERRCODE = 'BA001'; END IF;
  IF s.key LIKE 'task|||||%' THEN
    SELECT * INTO last FROM baton_newest('task', NEW.task_id);
    IF NOT FOUND OR NEW.task_seq IS DISTINCT FROM last.seq OR NEW.note IS DISTINCT FROM last.note + 1
      OR NEW.extra->>'state' IS DISTINCT FROM last.state OR NEW.extra->>'event' IS NULL THEN
      RAISE EXCEPTION 'a note on task % must stand where it stands', NEW.task_id USING ERRCODE = 'BA002';
    END IF;
  ELSE
    IF NEW.note IS NOT NULL THEN RAISE EXCEPTION 'a move is no note' USING ERRCODE = 'BA002'; END IF;
    PERFORM baton_must_follow('task', NEW.task_id, NEW.task_seq, s.task_moves, s.task_from);
    PERFORM baton_must_follow('turn', NEW.attempt_id, NEW.turn_seq, s.turn_moves, s.turn_from);
    PERFORM baton_must_follow('agent', NEW.session_id, NEW.agent_seq, s.agent_moves, s.agent_from);
    PERFORM baton_must_follow('execution', NEW.session_id, NEW.execution_seq, s.execution_moves, s.execution_from);
    PERFORM baton_must_follow('run', NEW.run_id, NEW.run_seq, s.run_moves, s.run_from);
    IF s.task_to = 'CLOSED' THEN PERFORM baton_must_have_landed(NEW.task_id); END IF;
  END IF;
  NEW.at := clock_timestamp();
  RETURN NEW;
END;
$$;

CREATE TRIGGER change_check BEFORE INSERT ON change FOR EACH ROW
  WHEN (current_setting('baton.checked', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION baton_check_change();

-- A transaction has its number before its changes have theirs: by that the log knows when a missing id cannot come.
CREATE FUNCTION baton_number_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_current_xact_id();
  RETURN NULL;
END;
$$;

CREATE TRIGGER change_transaction BEFORE INSERT ON change FOR EACH STATEMENT
  EXECUTE FUNCTION baton_number_transaction();

-- Changes are append-only, but for those that were archived.
CREATE FUNCTION baton_keep_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM archived_change a WHERE a.ids @> OLD.id) THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'changes are append-only' USING ERRCODE = 'BA004';
END;
$$;

CREATE TRIGGER change_keep BEFORE UPDATE OR DELETE ON change FOR EACH ROW EXECUTE FUNCTION baton_keep_change();

-- The history and what is said of the archive are never emptied.
CREATE FUNCTION baton_keep_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the record is append-only' USING ERRCODE = 'BA004';
END;
$$;

CREATE TRIGGER change_keep_all BEFORE TRUNCATE ON change FOR EACH STATEMENT EXECUTE FUNCTION baton_keep_events();

CREATE TRIGGER archived_entity_keep_all BEFORE TRUNCATE ON archived_entity FOR EACH STATEMENT
  EXECUTE FUNCTION baton_keep_events();

CREATE TRIGGER archived_change_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON archived_change FOR EACH STATEMENT
  EXECUTE FUNCTION baton_keep_events();

-- Do the changes of one statement that move the same entity follow one another? Most statements move each entity once.
-- A sort for each machine: one over all of them, by the machine's name too, takes almost three times as long.
CREATE FUNCTION baton_is_chained(steps smallint[], tasks uuid[], attempts uuid[], sessions uuid[], task_seqs integer[],
  turn_seqs integer[], agent_seqs integer[], execution_seqs integer[]) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
  WITH c AS MATERIALIZED (SELECT g.*, s.task_from, s.task_to, s.task_moves, s.turn_from, s.turn_to, s.turn_moves,
      s.agent_from, s.agent_to, s.agent_moves, s.execution_from, s.execution_to, s.execution_moves
    FROM unnest(steps, tasks, attempts, sessions, task_seqs, turn_seqs, agent_seqs, execution_seqs) WITH ORDINALITY
      AS g(step, task, attempt, session, task_seq, turn_seq, agent_seq, execution_seq, n) JOIN step s ON s.id = g.step)
  SELECT coalesce(bool_and(o.follows), true) FROM (
    SELECT task_seq - task_moves = lag(task_seq) OVER w AND task_from = lag(task_to) OVER w AS follows
      FROM c WHERE task_moves > 0 WINDOW w AS (PARTITION BY task ORDER BY n)
    UNION ALL SELECT turn_seq - turn_moves = lag(turn_seq) OVER w AND turn_from = lag(turn_to) OVER w
      FROM c WHERE turn_moves > 0 WINDOW w AS (PARTITION BY attempt ORDER BY n)
    UNION ALL SELECT agent_seq - agent_moves = lag(agent_seq) OVER w AND agent_from = lag(agent_to) OVER w
      FROM c WHERE agent_moves > 0 WINDOW w AS (PARTITION BY session ORDER BY n)
    UNION ALL SELECT execution_seq - execution_moves = lag(execution_seq) OVER w
        AND execution_from = lag(execution_to) OVER w
      FROM c WHERE execution_moves > 0 WINDOW w AS (PARTITION BY session ORDER BY n)) o);
END;
$$;

-- A refused or late report about a task: kept, without effect.
CREATE FUNCTION baton_write_note(task_id uuid, note jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  t task;
  next integer;
BEGIN
  SELECT * INTO t FROM task WHERE id = task_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT max(c.note) + 1 INTO next FROM change c WHERE c.task_id = t.id AND c.task_seq = t.version;
  INSERT INTO change (step, run_id, task_id, task_seq, note, actor, reason, extra)
    VALUES (baton_step('task|||||' || (note->>'kind') || '||'), t.run_id, t.id, t.version, coalesce(next, 1),
      note->>'actor', note->>'reason',
      jsonb_build_object('event', note->'event', 'state', t.status, 'metadata', note->'metadata'));
END;
$$;

-- A status column always equals the newest event of its machine, whoever writes it. The triggers watch statements
-- that write to the tables themselves; what baton_change and its like write is made from the steps. A WHEN clause is
-- read once a statement and costs less than a call for each row.

-- run.status always equals the newest event of its run machine.
CREATE FUNCTION baton_check_run_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.status IS NOT DISTINCT FROM NEW.status AND OLD.seq = NEW.seq THEN RETURN NULL; END IF;
  SELECT e.seq, e.state AS to_state INTO last FROM baton_newest('run', NEW.id) e;
  IF last IS NULL THEN RAISE EXCEPTION 'run % has no event', NEW.id USING ERRCODE = 'BA002'; END IF;
  IF last.to_state IS DISTINCT FROM NEW.status OR last.seq IS DISTINCT FROM NEW.seq THEN
    RAISE EXCEPTION 'run %: column says % (%), newest event says % (%)', NEW.id, NEW.status, NEW.seq, last.to_state,
      last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER run_status AFTER INSERT OR UPDATE OF status, seq ON run FOR EACH ROW
  WHEN (current_setting('baton.checked', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION baton_check_run_status();

-- task.status always equals the newest event of its task machine.
CREATE FUNCTION baton_check_task_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.status IS NOT DISTINCT FROM NEW.status AND OLD.version = NEW.version
    THEN RETURN NULL; END IF;
  SELECT e.seq, e.state AS to_state INTO last FROM baton_newest('task', NEW.id) e;
  IF last IS NULL THEN RAISE EXCEPTION 'task % has no event', NEW.id USING ERRCODE = 'BA002'; END IF;
  IF last.to_state IS DISTINCT FROM NEW.status OR last.seq IS DISTINCT FROM NEW.version THEN
    RAISE EXCEPTION 'task %: column says % (%), newest event says % (%)', NEW.id, NEW.status, NEW.version,
      last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER task_status AFTER INSERT OR UPDATE OF status, version ON task FOR EACH ROW
  WHEN (current_setting('baton.checked', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION baton_check_task_status();

-- attempt.turn_status always equals the newest event of its turn machine.
CREATE FUNCTION baton_check_attempt_turn_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.turn_status IS NOT DISTINCT FROM NEW.turn_status AND OLD.turn_seq = NEW.turn_seq
    THEN RETURN NULL; END IF;
  SELECT e.seq, e.state AS to_state INTO last FROM baton_newest('turn', NEW.id) e;
  IF last IS NULL AND NEW.turn_seq = 0 AND NEW.turn_status = 'IDLE' THEN RETURN NULL; END IF;
  IF last.to_state IS DISTINCT FROM NEW.turn_status OR last.seq IS DISTINCT FROM NEW.turn_seq THEN
    RAISE EXCEPTION 'turn %: column says % (%), newest event says % (%)', NEW.id, NEW.turn_status, NEW.turn_seq,
      last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER attempt_turn_status AFTER INSERT OR UPDATE OF turn_status, turn_seq ON attempt FOR EACH ROW
  WHEN (current_setting('baton.checked', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION baton_check_attempt_turn_status();

-- agent_session.status always equals the newest event of its agent machine.
CREATE FUNCTION baton_check_agent_session_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.status IS NOT DISTINCT FROM NEW.status AND OLD.status_seq = NEW.status_seq
    THEN RETURN NULL; END IF;
  SELECT e.seq, e.state AS to_state INTO last FROM baton_newest('agent', NEW.id) e;
  IF last IS NULL AND NEW.status_seq = -1 AND NEW.status IS NULL THEN RETURN NULL; END IF;
  IF last.to_state IS DISTINCT FROM NEW.status OR last.seq IS DISTINCT FROM NEW.status_seq THEN
    RAISE EXCEPTION 'agent %: column says % (%), newest event says % (%)', NEW.id, NEW.status, NEW.status_seq,
      last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER agent_session_status AFTER INSERT OR UPDATE OF status, status_seq ON agent_session FOR EACH ROW
  WHEN (current_setting('baton.checked', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION baton_check_agent_session_status();

-- agent_session.execution_state always equals the newest event of its execution machine.
CREATE FUNCTION baton_check_agent_session_execution_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.execution_state IS NOT DISTINCT FROM NEW.execution_state
    AND OLD.execution_seq = NEW.execution_seq THEN RETURN NULL; END IF;
  SELECT e.seq, e.state AS to_state INTO last FROM baton_newest('execution', NEW.id) e;
  IF last IS NULL AND NEW.execution_seq = 0 AND NEW.execution_state = 'pending' THEN RETURN NULL; END IF;
  IF last.to_state IS DISTINCT FROM NEW.execution_state OR last.seq IS DISTINCT FROM NEW.execution_seq THEN
    RAISE EXCEPTION 'execution %: column says % (%), newest event says % (%)', NEW.id, NEW.execution_state,
      NEW.execution_seq, last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER agent_session_execution_state AFTER INSERT OR UPDATE OF execution_state, execution_seq ON agent_session
  FOR EACH ROW WHEN (current_setting('baton.checked', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION baton_check_agent_session_execution_state();

-- Repositories and runs: whether a run takes claims, what that makes of its tasks, and what one task means for others.

-- The repository at this place, made when it is new.
CREATE FUNCTION baton_have_repo(place jsonb) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  v_id uuid;
BEGIN
  SELECT id INTO v_id FROM repo WHERE location = place->>'location'
    AND coalesce(host, '') = coalesce(place->>'host', '');
  IF FOUND THEN RETURN v_id; END IF;
  INSERT INTO repo (id, location, host) VALUES ((place->>'id')::uuid, place->>'location', place->>'host')
    ON CONFLICT (location, coalesce(host, '')) DO UPDATE SET location = EXCLUDED.location RETURNING id INTO v_id;
  RETURN v_id;
END;
$$;

-- Takes this run claims? Whoever asks holds the run until its own end: a pause or a resumption, which looks through
-- all open tasks, then comes wholly before or wholly after. Else a paused run would hand out a task that was given
-- back meanwhile, and one that goes on would keep such a task for ever.
CREATE FUNCTION baton_run_open(v_run uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  opened boolean;
  v_held boolean;
BEGIN
  SELECT r.status NOT IN ('paused', 'cancelled', 'failed') INTO opened FROM run r WHERE r.id = v_run FOR SHARE;
  SELECT b.held INTO v_held FROM budget b WHERE b.run_id = v_run;
  -- One that is not held needs no lock: a claim reserves its money in any case.
  IF v_held THEN SELECT b.held INTO v_held FROM budget b WHERE b.run_id = v_run FOR SHARE; END IF;
  RETURN opened AND NOT v_held;
END;
$$;

-- Sets `claimable` of all open tasks of a run anew, after the run's own state changed.
CREATE FUNCTION baton_refresh_claimable(run uuid) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  opened boolean := baton_run_open(run);
  changed integer;
BEGIN
  UPDATE task t SET claimable = opened AND (t.not_before IS NULL OR t.not_before <= now())
   WHERE t.run_id = run AND t.stage = 'OPEN' AND t.claimable IS DISTINCT
     FROM (opened AND (t.not_before IS NULL OR t.not_before <= now()));
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END;
$$;

-- Holds the runs of these tasks before anything else is locked.
CREATE FUNCTION baton_hold_runs(ids uuid[]) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM 1 FROM run r WHERE r.id IN (SELECT t.run_id FROM task t WHERE t.id = ANY (ids)) ORDER BY r.id FOR SHARE;
END;
$$;

-- Locks a run that is settled by its tasks, and refuses when they are not those that were looked at.
CREATE FUNCTION baton_must_have_seen(v_run uuid, seen text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM run r WHERE r.id = v_run FOR NO KEY UPDATE;
  IF seen IS DISTINCT FROM (SELECT concat_ws(' ', count(*), coalesce(sum(t.version), 0)) FROM task t
    WHERE t.run_id = v_run) THEN
    RAISE EXCEPTION 'stale run' USING ERRCODE = 'BA010';
  END IF;
END;
$$;

-- Open tasks that were given back and wait for the next try are due now: the cause of the wait is one of these.
-- Returns how many.
CREATE FUNCTION baton_end_waits(v_run uuid, causes text[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
BEGIN
  -- Locks in the order of claims: run, tasks.
  PERFORM 1 FROM run WHERE id = v_run FOR NO KEY UPDATE;
  PERFORM 1 FROM task t WHERE t.run_id = v_run AND t.stage = 'OPEN' ORDER BY t.id FOR NO KEY UPDATE;
  UPDATE task t SET not_before = NULL WHERE t.run_id = v_run AND t.stage = 'OPEN' AND t.not_before > now() AND EXISTS (
    SELECT 1 FROM (SELECT a.outcome FROM attempt a WHERE a.task_id = t.id AND a.ended_at IS NOT NULL
        ORDER BY a.number DESC LIMIT 1) last
      WHERE last.outcome = ANY (causes));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  IF v_count > 0 THEN PERFORM baton_refresh_claimable(v_run); END IF;
  RETURN v_count;
END;
$$;

-- A task is CLOSED: its dependents have one open dependency less. Returns how many became ready.
CREATE FUNCTION baton_release_dependents(closed uuid) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  ready integer;
BEGIN
  PERFORM 1 FROM task t WHERE t.id IN (SELECT d.task_id FROM task_dependency d WHERE d.depends_on_id = closed
    AND NOT d.satisfied)
    ORDER BY t.id FOR UPDATE;
  WITH met AS (UPDATE task_dependency d SET satisfied = true WHERE d.depends_on_id = closed AND NOT d.satisfied
    RETURNING d.task_id),
  less AS (UPDATE task t SET pending_dependencies = t.pending_dependencies - 1, updated_at = now()
            FROM met WHERE t.id = met.task_id RETURNING t.pending_dependencies, t.status)
  SELECT count(*) INTO ready FROM less WHERE pending_dependencies = 0 AND status = 'OPEN';
  RETURN ready;
END;
$$;

-- A task is CANCELLED: all that depend on it and all below it shall be too. Returns those newly asked.
CREATE FUNCTION baton_cascade_cancel(cancelled uuid) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  asked uuid[];
BEGIN
  WITH RECURSIVE below AS (
    SELECT cancelled AS id
    UNION
    SELECT n.id FROM below b CROSS JOIN LATERAL (
      SELECT d.task_id AS id FROM task_dependency d WHERE d.depends_on_id = b.id AND NOT d.satisfied
      UNION ALL SELECT c.id FROM task c WHERE c.parent_id = b.id) n),
  marked AS (UPDATE task t SET cancel_requested = true, updated_at = now() FROM below b
    WHERE t.id = b.id AND t.id <> cancelled AND NOT t.settled AND NOT t.cancel_requested RETURNING t.id)
  SELECT coalesce(array_agg(id), '{}') INTO asked FROM marked;
  RETURN asked;
END;
$$;

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

-- New runs and tasks, also those of deliveries from outside. Each request is carried out once, whoever repeats it.

-- Creates tasks of one run as one set. The caller knows what it added: the answer says only when, in microseconds,
-- and whether the run takes claims; it is null when some have edges, which are to be read. A dependency is locked FOR
-- SHARE, so that its closing is not missed.
CREATE FUNCTION baton_add_tasks(tasks jsonb, edges jsonb, by jsonb) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  v_actor text := by->>'actor';
  v_reason text := by->>'reason';
  opened boolean;
  written integer;
BEGIN
  IF baton_unchecked() THEN RAISE EXCEPTION 'tasks are made by baton_create, baton_add and the like'
    USING ERRCODE = 'BA001'; END IF;
  IF jsonb_array_length(tasks) = 0 THEN RETURN NULL; END IF;
  IF jsonb_array_length(edges) > 0 THEN
    PERFORM 1 FROM task d WHERE d.id IN (SELECT (e->>'depends_on_id')::uuid FROM jsonb_array_elements(edges) e)
      ORDER BY d.id FOR SHARE;
  END IF;
  opened := baton_run_open((tasks->0->>'run_id')::uuid);
  WITH made AS (
    INSERT INTO task (id, run_id, repo_id, host, parent_id, key, title, goal, role, scope, complexity, risk,
      priority, files, context, signals, agent,
        model, effort, labels, status, max_retries, max_attempts, not_before, deadline_at, timeout_ms,
          max_cost_micro_usd, approval, allow_red,
        idempotency_key, source, created_at, updated_at, rank, claimable)
      SELECT t.id, t.run_id, t.repo_id, t.host, t.parent_id, t.key, t.title, t.goal, t.role, t.scope, t.complexity,
        t.risk, t.priority, t.files, t.context,
        t.signals, nullif(t.agent, 'null'), t.model, t.effort, t.labels, t.status, t.max_retries, t.max_attempts,
          t.not_before, t.deadline_at,
        t.timeout_ms, t.max_cost_micro_usd, t.approval, t.allow_red, t.idempotency_key, t.source,
          moment + t.n * interval '1 microsecond', moment,
        moment + t.n * interval '1 microsecond' + t.priority * interval '5 minutes' - CASE WHEN t.priority = 0
          THEN interval '100 years' ELSE interval '0' END,
        opened AND t.status = 'OPEN' AND coalesce(t.not_before <= now(), true)
      FROM ROWS FROM (jsonb_to_recordset(tasks) AS (id uuid, run_id uuid, repo_id uuid, host text, parent_id uuid,
        key text, title text, goal text, role text,
        scope text, complexity text, risk text, priority integer, files text[], context text[], signals jsonb,
          agent jsonb, model text, effort text,
        labels text[], status text, max_retries integer, max_attempts integer, not_before timestamptz,
          deadline_at timestamptz, timeout_ms integer,
        max_cost_micro_usd bigint, approval boolean, allow_red text[], idempotency_key text,
          source jsonb)) WITH ORDINALITY
        AS t(id, run_id, repo_id, host, parent_id, key, title, goal, role, scope, complexity, risk, priority, files,
          context, signals, agent, model, effort,
          labels, status, max_retries, max_attempts, not_before, deadline_at, timeout_ms, max_cost_micro_usd,
            approval, allow_red, idempotency_key, source, n)
      RETURNING id, run_id, status, created_at),
    sets AS (SELECT m.run_id, m.status, array_agg(m.id ORDER BY m.created_at) AS ids FROM made m
      GROUP BY m.run_id, m.status),
    put AS (
      INSERT INTO change (at, step, run_id, task_id, tasks, task_seq, actor, reason)
      SELECT moment, c.id, m.run_id, CASE WHEN cardinality(m.ids) = 1 THEN m.ids[1] END,
          CASE WHEN cardinality(m.ids) > 1 THEN m.ids END, 0, v_actor, v_reason
        FROM sets m CROSS JOIN LATERAL (SELECT o.id FROM step o
          WHERE o.key = 'task||created||' || m.status || '|created||' OFFSET 0) c
      RETURNING coalesce(cardinality(change.tasks), 1) AS size)
  SELECT sum(size) INTO written FROM put;
  IF written IS DISTINCT FROM jsonb_array_length(tasks) THEN RAISE EXCEPTION 'a task cannot begin in this state'
    USING ERRCODE = 'BA001'; END IF;
  IF jsonb_array_length(edges) = 0 THEN RETURN json_build_object('at',
    (extract(epoch FROM moment) * 1000000)::bigint, 'opened', opened); END IF;
  INSERT INTO task_dependency (task_id, depends_on_id, satisfied)
    SELECT (e->>'task_id')::uuid, d.id, d.status = 'CLOSED' FROM jsonb_array_elements(edges) e JOIN task d
      ON d.id = (e->>'depends_on_id')::uuid;
  UPDATE task t SET pending_dependencies = n.pending
    FROM (SELECT task_id, count(*) AS pending FROM task_dependency WHERE NOT satisfied
           AND task_id IN (SELECT (e->>'task_id')::uuid FROM jsonb_array_elements(edges) e) GROUP BY task_id) n
   WHERE t.id = n.task_id;
  RETURN NULL;
END;
$$;

-- Creates a run with its repository, budget and tasks, or gives the run that the same command created before.
CREATE FUNCTION baton_create_as_set(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_repo uuid;
  r run := jsonb_populate_record(NULL::run, request->'run');
BEGIN
  IF request ? 'command' THEN
    INSERT INTO command (id, actor, answer) VALUES (request#>>'{command,id}', request#>>'{command,actor}',
      jsonb_build_object('runId', r.id))
      ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RETURN (SELECT c.answer FROM command c WHERE c.id = request#>>'{command,id}');
    END IF;
  END IF;
  v_repo := baton_have_repo(request->'repo');
  INSERT INTO run (id, slug, name, repo_id, status, target, base_commit, batch_size, max_agents, trust, review,
    gates, gates_hash, allow_red,
      workspace, agents, default_agent, routing, plan, standing, created_by)
    VALUES (r.id, r.slug, r.name, v_repo, r.status, r.target, r.base_commit, r.batch_size, r.max_agents, r.trust,
      r.review, r.gates, r.gates_hash,
      r.allow_red, r.workspace, r.agents, r.default_agent, r.routing, r.plan, r.standing, r.created_by);
  INSERT INTO change (at, step, run_id, run_seq, actor, reason)
    VALUES (clock_timestamp(), baton_step('run||created||' || r.status || '|created||'), r.id, 0,
      request#>>'{by,actor}', request#>>'{by,reason}');
  INSERT INTO budget (run_id, cap_micro_usd) VALUES (r.id, (request->>'budget')::bigint);
  PERFORM baton_add_tasks((SELECT coalesce(jsonb_agg(t || jsonb_build_object('repo_id', v_repo) ORDER BY n), '[]')
    FROM jsonb_array_elements(request->'tasks') WITH ORDINALITY x(t, n)), request->'edges', request->'by');
  RETURN jsonb_build_object('runId', r.id);
END;
$$;

-- Adds tasks to a run. Nothing is added to a run that was cancelled or that waits for a task that was cancelled
-- meanwhile, and what the run is said to be is what it is until the tasks are there. The answer: the new rows, or
-- what the same command did before.
CREATE FUNCTION baton_add_as_set(request jsonb) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  v_status text;
BEGIN
  SELECT r.status INTO v_status FROM run r WHERE r.id = (request->>'run_id')::uuid FOR SHARE;
  IF request ? 'command' THEN
    INSERT INTO command (id, actor, answer) VALUES (request#>>'{command,id}', request#>>'{command,actor}',
      request#>'{command,answer}') ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RETURN (SELECT json_build_object('repeated', o.answer) FROM command o WHERE o.id = request#>>'{command,id}');
    END IF;
  END IF;
  IF v_status = 'cancelled' THEN RAISE EXCEPTION 'the run is cancelled' USING ERRCODE = 'BA015'; END IF;
  IF EXISTS (SELECT 1 FROM (SELECT d.status FROM task d
    WHERE d.id IN (SELECT (e->>'depends_on_id')::uuid FROM jsonb_array_elements(request->'edges') e)
      ORDER BY d.id FOR SHARE) d WHERE d.status = 'CANCELLED') THEN
    RAISE EXCEPTION 'stale dependency' USING ERRCODE = 'BA010';
  END IF;
  RETURN json_build_object('made', baton_add_tasks(request->'tasks', request->'edges', request->'by'),
    'runStatus', v_status);
END;
$$;

-- How many tasks these rules have made; it only rises.
CREATE FUNCTION baton_made_by_rules(rules text[]) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT count(*) FROM run r JOIN task t ON t.run_id = r.id WHERE r.standing AND r.created_by = ANY (rules));
END;
$$;

-- One delivery from outside with the tasks it makes, or the answer that was given before. With `decided_on`, the limits
-- of rules were held against what these rules had made by then: if they have made more since, nothing happens.
CREATE FUNCTION baton_accept_delivery_as_set(request jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  known trigger_delivery;
  item jsonb;
BEGIN
  IF jsonb_typeof(request->'decided_on') = 'object' THEN
    -- Until this transaction ends no other delivery is held against limits.
    PERFORM pg_advisory_xact_lock(hashtextextended('baton trigger limits', 0));
    IF NOT EXISTS (SELECT 1 FROM trigger_delivery d WHERE d.source = request#>>'{event,source}'
        AND d.delivery_id = request#>>'{event,deliveryId}')
      AND baton_made_by_rules(ARRAY(SELECT jsonb_array_elements_text(request#>'{decided_on,rules}')))
        <> (request#>>'{decided_on,made}')::bigint THEN
      RETURN jsonb_build_object('duplicate', false, 'overtaken', true, 'taskIds', '[]'::jsonb);
    END IF;
  END IF;
  INSERT INTO trigger_delivery (id, source, delivery_id, kind, event, received_at, task_ids)
    VALUES ((request->>'id')::uuid, request#>>'{event,source}', request#>>'{event,deliveryId}',
      request#>>'{event,kind}', request->'event',
      (request#>>'{event,receivedAt}')::timestamptz, ARRAY(SELECT jsonb_array_elements_text(request->'task_ids')::uuid))
    ON CONFLICT (source, delivery_id) DO NOTHING;
  IF NOT FOUND THEN
    SELECT * INTO known FROM trigger_delivery WHERE source = request#>>'{event,source}'
      AND delivery_id = request#>>'{event,deliveryId}';
    RETURN jsonb_build_object('duplicate', true, 'overtaken', false, 'taskIds', to_jsonb(known.task_ids));
  END IF;
  FOR item IN SELECT value FROM jsonb_array_elements(request->'adds') LOOP
    PERFORM baton_add_tasks(item->'tasks', item->'edges', item->'by');
  END LOOP;
  RETURN jsonb_build_object('duplicate', false, 'overtaken', false, 'taskIds', request->'task_ids');
END;
$$;

-- What a change is given as: arrays that run side by side, of its rows in the record and of the rows that it sets.

-- An array of JSON strings as one of text.
CREATE FUNCTION baton_texts(list jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ARRAY(SELECT jsonb_array_elements_text(list));
END;
$$;

-- Tells why not all rows of a change were as it was decided on.
CREATE FUNCTION baton_missed(what text, ids uuid[], places integer[], entities uuid[]) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM unnest(ids, places) AS g(id, at) WHERE g.at > 0
      AND NOT coalesce(entities[g.at] = g.id, false)) THEN
    RAISE EXCEPTION '% must stand where its last change says', what USING ERRCODE = 'BA002';
  END IF;
  RAISE EXCEPTION 'stale %', what USING ERRCODE = 'BA010';
END;
$$;

-- What baton_change is asked for.
CREATE TYPE change_request AS (
  steps text[], runs uuid[], tasks uuid[], attempts uuid[], sessions uuid[], task_seqs integer[],
  turn_seqs integer[], agent_seqs integer[], execution_seqs integer[], run_seqs integer[], actors text[],
  reasons text[], transition_reasons text[], abort_reasons text[], metadata jsonb[], session_ids uuid[],
  session_status_seqs integer[], session_execution_seqs integer[], session_status_first integer[],
  session_status_at integer[], session_execution_first integer[], session_execution_at integer[],
  session_patches jsonb[], task_ids uuid[], task_versions integer[], task_fences bigint[], task_first integer[],
  task_at integer[], task_patches jsonb[], attempt_ids uuid[], attempt_fences bigint[], attempt_seqs integer[],
  attempt_tools integer[], attempt_first integer[], attempt_at integer[], attempt_patches jsonb[], rest jsonb
);

-- Changes that the kernel decided on: applied where version and fence still match, or not at all.

-- Holds what a change relies on: the run as its decision saw it, or the runs whose tasks become ready or are added.
CREATE FUNCTION baton_admit(req change_request) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  moves text := array_to_string(req.steps, ' ');
BEGIN
  IF req.rest#>'{run,seen}' IS NOT NULL THEN
    PERFORM baton_must_have_seen((req.rest#>>'{run,id}')::uuid, req.rest#>>'{run,seen}');
  ELSIF moves LIKE '%|OPEN|move|%' OR moves LIKE '%|OPEN|override|%' OR 0 = ANY (req.task_at)
    OR req.rest ? 'add' THEN
    PERFORM baton_hold_runs(req.task_ids);
  END IF;
END;
$$;

-- Carries out what the kernel decided, as one statement and one transaction. Many rows cost one statement a table,
-- and changes of several callers can go together, each with its own actor. `first` and `at` of a row: its first and
-- last change. A row is compared with where its first step begins and set to where its last one ends, so rows and
-- record agree by construction.
CREATE FUNCTION baton_change_as_set(req change_request) RETURNS jsonb LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  rest jsonb := req.rest;
  s record;
  v_steps smallint[];
  hit integer;
  freed uuid[];
  sessions uuid[];
  cascade uuid[] := '{}';
  asked uuid[];
  released integer := 0;
  v_id uuid;
BEGIN
  PERFORM baton_admit(req);
  SELECT array_agg(o.id) AS ids, count(*) AS found,
      array_agg(o.task_from) AS task_from, array_agg(o.task_to) AS task_to,
      array_agg(o.turn_from) AS turn_from, array_agg(o.turn_to) AS turn_to,
      array_agg(o.agent_from) AS agent_from, array_agg(o.agent_to) AS agent_to,
      array_agg(o.execution_from) AS execution_from, array_agg(o.execution_to) AS execution_to,
      array_agg(o.run_from) AS run_from, array_agg(o.run_to) AS run_to,
      coalesce(sum(o.task_moves), 0) AS task_moves, coalesce(sum(o.turn_moves), 0) AS turn_moves,
      coalesce(sum(o.agent_moves), 0) AS agent_moves, coalesce(sum(o.execution_moves), 0) AS execution_moves,
      coalesce(sum(o.run_moves), 0) AS run_moves,
      count(*) FILTER (WHERE o.task_moves > 0) > cardinality(array_remove(req.task_at, 0))
        OR count(*) FILTER (WHERE o.turn_moves > 0) > cardinality(array_remove(req.attempt_at, 0))
        OR count(*) FILTER (WHERE o.agent_moves > 0) > cardinality(array_remove(req.session_status_at, 0))
        OR count(*) FILTER (WHERE o.execution_moves > 0) > cardinality(array_remove(req.session_execution_at, 0))
        AS again,
      array_agg(o.task) FILTER (WHERE o.task_to = 'CLOSED') AS closed,
      array_agg(o.task) FILTER (WHERE o.task_to = 'CANCELLED') AS cancelled,
      array_agg(o.task) FILTER (WHERE o.task_from = 'DONE' AND o.task_to <> 'CLOSED') AS undone,
      array_agg(o.task) FILTER (WHERE o.task_from = 'PENDING_APPROVAL') AS decided
    INTO s FROM (SELECT o.*, g.task FROM unnest(req.steps, req.tasks) WITH ORDINALITY AS g(key, task, n)
        CROSS JOIN LATERAL (SELECT k.* FROM step k WHERE k.key = g.key AND NOT k.past OFFSET 0) o ORDER BY g.n) o;
  IF s.found IS DISTINCT FROM cardinality(req.steps) THEN
    RAISE EXCEPTION 'no such step: %', (SELECT string_agg(g.key, ', ') FROM unnest(req.steps) AS g(key)
      WHERE NOT EXISTS (SELECT 1 FROM step k WHERE k.key = g.key AND NOT k.past)) USING ERRCODE = 'BA001';
  END IF;
  v_steps := s.ids;
  IF rest ? 'command' THEN
    INSERT INTO command (id, actor, answer) VALUES (rest#>>'{command,id}', rest#>>'{command,actor}',
      rest#>'{command,answer}') ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RETURN (SELECT jsonb_build_object('ok', false, 'why', 'repeated', 'answer', o.answer) FROM command o
        WHERE o.id = rest#>>'{command,id}');
    END IF;
  END IF;

  -- Locks, always in the order run, session, tasks, attempts. Rows are given in the order of their ids, and the loop
  -- over them takes them so.
  IF rest ? 'run' THEN
    v_id := (rest#>>'{run,id}')::uuid;
    hit := (rest#>>'{run,at}')::integer;
    UPDATE run r SET status = CASE WHEN hit = 0 THEN r.status ELSE s.run_to[hit] END,
        seq = CASE WHEN hit = 0 THEN r.seq ELSE req.run_seqs[hit] END,
        status_reason = rest#>>'{run,patch,status_reason}',
          finished_at = (rest#>>'{run,patch,finished_at}')::timestamptz
      WHERE r.id = v_id AND r.seq = (rest#>>'{run,seq}')::integer
        AND (hit = 0 OR req.runs[hit] = v_id AND r.status = s.run_from[hit] AND r.seq + 1 = req.run_seqs[hit]);
    IF NOT FOUND THEN RAISE EXCEPTION 'stale run' USING ERRCODE = 'BA010'; END IF;
    s.run_moves := s.run_moves - CASE WHEN hit = 0 THEN 0 ELSE 1 END;
    PERFORM baton_refresh_claimable(v_id);
    IF rest->'run' ? 'cancel' THEN
      WITH marked AS (UPDATE task t SET cancel_requested = true, updated_at = now()
        WHERE t.run_id = v_id AND NOT t.settled AND NOT t.cancel_requested RETURNING t.id)
      SELECT coalesce(array_agg(id), '{}') INTO cascade FROM marked;
    END IF;
  END IF;
  IF cardinality(req.session_ids) > 0 THEN
    WITH moved AS (UPDATE agent_session a SET
        status = CASE WHEN g.status_at = 0 THEN a.status ELSE s.agent_to[g.status_at] END,
        status_seq = CASE WHEN g.status_at = 0 THEN a.status_seq ELSE req.agent_seqs[g.status_at] END,
        execution_state = CASE WHEN g.execution_at = 0 THEN a.execution_state ELSE s.execution_to[g.execution_at] END,
        execution_seq = CASE WHEN g.execution_at = 0 THEN a.execution_seq ELSE req.execution_seqs[g.execution_at] END,
        adapter = CASE WHEN g.p ? 'adapter' THEN g.p->>'adapter' ELSE a.adapter END,
        model = CASE WHEN g.p ? 'model' THEN g.p->>'model' ELSE a.model END,
        pid = CASE WHEN g.p ? 'pid' THEN (g.p->>'pid')::integer ELSE a.pid END,
        pid_started = CASE WHEN g.p ? 'pid_started' THEN g.p->>'pid_started' ELSE a.pid_started END,
        activity = CASE WHEN g.p ? 'activity' THEN g.p->>'activity' ELSE a.activity END,
        current_attempt_id = CASE WHEN g.p ? 'current_attempt_id' THEN (g.p->>'current_attempt_id')::uuid
          ELSE a.current_attempt_id END,
        exit_code = CASE WHEN g.p ? 'exit_code' THEN (g.p->>'exit_code')::integer ELSE a.exit_code END,
        abort_reason = CASE WHEN g.p ? 'abort_reason' THEN g.p->>'abort_reason' ELSE a.abort_reason END,
        workspace = CASE WHEN g.p ? 'workspace' THEN g.p->>'workspace' ELSE a.workspace END,
        deadline_at = CASE WHEN g.p ? 'deadline_at' THEN (g.p->>'deadline_at')::timestamptz ELSE a.deadline_at END,
        last_sign_at = CASE WHEN g.p ? 'last_sign_at' THEN (g.p->>'last_sign_at')::timestamptz ELSE a.last_sign_at END,
        ended_at = CASE WHEN g.p ? 'ended_at' THEN (g.p->>'ended_at')::timestamptz ELSE a.ended_at END
      FROM unnest(req.session_ids, req.session_status_seqs, req.session_execution_seqs, req.session_status_first,
        req.session_status_at, req.session_execution_first, req.session_execution_at, req.session_patches)
        AS g(id, status_seq, execution_seq, status_first, status_at, execution_first, execution_at, p)
      WHERE a.id = g.id AND a.status_seq = g.status_seq AND a.execution_seq = g.execution_seq
        AND (g.status_at = 0 OR req.sessions[g.status_at] = g.id AND req.sessions[g.status_first] = g.id
          AND s.agent_from[g.status_first] IS NOT DISTINCT FROM a.status)
        AND (g.execution_at = 0 OR req.sessions[g.execution_at] = g.id AND req.sessions[g.execution_first] = g.id
          AND s.execution_from[g.execution_first] = a.execution_state)
      RETURNING a.status_seq - g.status_seq AS agent_moves, a.execution_seq - g.execution_seq AS execution_moves)
    SELECT count(*), s.agent_moves - coalesce(sum(m.agent_moves), 0),
      s.execution_moves - coalesce(sum(m.execution_moves), 0) INTO hit, s.agent_moves, s.execution_moves FROM moved m;
    IF hit <> cardinality(req.session_ids) THEN
      PERFORM baton_missed('session', req.session_ids || req.session_ids,
        req.session_status_at || req.session_execution_at, req.sessions);
    END IF;
    IF req.session_patches::text LIKE '%ended_at%' THEN
      DELETE FROM slot o WHERE o.session_id IN (
        SELECT g.id FROM unnest(req.session_ids, req.session_patches) AS g(id, p) WHERE g.p->>'ended_at' IS NOT NULL);
    END IF;
  END IF;
  IF cardinality(req.task_ids) > 0 THEN
    WITH moved AS (UPDATE task t SET
        status = CASE WHEN g.at = 0 THEN t.status ELSE s.task_to[g.at] END,
        version = CASE WHEN g.at = 0 THEN t.version ELSE req.task_seqs[g.at] END,
        fence = CASE WHEN g.p ? 'fence' THEN (g.p->>'fence')::bigint ELSE t.fence END,
        tries = CASE WHEN g.p ? 'tries' THEN (g.p->>'tries')::integer ELSE t.tries END,
        granted_tries = CASE WHEN g.p ? 'granted_tries' THEN (g.p->>'granted_tries')::integer ELSE t.granted_tries END,
        conflicts = CASE WHEN g.p ? 'conflicts' THEN (g.p->>'conflicts')::integer ELSE t.conflicts END,
        continue_from = CASE WHEN g.p ? 'continue_from' THEN nullif(g.p->'continue_from', 'null')
          ELSE t.continue_from END,
        setbacks = CASE WHEN g.p ? 'setbacks' THEN (g.p->>'setbacks')::integer ELSE t.setbacks END,
        settled = CASE WHEN g.p ? 'settled' THEN (g.p->>'settled')::boolean ELSE t.settled END,
        not_before = CASE WHEN g.p ? 'not_before' THEN (g.p->>'not_before')::timestamptz ELSE t.not_before END,
        blocked_on = CASE WHEN g.p ? 'blocked_on' THEN nullif(g.p->'blocked_on', 'null') ELSE t.blocked_on END,
        cancel_requested = CASE WHEN g.p ? 'cancel_requested' THEN (g.p->>'cancel_requested')::boolean
          ELSE t.cancel_requested END,
        updated_at = now(),
        claimable = CASE WHEN CASE WHEN g.at = 0 THEN t.status ELSE s.task_to[g.at] END = 'OPEN'
          THEN coalesce(CASE WHEN g.p ? 'not_before' THEN (g.p->>'not_before')::timestamptz
            ELSE t.not_before END <= now(), true) AND baton_run_open(t.run_id)
          ELSE false END
      FROM unnest(req.task_ids, req.task_versions, req.task_fences, req.task_first, req.task_at, req.task_patches)
        AS g(id, version, fence, first, at, p)
      WHERE t.id = g.id AND t.version = g.version AND (g.fence IS NULL OR t.fence = g.fence)
        AND (g.at = 0 OR req.tasks[g.at] = g.id AND req.tasks[g.first] = g.id AND s.task_from[g.first] = t.status)
      RETURNING t.version - g.version AS moves)
    SELECT count(*), s.task_moves - coalesce(sum(m.moves), 0) INTO hit, s.task_moves FROM moved m;
    IF hit <> cardinality(req.task_ids) THEN
      PERFORM baton_missed('task', req.task_ids, req.task_at, req.tasks);
    END IF;
  END IF;
  IF cardinality(req.attempt_ids) > 0 THEN
    WITH moved AS (
      UPDATE attempt a SET
        turn_status = CASE WHEN g.at = 0 THEN a.turn_status ELSE s.turn_to[g.at] END,
        turn_seq = CASE WHEN g.at = 0 THEN a.turn_seq ELSE req.turn_seqs[g.at] END,
        counted = CASE WHEN g.p ? 'counted' THEN (g.p->>'counted')::boolean ELSE a.counted END,
        fence = CASE WHEN g.p ? 'fence' THEN (g.p->>'fence')::bigint ELSE a.fence END,
        worker_id = CASE WHEN g.p ? 'worker_id' THEN g.p->>'worker_id' ELSE a.worker_id END,
        lease_expires_at = CASE WHEN g.p ? 'lease_expires_at' THEN (g.p->>'lease_expires_at')::timestamptz
          ELSE a.lease_expires_at END,
        open_tools = CASE WHEN g.p ? 'open_tools' THEN (g.p->>'open_tools')::integer ELSE a.open_tools END,
        base_commit = CASE WHEN g.p ? 'base_commit' THEN g.p->>'base_commit' ELSE a.base_commit END,
        start_commit = CASE WHEN g.p ? 'start_commit' THEN g.p->>'start_commit' ELSE a.start_commit END,
        head_commit = CASE WHEN g.p ? 'head_commit' THEN g.p->>'head_commit' ELSE a.head_commit END,
        summary = CASE WHEN g.p ? 'summary' THEN g.p->>'summary' ELSE a.summary END,
        outcome = CASE WHEN g.p ? 'outcome' THEN g.p->>'outcome' ELSE a.outcome END,
        abort_reason = CASE WHEN g.p ? 'abort_reason' THEN g.p->>'abort_reason' ELSE a.abort_reason END,
        rejections = CASE WHEN g.p ? 'rejections' THEN baton_texts(g.p->'rejections') ELSE a.rejections END,
        salvage_ref = CASE WHEN g.p ? 'salvage_ref' THEN g.p->>'salvage_ref' ELSE a.salvage_ref END,
        orphaned_at = CASE WHEN g.p ? 'orphaned_at' THEN (g.p->>'orphaned_at')::timestamptz ELSE a.orphaned_at END,
        orphan_counts = CASE WHEN g.p ? 'orphan_counts' THEN (g.p->>'orphan_counts')::boolean ELSE a.orphan_counts END,
        done_at = CASE WHEN g.p ? 'done_at' THEN (g.p->>'done_at')::timestamptz ELSE a.done_at END,
        route = CASE WHEN g.p ? 'route' THEN nullif(g.p->'route', 'null') ELSE a.route END,
        ended_at = CASE WHEN g.p ? 'ended_at' THEN (g.p->>'ended_at')::timestamptz ELSE a.ended_at END
        FROM unnest(req.attempt_ids, req.attempt_fences, req.attempt_seqs, req.attempt_tools, req.attempt_first,
          req.attempt_at, req.attempt_patches)
          AS g(id, fence, turn_seq, tools, first, at, p)
        WHERE a.id = g.id AND a.fence = g.fence AND a.turn_seq = g.turn_seq
          AND (g.at = 0 OR req.attempts[g.at] = g.id AND req.attempts[g.first] = g.id
            AND s.turn_from[g.first] = a.turn_status)
          -- Not IS NULL: over an empty table the index of open attempts would look as good as the key.
          AND coalesce(a.ended_at, 'infinity') = 'infinity'
          AND (g.tools IS NULL OR a.open_tools = g.tools)
          AND NOT (g.p ? 'if_lapsed' AND a.lease_expires_at > clock_timestamp())
        RETURNING a.id, a.session_id, g.p ? 'free' AS free, a.turn_seq - g.turn_seq AS moves)
    SELECT count(*), array_agg(DISTINCT m.session_id) FILTER (WHERE m.session_id IS NOT NULL),
      array_agg(m.id) FILTER (WHERE m.free), s.turn_moves - coalesce(sum(m.moves), 0)
      INTO hit, sessions, freed, s.turn_moves FROM moved m;
    IF hit <> cardinality(req.attempt_ids) THEN
      IF EXISTS (SELECT 1 FROM unnest(req.attempt_ids, req.attempt_fences) AS g(id, fence)
          WHERE NOT EXISTS (SELECT 1 FROM attempt a WHERE a.id = g.id AND a.fence = g.fence)) THEN
        RAISE EXCEPTION 'another holder' USING ERRCODE = 'BA011';
      END IF;
      PERFORM baton_missed('turn', req.attempt_ids, req.attempt_at, req.attempts);
    END IF;
  END IF;
  IF freed IS NOT NULL THEN PERFORM baton_free_reservations(freed); END IF;
  -- What may be on the target already is landed or given up first.
  IF s.undone IS NOT NULL AND EXISTS (SELECT 1 FROM landing l WHERE l.task_id = ANY (s.undone)
      AND l.confirmed_at IS NULL AND l.abandoned_at IS NULL) THEN
    RAISE EXCEPTION 'a task whose landing is under way stays DONE' USING ERRCODE = 'BA003';
  END IF;
  IF rest ? 'landing' THEN
    UPDATE landing SET confirmed_at = now() WHERE id = (rest#>>'{landing,id}')::uuid AND confirmed_at IS NULL
      AND abandoned_at IS NULL;
    IF NOT FOUND THEN RAISE EXCEPTION 'no open landing' USING ERRCODE = 'BA012'; END IF;
  END IF;
  IF rest ? 'decision' THEN
    UPDATE approval p SET status = rest#>>'{decision,status}', decided_by = rest#>>'{decision,by}',
      decision_reason = rest#>>'{decision,reason}',
      decided_at = now()
     WHERE p.id = (rest#>>'{decision,id}')::uuid AND p.status = 'waiting' AND p.nonce = rest#>>'{decision,nonce}';
    IF NOT FOUND THEN RAISE EXCEPTION 'no waiting approval' USING ERRCODE = 'BA013'; END IF;
  END IF;

  IF cardinality(req.steps) > 0 THEN
    -- Each move is one of a row that was compared and set, and what moves twice goes on from where it went.
    IF s.task_moves <> 0 OR s.turn_moves <> 0 OR s.agent_moves <> 0 OR s.execution_moves <> 0 OR s.run_moves <> 0
      OR s.again AND NOT baton_is_chained(v_steps, req.tasks, req.attempts, req.sessions, req.task_seqs, req.turn_seqs,
        req.agent_seqs, req.execution_seqs) THEN
      RAISE EXCEPTION 'a row must be set from the last change of its machine' USING ERRCODE = 'BA002';
    END IF;
    INSERT INTO change (at, step, run_id, task_id, attempt_id, session_id, task_seq, turn_seq, agent_seq, execution_seq,
        run_seq, actor, reason, transition_reason, abort_reason, extra)
      SELECT clock_timestamp(), g.step, g.run, g.task, g.attempt, g.session, g.task_seq, g.turn_seq, g.agent_seq,
          g.execution_seq, g.run_seq, g.actor, g.reason, g.transition_reason, g.abort_reason,
          CASE WHEN g.metadata IS NOT NULL THEN jsonb_build_object('metadata', g.metadata) END
        FROM unnest(v_steps, req.runs, req.tasks, req.attempts, req.sessions, req.task_seqs, req.turn_seqs,
          req.agent_seqs, req.execution_seqs, req.run_seqs, req.actors, req.reasons, req.transition_reasons,
          req.abort_reasons, req.metadata) WITH ORDINALITY AS g(step, run, task, attempt, session, task_seq, turn_seq,
          agent_seq, execution_seq, run_seq, actor, reason, transition_reason, abort_reason, metadata, n)
        ORDER BY g.n;
  END IF;

  -- What moves of a task bring with them.
  IF s.decided IS NOT NULL THEN
    UPDATE approval p SET status = 'void', decided_at = now()
      WHERE p.task_id = ANY (s.decided) AND p.status = 'waiting';
  END IF;
  IF s.closed IS NOT NULL THEN
    FOREACH v_id IN ARRAY s.closed LOOP
      PERFORM baton_must_have_landed(v_id);
      released := released + baton_release_dependents(v_id);
    END LOOP;
  END IF;
  IF s.cancelled IS NOT NULL THEN
    FOREACH v_id IN ARRAY s.cancelled LOOP
      asked := baton_cascade_cancel(v_id);
      cascade := cascade || asked;
    END LOOP;
  END IF;
  IF rest ? 'new_attempts' THEN
    INSERT INTO attempt (id, task_id, run_id, number, fence, done_at)
      SELECT (e->>'id')::uuid, n.id, n.run_id, (SELECT coalesce(max(number), 0) + 1 FROM attempt o
        WHERE o.task_id = n.id), (e->>'fence')::bigint, now()
        FROM jsonb_array_elements(rest->'new_attempts') e JOIN task n ON n.id = (e->>'new')::uuid;
  END IF;
  -- A batch holds its paths until the last of its tasks has left CLAIMED, IN_PROGRESS and DONE.
  IF sessions IS NOT NULL AND EXISTS (SELECT 1 FROM path_lock p WHERE p.session_id = ANY (sessions)) THEN
    DELETE FROM path_lock p WHERE p.session_id = ANY (sessions) AND NOT EXISTS (
      SELECT 1 FROM attempt o JOIN task h ON h.id = o.task_id WHERE o.session_id = p.session_id AND o.ended_at IS NULL
        AND h.status IN ('CLAIMED', 'IN_PROGRESS', 'DONE'));
  END IF;
  IF rest ? 'add' THEN
    PERFORM baton_add_tasks(rest#>'{add,tasks}', rest#>'{add,edges}', rest#>'{add,by}');
  END IF;
  IF rest ? 'approval' THEN
    INSERT INTO approval (id, run_id, task_id, attempt_id, reason, head_commit, patch_id, nonce)
      SELECT n.id, n.run_id, n.task_id, n.attempt_id, n.reason, n.head_commit, n.patch_id, n.nonce
        FROM jsonb_populate_record(NULL::approval, rest->'approval') n;
  END IF;
  RETURN jsonb_build_object('ok', true, 'cascade', to_jsonb(cascade), 'released', released);
END;
$$;

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

-- Claims: who takes what, and what it needs to know. Order and rules: docs/spec/store.md.

-- Claims and drains of one worker exclude one another, and nothing else: when a drain has come back, no claim of it
-- is under way.
CREATE FUNCTION baton_worker_key(v_worker text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended('baton worker ' || v_worker, 0)
$$;

-- Do these workers take work at present? Holds their drains until the claim is through.
CREATE FUNCTION baton_may_claim(workers text[]) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(baton_worker_key(o.id))
    FROM (SELECT DISTINCT u.id FROM unnest(workers) AS u(id) ORDER BY u.id) o;
  RETURN NOT EXISTS (SELECT 1 FROM worker w WHERE w.id = ANY (workers) AND w.status = 'draining');
END;
$$;

-- True: there is such a worker, and its row says so now. One that has ended does not drain.
CREATE FUNCTION baton_set_worker(v_worker text, v_status text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(baton_worker_key(v_worker));
  UPDATE worker SET status = v_status WHERE id = v_worker AND NOT (status = 'offline' AND v_status = 'draining');
  RETURN EXISTS (SELECT 1 FROM worker w WHERE w.id = v_worker);
END;
$$;

-- The next ready task that this worker could take, locked; claimers skip one another's.
CREATE FUNCTION baton_claim_head(request jsonb) RETURNS SETOF task LANGUAGE plpgsql AS $$
DECLARE
  v_host text := request->>'host';
  v_labels text[] := ARRAY(SELECT jsonb_array_elements_text(request->'labels'));
  v_roles text[] := CASE WHEN jsonb_typeof(request->'roles') = 'array'
    THEN ARRAY(SELECT jsonb_array_elements_text(request->'roles')) END;
  v_run uuid := (request->>'run')::uuid;
  v_task uuid := (request->>'task')::uuid;
  v_skip uuid[] := ARRAY(SELECT jsonb_array_elements_text(request->'skip_tasks')::uuid);
  v_skip_runs uuid[] := ARRAY(SELECT jsonb_array_elements_text(request->'skip_runs')::uuid);
BEGIN
  -- Three forms of one query, so that each has the index in its own order.
  IF v_task IS NOT NULL THEN
    RETURN QUERY SELECT t.* FROM task t
      WHERE t.id = v_task AND t.ready
        AND t.id <> ALL (v_skip) AND t.run_id <> ALL (v_skip_runs)
        AND (t.host IS NULL OR t.host = v_host) AND t.labels <@ v_labels AND (v_roles IS NULL OR t.role = ANY (v_roles))
      FOR UPDATE OF t SKIP LOCKED;
  ELSIF v_run IS NOT NULL THEN
    RETURN QUERY SELECT t.* FROM task t
      WHERE t.run_id = v_run AND t.ready
        AND (t.host IS NULL OR t.host = v_host) AND t.labels <@ v_labels AND (v_roles IS NULL OR t.role = ANY (v_roles))
        AND t.id <> ALL (v_skip) AND t.run_id <> ALL (v_skip_runs)
        AND (t.files = '{}' OR baton_paths_free(t.run_id, t.files, t.rank))
      ORDER BY t.rank, t.id LIMIT 1 FOR UPDATE OF t SKIP LOCKED;
  ELSE
    RETURN QUERY SELECT t.* FROM task t
      WHERE t.ready
        AND (t.host IS NULL OR t.host = v_host) AND t.labels <@ v_labels AND (v_roles IS NULL OR t.role = ANY (v_roles))
        AND t.id <> ALL (v_skip) AND t.run_id <> ALL (v_skip_runs)
        AND (t.files = '{}' OR baton_paths_free(t.run_id, t.files, t.rank))
      ORDER BY t.rank, t.id LIMIT 1 FOR UPDATE OF t SKIP LOCKED;
  END IF;
END;
$$;

-- What could share a batch with this head: ready tasks of its run, and those that wait only for such ones.
CREATE FUNCTION baton_claim_mates(head task, v_max integer) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
  WITH alike AS (
    SELECT t.* FROM task t WHERE t.run_id = head.run_id AND t.id <> head.id AND t.stage = 'OPEN' AND t.claimable
      AND NOT t.cancel_requested
      AND t.role = head.role AND t.labels = head.labels AND t.scope IN ('small', 'medium') AND t.continue_from IS NULL
      AND t.agent IS NOT DISTINCT FROM head.agent AND t.model IS NOT DISTINCT FROM head.model
      AND t.effort IS NOT DISTINCT FROM head.effort
      AND (t.source->>'trusted') IS NOT DISTINCT FROM (head.source->>'trusted')),
  ready AS (SELECT * FROM alike WHERE pending_dependencies = 0 ORDER BY rank, id LIMIT v_max),
  near AS (SELECT a.* FROM alike a WHERE a.pending_dependencies BETWEEN 1 AND 2 AND EXISTS (
    SELECT 1 FROM task_dependency d WHERE d.task_id = a.id AND NOT d.satisfied
      AND (d.depends_on_id = head.id OR d.depends_on_id IN (SELECT id FROM ready))) ORDER BY a.rank, a.id LIMIT v_max)
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'files', c.files, 'scope', c.scope, 'waitsFor', coalesce((
    SELECT jsonb_agg(d.depends_on_id) FROM task_dependency d WHERE d.task_id = c.id AND NOT d.satisfied), '[]'))
      ORDER BY c.rank, c.id), '[]')
  FROM (SELECT * FROM ready UNION ALL SELECT * FROM near) c);
END;
$$;

-- The lineage of a task: what it was split from and all that this was split into. Spent: attempts in which an agent
-- worked and that came to nothing; one that landed, or that a person or the provider ended, is not charged.
CREATE FUNCTION baton_lineage(v_task uuid) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
  WITH RECURSIVE up AS (
    SELECT t.id, t.parent_id FROM task t WHERE t.id = v_task
    UNION ALL SELECT p.id, p.parent_id FROM task p JOIN up u ON p.id = u.parent_id),
  family AS (
    SELECT t.id, t.max_retries, t.max_attempts, t.granted_tries, t.parent_id FROM task t JOIN up u ON u.id = t.id
      AND u.parent_id IS NULL
    UNION ALL SELECT c.id, c.max_retries, c.max_attempts, c.granted_tries, c.parent_id FROM task c JOIN family f
      ON c.parent_id = f.id)
  SELECT jsonb_build_object(
    'spent', (SELECT count(*) FROM attempt a JOIN family f ON f.id = a.task_id WHERE a.start_commit IS NOT NULL
      AND a.outcome IN ('rejected', 'conflict', 'base_rejected', 'agent_failed', 'crashed', 'timeout', 'lease_lost')),
    'maxRetries', max(f.max_retries) FILTER (WHERE f.parent_id IS NULL),
    'maxAttempts', max(f.max_attempts) FILTER (WHERE f.parent_id IS NULL),
    'granted', sum(f.granted_tries))
  FROM family f);
END;
$$;

-- What earlier tries of a task left: the reasons for their "no", and the newest salvage.
CREATE FUNCTION baton_earlier(v_task uuid, before integer) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT json_build_object('rejections', (SELECT coalesce(json_agg(x ORDER BY o.number), '[]')
    FROM attempt o, unnest(o.rejections) x WHERE o.task_id = v_task),
    'salvageRef', (SELECT o.salvage_ref FROM attempt o WHERE o.task_id = v_task AND o.number < before
      AND o.salvage_ref IS NOT NULL ORDER BY o.number DESC LIMIT 1)));
END;
$$;

-- The tasks that a task waited for, with what they say they did; null when there are none. OFFSET 0 keeps the order
-- of the joins, which a plan made over empty tables would turn round.
CREATE FUNCTION baton_predecessors(v_task uuid) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM task_dependency e WHERE e.task_id = v_task) THEN RETURN NULL; END IF;
  RETURN (SELECT json_agg(json_build_object('key', d.key, 'title', d.title,
      'summary', (SELECT o.summary FROM attempt o WHERE o.task_id = d.id ORDER BY o.number DESC LIMIT 1),
      'landedCommit', (SELECT l.candidate_commit FROM landing l WHERE l.task_id = d.id
        AND l.confirmed_at IS NOT NULL)) ORDER BY d.created_at)
    FROM (SELECT e.depends_on_id FROM task_dependency e WHERE e.task_id = v_task OFFSET 0) e
    CROSS JOIN LATERAL (SELECT t.id, t.key, t.title, t.created_at FROM task t WHERE t.id = e.depends_on_id OFFSET 0) d);
END;
$$;

-- What a worker can take.
CREATE TYPE claim_request AS (
  worker text, host text, labels text[], roles text[], run_id uuid, task_id uuid, lease_ms integer,
  session_id uuid, attempt_ids uuid[], skip_tasks uuid[], skip_runs uuid[], chosen uuid[], known_runs text[]
);

-- Claims the next ready work: a batch of one session, for one worker. Null: it drains.
CREATE FUNCTION baton_claim_as_set(req claim_request) RETURNS json LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
  SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  expires timestamptz := moment + req.lease_ms * interval '1 millisecond';
  v_actor text := 'worker:' || req.worker;
  t task;
  v_run_id uuid;
  v_run record;
  v_id uuid;
  v_attempt uuid;
  v_number integer;
  place integer := 0;
  taken uuid[] := '{}';
  ranges textmultirange := '{}';
  has_slot boolean := false;
  v_room bigint;
  items json[] := '{}';
  v_step smallint := baton_step('task|OPEN|claim||CLAIMED|move|| turn|IDLE|task_claimed||CLAIMING|move||');
BEGIN
  IF NOT baton_may_claim(ARRAY[req.worker]) THEN RETURN NULL; END IF;
  -- Three forms of one query, so that each has the index in its own order.
  IF req.chosen IS NOT NULL THEN
    SELECT * INTO t FROM task WHERE id = req.chosen[1];
  ELSIF req.task_id IS NOT NULL THEN
    SELECT o.* INTO t FROM task o
      WHERE o.id = req.task_id AND o.ready
        AND o.id <> ALL (req.skip_tasks) AND o.run_id <> ALL (req.skip_runs)
        AND (o.host IS NULL OR o.host = req.host) AND o.labels <@ req.labels
        AND (req.roles IS NULL OR o.role = ANY (req.roles))
      FOR NO KEY UPDATE OF o SKIP LOCKED;
  ELSIF req.run_id IS NOT NULL THEN
    SELECT o.* INTO t FROM task o
      WHERE o.run_id = req.run_id AND o.ready
        AND (o.host IS NULL OR o.host = req.host) AND o.labels <@ req.labels
        AND (req.roles IS NULL OR o.role = ANY (req.roles))
        AND o.id <> ALL (req.skip_tasks) AND o.run_id <> ALL (req.skip_runs)
        AND (o.files = '{}' OR baton_paths_free(o.run_id, o.files, o.rank))
      ORDER BY o.rank, o.id LIMIT 1 FOR NO KEY UPDATE OF o SKIP LOCKED;
  ELSE
    SELECT o.* INTO t FROM task o
      WHERE o.ready
        AND (o.host IS NULL OR o.host = req.host) AND o.labels <@ req.labels
        AND (req.roles IS NULL OR o.role = ANY (req.roles))
        AND o.id <> ALL (req.skip_tasks) AND o.run_id <> ALL (req.skip_runs)
        AND (o.files = '{}' OR baton_paths_free(o.run_id, o.files, o.rank))
      ORDER BY o.rank, o.id LIMIT 1 FOR NO KEY UPDATE OF o SKIP LOCKED;
  END IF;
  IF t.id IS NULL THEN
    RETURN '{"ok":false,"why":"none"}';
  END IF;
  v_run_id := t.run_id;
  SELECT r.xmin::text AS mark, r.max_agents, b.cap_micro_usd, b.spent_micro_usd, b.reserved_micro_usd INTO v_run
    FROM run r JOIN budget b ON b.run_id = r.id WHERE r.id = v_run_id;

  IF v_run.max_agents IS NOT NULL THEN
    FOR i IN 1..3 LOOP
      INSERT INTO slot (run_id, number, session_id)
        SELECT t.run_id, n, req.session_id FROM generate_series(1, v_run.max_agents) n
         WHERE NOT EXISTS (SELECT 1 FROM slot o WHERE o.run_id = t.run_id AND o.number = n) ORDER BY n LIMIT 1
        ON CONFLICT DO NOTHING;
      -- The loop itself sets FOUND, so what the insert did is kept apart.
      has_slot := FOUND;
      EXIT WHEN has_slot;
    END LOOP;
    IF NOT has_slot THEN
      RETURN json_build_object('ok', false, 'why', 'slot', 'head',
        json_build_object('id', t.id, 'run_id', t.run_id));
    END IF;
  END IF;

  FOREACH v_id IN ARRAY coalesce(req.chosen, ARRAY[t.id]) LOOP
    IF place > 0 THEN
      -- Mates were only read: each is locked and looked at again, and left out when it is gone.
      SELECT m.* INTO t FROM task m WHERE m.id = v_id AND m.status = 'OPEN' AND m.claimable AND NOT m.cancel_requested
        AND m.pending_dependencies = (SELECT count(*) FROM task_dependency d WHERE d.task_id = m.id
          AND NOT d.satisfied AND d.depends_on_id = ANY (taken))
        FOR NO KEY UPDATE SKIP LOCKED;
      CONTINUE WHEN NOT FOUND;
    END IF;
    place := place + 1;
    v_attempt := req.attempt_ids[place];
    IF v_run.cap_micro_usd IS NOT NULL AND NOT baton_reserve(t, v_attempt) THEN
      IF place > 1 OR cardinality(req.chosen) > 1 THEN
        RAISE EXCEPTION 'no room in the budget' USING ERRCODE = 'BA014', DETAIL = CASE WHEN place = 1 THEN 'head'
          ELSE 'mate' END;
      END IF;
      IF has_slot THEN DELETE FROM slot WHERE session_id = req.session_id; END IF;
      -- What has no room leaves the queue until money is freed, so that it never stands before others.
      UPDATE budget SET starved = true WHERE run_id = v_run_id
        RETURNING cap_micro_usd - spent_micro_usd - reserved_micro_usd INTO v_room;
      UPDATE task o SET claimable = false WHERE o.id = t.id
        OR o.id IN (SELECT w.id FROM task w WHERE w.run_id = v_run_id AND w.ready
        AND (v_room <= 0 OR w.max_cost_micro_usd > v_room) FOR NO KEY UPDATE SKIP LOCKED);
      RETURN json_build_object('ok', false, 'why', 'budget', 'head',
        json_build_object('id', t.id, 'run_id', t.run_id));
    END IF;
    WITH held AS (
      UPDATE task SET status = 'CLAIMED', version = version + 1, fence = fence + 1, claimable = false,
        paths_wanted_since = NULL, updated_at = moment
        WHERE id = t.id)
    INSERT INTO attempt (id, task_id, run_id, session_id, number, place, fence, worker_id, lease_expires_at,
      turn_status, turn_seq, created_at)
      VALUES (v_attempt, t.id, t.run_id, req.session_id,
        (SELECT coalesce(max(o.number), 0) + 1 FROM attempt o WHERE o.task_id = t.id), place,
        t.fence + 1, req.worker, expires, 'CLAIMING', 1, moment)
      RETURNING number INTO v_number;
    t.status := 'CLAIMED'; t.version := t.version + 1; t.fence := t.fence + 1; t.claimable := false;
    t.ready := false; t.stage := 'CLAIMED'; t.updated_at := moment;
    INSERT INTO change (at, step, run_id, task_id, attempt_id, session_id, task_seq, turn_seq, number, fence, actor,
        reason)
      VALUES (moment, v_step, t.run_id, t.id, v_attempt, req.session_id, t.version, 1, v_number, t.fence, v_actor,
        'claimed');
    taken := taken || t.id;
    IF t.files <> '{}' THEN ranges := ranges + baton_path_ranges(t.run_id, t.files); END IF;
    items := items || json_build_object('task', t, 'number', v_number, 'fence', t.fence,
      'earlier', CASE WHEN v_number > 1 THEN baton_earlier(t.id, v_number) END, 'predecessors',
        baton_predecessors(t.id));
  END LOOP;
  INSERT INTO agent_session (id, run_id, worker_id, host, created_at)
    VALUES (req.session_id, v_run_id, req.worker, req.host, moment);
  IF ranges <> '{}' THEN INSERT INTO path_lock (session_id, range) SELECT req.session_id, x
    FROM unnest(ranges) x; END IF;
  RETURN json_build_object('ok', true, 'now', moment, 'expires', expires, 'tasks', array_to_json(items),
    'run', CASE WHEN v_run_id || ':' || v_run.mark = ANY (req.known_runs) THEN NULL
      ELSE (SELECT json_build_object('mark', v_run.mark, 'run', to_jsonb(r) || baton_run_money(r.id), 'repo', p)
        FROM run r JOIN repo p ON p.id = r.repo_id WHERE r.id = v_run_id) END,
    'money', CASE WHEN v_run.cap_micro_usd IS NOT NULL THEN baton_run_money(v_run_id) END);
END;
$$;

-- Many claims at once, in the very order of single ones.

-- What workers of one kind can take.
CREATE TYPE claim_set_request AS (
  workers text[], host text, labels text[], roles text[], run_id uuid, lease_ms integer, session_ids uuid[],
  attempt_ids uuid[], known_runs text[]
);

-- Claims many tasks at once, a session of one task each, for several workers of one kind. It takes the ready tasks in
-- the very order of single claims, up to the first that needs a slot or paths: that one is claimed by itself. `cut`
-- says that there was one, or that budgets had no room for all. Null: one of the workers drains, so that each looks
-- for itself.
CREATE FUNCTION baton_claim_many_as_set(req claim_set_request) RETURNS json LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  moment timestamptz := clock_timestamp();
  expires timestamptz := moment + req.lease_ms * interval '1 millisecond';
  ids uuid[];
  size integer;
  found integer;
  runs uuid[];
  capped uuid[];
  items json;
  v_step smallint := baton_step('task|OPEN|claim||CLAIMED|move|| turn|IDLE|task_claimed||CLAIMING|move||');
BEGIN
  IF NOT baton_may_claim(req.workers) THEN RETURN NULL; END IF;
  -- Two forms of one query, so that each has the index in its own order.
  IF req.run_id IS NULL THEN
    SELECT array_agg(h.id ORDER BY h.n) FILTER (WHERE h.plain), count(*) INTO ids, found
      FROM (SELECT o.id, o.n, bool_and(o.plain) OVER (ORDER BY o.n) AS plain
        FROM (SELECT o.id, o.plain, row_number() OVER (ORDER BY o.rank, o.id) AS n
          FROM (SELECT o.id, o.rank, o.files = '{}' AND r.max_agents IS NULL AS plain
            FROM task o CROSS JOIN LATERAL (SELECT r.max_agents FROM run r WHERE r.id = o.run_id OFFSET 0) r
            WHERE o.ready
              AND (o.host IS NULL OR o.host = req.host) AND o.labels <@ req.labels
              AND (req.roles IS NULL OR o.role = ANY (req.roles))
              AND (o.files = '{}' OR baton_paths_free(o.run_id, o.files, o.rank))
            ORDER BY o.rank, o.id LIMIT cardinality(req.session_ids) FOR NO KEY UPDATE OF o SKIP LOCKED) o) o) h;
  ELSE
    SELECT array_agg(h.id ORDER BY h.n) FILTER (WHERE h.plain), count(*) INTO ids, found
      FROM (SELECT o.id, o.n, bool_and(o.plain) OVER (ORDER BY o.n) AS plain
        FROM (SELECT o.id, o.plain, row_number() OVER (ORDER BY o.rank, o.id) AS n
          FROM (SELECT o.id, o.rank, o.files = '{}' AND r.max_agents IS NULL AS plain
            FROM task o CROSS JOIN LATERAL (SELECT r.max_agents FROM run r WHERE r.id = o.run_id OFFSET 0) r
            WHERE o.run_id = req.run_id AND o.ready
              AND (o.host IS NULL OR o.host = req.host) AND o.labels <@ req.labels
              AND (req.roles IS NULL OR o.role = ANY (req.roles))
              AND (o.files = '{}' OR baton_paths_free(o.run_id, o.files, o.rank))
            ORDER BY o.rank, o.id LIMIT cardinality(req.session_ids) FOR NO KEY UPDATE OF o SKIP LOCKED) o) o) h;
  END IF;
  size := coalesce(cardinality(ids), 0);
  -- Read only now: a cap is set under the locks of the tasks that wait, so none comes after this.
  SELECT array_agg(b.run_id) INTO capped FROM budget b WHERE b.cap_micro_usd IS NOT NULL
    AND b.run_id IN (SELECT t.run_id FROM task t WHERE t.id = ANY (ids));
  IF size > 0 AND capped IS NOT NULL AND NOT baton_reserve_all(ids, req.attempt_ids, capped) THEN
    size := 0;
  END IF;
  IF size = 0 THEN
    RETURN json_build_object('tasks', '[]'::json, 'runs', '[]'::json, 'cut', found > 0);
  END IF;
  WITH held AS (
      UPDATE task t SET status = 'CLAIMED', version = t.version + 1, fence = t.fence + 1, claimable = false,
        paths_wanted_since = NULL, updated_at = moment
        WHERE t.id = ANY (ids) RETURNING t.*),
    made AS (
      INSERT INTO attempt (id, task_id, run_id, session_id, number, place, fence, worker_id, lease_expires_at,
        turn_status, turn_seq, created_at)
        SELECT req.attempt_ids[g.n], h.id, h.run_id, req.session_ids[g.n],
          coalesce((SELECT max(o.number) FROM attempt o WHERE o.task_id = h.id), 0) + 1, 1,
          h.fence, req.workers[g.n], expires, 'CLAIMING', 1, moment
        FROM held h JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id
        RETURNING task_id, number),
    sat AS (
      INSERT INTO agent_session (id, run_id, worker_id, host, created_at)
        SELECT req.session_ids[g.n], h.run_id, req.workers[g.n], req.host, moment FROM held h
          JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id),
    put AS (
      INSERT INTO change (at, step, run_id, task_id, attempt_id, session_id, task_seq, turn_seq, number, fence, actor,
          reason)
        SELECT moment, v_step, h.run_id, h.id, req.attempt_ids[g.n], req.session_ids[g.n], h.version, 1, m.number,
            h.fence, 'worker:' || req.workers[g.n], 'claimed'
          FROM held h JOIN made m ON m.task_id = h.id JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id
          ORDER BY g.n)
  SELECT array_agg(h.run_id ORDER BY g.n),
      json_agg(json_build_object('task', h, 'number', m.number, 'fence', h.fence,
        'earlier', CASE WHEN m.number > 1 THEN baton_earlier(h.id, m.number) END, 'predecessors',
          CASE WHEN EXISTS (SELECT 1 FROM task_dependency d WHERE d.task_id = h.id) THEN baton_predecessors(h.id) END)
        ORDER BY g.n)
    INTO runs, items
    FROM held h JOIN made m ON m.task_id = h.id JOIN unnest(ids) WITH ORDINALITY AS g(id, n) ON g.id = h.id;
  RETURN json_build_object('now', moment, 'expires', expires, 'tasks', items, 'cut', found > size, 'runs', (
      SELECT coalesce(json_agg(json_build_object('mark', r.xmin::text, 'run', to_jsonb(r) || baton_run_money(r.id),
        'repo', p)), '[]')
        FROM run r JOIN repo p ON p.id = r.repo_id WHERE r.id = ANY (runs)
          AND r.id || ':' || r.xmin::text <> ALL (req.known_runs)),
    'money', CASE WHEN capped IS NOT NULL THEN (SELECT json_object_agg(c.id, baton_run_money(c.id))
      FROM unnest(capped) AS c(id)) END);
END;
$$;

-- The log: dense positions for committed events, and one chain of hashes over the changes of all entities. Its last
-- hash proves what happened, in which order, and that nothing was taken out. Rules: docs/spec/store.md#feed.

-- The digest of a change: of all its fields, with its step as it is spelled, and its time to the microsecond.
CREATE FUNCTION baton_leaf(c change) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to(ROW(c.id, s.key, c.run_id, c.task_id, c.attempt_id, c.session_id, c.tasks, c.task_seq,
    c.turn_seq, c.agent_seq, c.execution_seq, c.run_seq, c.note, c.number, c.fence, c.actor, c.reason,
    c.transition_reason, c.abort_reason, c.extra)::text, 'UTF8') || timestamptz_send(c.at))
    FROM step s WHERE s.id = c.step;
$$;

-- The hash of an entry, over the one before it, the position after it and its leaves.
CREATE FUNCTION baton_link(previous bytea, next bigint, leaves bytea) RETURNS bytea
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sha256(coalesce(previous, '') || int8send(next) || leaves);
$$;

-- The changes of an entry, with id, position of the first event, number of events and leaf. What is stored compressed
-- is opened once here, not for each change.
CREATE FUNCTION baton_leaves(entry log_entry) RETURNS TABLE (id bigint, start bigint, size integer, leaf bytea)
  LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 2000 AS $$
DECLARE
  v_ids bigint[] := entry.ids || '{}'::bigint[];
  v_sizes integer[] := entry.sizes || '{}'::integer[];
  v_leaves bytea := entry.leaves || ''::bytea;
BEGIN
  RETURN QUERY SELECT i.id, entry.first + sum(i.size) OVER (ORDER BY i.n ROWS UNBOUNDED PRECEDING) - i.size, i.size,
      substring(v_leaves FROM (32 * (i.n - 1) + 1)::integer FOR 32)
    FROM unnest(v_ids, v_sizes) WITH ORDINALITY AS i(id, size, n);
END;
$$;

-- Committed changes that are in no entry yet.
CREATE VIEW baton_unlogged AS
  SELECT c.* FROM change c
    WHERE c.id > coalesce((SELECT l.seen FROM log_entry l ORDER BY l.next DESC LIMIT 1), 0)
  UNION ALL
  SELECT c.* FROM log_gap g CROSS JOIN LATERAL unnest(g.ids) AS r(ids)
    JOIN change c ON c.id >= lower(r.ids) AND c.id < upper(r.ids);

-- How many events an entry has.
CREATE FUNCTION baton_sum(sizes integer[]) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(sum(s), 0) FROM unnest(sizes) s;
$$;

-- An entry continues the one before it.
CREATE FUNCTION baton_check_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last log_entry;
BEGIN
  SELECT * INTO last FROM log_entry l ORDER BY l.next DESC LIMIT 1;
  IF NEW.first <> coalesce(last.next, 1) OR NEW.next IS DISTINCT FROM NEW.first + baton_sum(NEW.sizes)
    OR cardinality(NEW.sizes) <> cardinality(NEW.ids) OR NEW.seen < coalesce(last.seen, 0)
    OR octet_length(NEW.leaves) <> 32 * cardinality(NEW.ids)
    OR NEW.hash <> baton_link(last.hash, NEW.next, NEW.leaves) THEN
    RAISE EXCEPTION 'this entry does not continue the log' USING ERRCODE = 'BA002';
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER log_entry_check BEFORE INSERT ON log_entry FOR EACH ROW EXECUTE FUNCTION baton_check_entry();

CREATE TRIGGER log_entry_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON log_entry FOR EACH STATEMENT
  EXECUTE FUNCTION baton_keep_events();

-- Writes the next entry: committed changes in the order of their ids, `most` new ones at once. One process at a time,
-- others get 0, or wait for their turn when they ask for that. What is looked at, and which transactions are over, is
-- of one moment, so it is one statement. A gap
-- lasts until all transactions are over that had begun when it was found; this transaction's own number, which it has
-- only now, is after all of theirs.
CREATE FUNCTION baton_log(most integer, waits boolean DEFAULT false) RETURNS integer LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  last log_entry;
  due record;
  gap int8multirange;
BEGIN
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'the log is written in a transaction of its own' USING ERRCODE = 'BA001';
  END IF;
  IF waits THEN
    PERFORM pg_advisory_xact_lock(hashtext('baton.log'));
  ELSIF NOT pg_try_advisory_xact_lock(hashtext('baton.log')) THEN
    RETURN 0;
  END IF;
  SELECT * INTO last FROM log_entry l ORDER BY l.next DESC LIMIT 1;
  WITH fresh AS (
      SELECT c.id, baton_leaf(c) AS leaf, baton_size(c) AS size FROM change c WHERE c.id > coalesce(last.seen, 0)
        ORDER BY c.id LIMIT most),
    late AS (
      SELECT c.id, baton_leaf(c) AS leaf, baton_size(c) AS size
        FROM log_gap g CROSS JOIN LATERAL unnest(g.ids) AS r(ids)
          JOIN change c ON c.id >= lower(r.ids) AND c.id < upper(r.ids))
  SELECT (SELECT max(f.id) FROM fresh f) AS seen, array_agg(d.id ORDER BY d.id) AS ids,
      array_agg(d.size ORDER BY d.id) AS sizes, sum(d.size) AS events,
      string_agg(d.leaf, '' ORDER BY d.id) AS leaves, range_agg(int8range(d.id, d.id, '[]')) AS ranges,
      pg_snapshot_xmin(pg_current_snapshot()) AS oldest
    INTO due FROM (SELECT * FROM fresh UNION ALL SELECT * FROM late) d;
  UPDATE log_gap g SET ids = g.ids - due.ranges WHERE g.ids && due.ranges;
  DELETE FROM log_gap g WHERE isempty(g.ids) OR g.until <= due.oldest;
  IF due.ids IS NULL THEN RETURN 0; END IF;
  due.seen := greatest(due.seen, last.seen);
  gap := int8multirange(int8range(coalesce(last.seen, 0), due.seen, '(]')) - due.ranges;
  IF NOT isempty(gap) THEN INSERT INTO log_gap (ids, until) VALUES (gap, pg_current_xact_id()); END IF;
  INSERT INTO log_entry (first, next, seen, ids, sizes, leaves, hash)
    SELECT n.first, n.next, due.seen, due.ids, due.sizes, due.leaves, baton_link(last.hash, n.next, due.leaves)
      FROM (SELECT coalesce(last.next, 1) AS first, coalesce(last.next, 1) + due.events AS next) n;
  RETURN cardinality(due.ids);
END;
$$;

-- Archiving: changes whose entities have all come to rest leave the database, but for the newest of each entity. The
-- log keeps the leaves of all. Rules: docs/spec/store.md#archive.

-- Will nobody but a person's word move it? And has it been so for that long?
CREATE FUNCTION baton_at_rest(c change, cutoff timestamptz) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- The newest change of an entity stays: its number is that of the row.
  RETURN c.at < cutoff
    AND (c.task_id IS NULL AND c.tasks IS NULL OR NOT EXISTS (SELECT 1 FROM task t
      WHERE t.id = ANY (coalesce(c.tasks, ARRAY[c.task_id])) AND NOT (t.settled AND t.updated_at < cutoff
        AND coalesce(c.task_seq < t.version, true))))
    AND (c.attempt_id IS NULL OR EXISTS (SELECT 1 FROM attempt a WHERE a.id = c.attempt_id AND a.ended_at < cutoff
      AND coalesce(c.turn_seq < a.turn_seq, true)))
    AND (c.agent_seq IS NULL AND c.execution_seq IS NULL OR EXISTS (SELECT 1 FROM agent_session s
      WHERE s.id = c.session_id AND s.ended_at < cutoff AND coalesce(c.agent_seq < s.status_seq, true)
        AND coalesce(c.execution_seq < s.execution_seq, true)))
    AND (c.run_seq IS NULL OR EXISTS (SELECT 1 FROM run r WHERE r.id = c.run_id AND r.finished_at < cutoff
      AND r.status IN ('done', 'failed', 'cancelled') AND c.run_seq < r.seq));
END;
$$;

-- Changes that can leave: at rest for so long, in the log, and read by everybody.
CREATE FUNCTION baton_archivable(older_than interval, most integer) RETURNS SETOF bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  cutoff timestamptz := now() - older_than;
  everybody_read bigint := coalesce((SELECT min(c.position) FROM cursor c), 9223372036854775806);
BEGIN
  RETURN QUERY
  WITH unread AS MATERIALIZED (
    SELECT i.id FROM log_entry l CROSS JOIN LATERAL baton_leaves(l) i
      WHERE l.next > everybody_read + 1 AND i.start + i.size - 1 > everybody_read
    UNION ALL SELECT u.id FROM baton_unlogged u)
  SELECT c.id FROM (
      SELECT o AS row, o.id FROM task t JOIN change o ON o.task_id = t.id WHERE t.settled AND t.updated_at < cutoff
      UNION ALL SELECT o, o.id FROM change o WHERE o.task_id IS NULL) c
    WHERE baton_at_rest(c.row, cutoff) AND c.id NOT IN (SELECT u.id FROM unread u)
    ORDER BY c.id LIMIT most;
END;
$$;

-- What is said of the archive is said once.
CREATE FUNCTION baton_keep_archived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND pg_trigger_depth() > 1 THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'what was archived stays so' USING ERRCODE = 'BA004';
END;
$$;

CREATE TRIGGER archived_entity_keep BEFORE UPDATE OR DELETE ON archived_entity FOR EACH ROW
  EXECUTE FUNCTION baton_keep_archived();

-- The changes `ids` leave: each must be there and at rest; what is said of their entities follows from them.
CREATE FUNCTION baton_leave() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong bigint;
BEGIN
  SELECT r.id INTO wrong FROM unnest(NEW.ids) AS g CROSS JOIN LATERAL generate_series(lower(g), upper(g) - 1) AS r(id)
    LEFT JOIN change c ON c.id = r.id WHERE c.id IS NULL OR NOT baton_at_rest(c, 'infinity') LIMIT 1;
  IF FOUND OR isempty(NEW.ids) THEN
    RAISE EXCEPTION 'change % has not come to rest', wrong USING ERRCODE = 'BA004';
  END IF;
  SELECT sum(baton_size(c)) INTO NEW.events FROM unnest(NEW.ids) AS g
    JOIN change c ON c.id >= lower(g) AND c.id < upper(g);
  INSERT INTO archived_entity AS a (machine, entity_id, seqs, upto_seq, state, events)
    SELECT e.machine, e.entity_id, range_agg(int4range(e.seq, e.seq, '[]')), max(e.seq),
        (array_agg(e.to_state ORDER BY e.seq DESC, e.note DESC))[1], count(*)
      FROM unnest(NEW.ids) AS g JOIN lifecycle_event e ON e.id >= lower(g) AND e.id < upper(g)
      GROUP BY e.machine, e.entity_id
    ON CONFLICT (machine, entity_id) DO UPDATE SET seqs = a.seqs + EXCLUDED.seqs,
      upto_seq = greatest(a.upto_seq, EXCLUDED.upto_seq),
      state = CASE WHEN EXCLUDED.upto_seq > a.upto_seq THEN EXCLUDED.state ELSE a.state END,
      events = a.events + EXCLUDED.events;
  RETURN NEW;
END;
$$;

CREATE TRIGGER archived_change_leave BEFORE INSERT ON archived_change FOR EACH ROW EXECUTE FUNCTION baton_leave();

-- Takes out what was written to a file before; what has moved since, stays. Returns how many entities and events left.
CREATE FUNCTION baton_archive(v_ids bigint[]) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  resting int8multirange;
  gone jsonb;
BEGIN
  -- A person may give a task another try at this moment.
  PERFORM 1 FROM run r WHERE r.id IN (SELECT c.run_id FROM change c WHERE c.id = ANY (v_ids) AND c.run_seq IS NOT NULL)
    ORDER BY r.id FOR NO KEY UPDATE;
  PERFORM 1 FROM task t WHERE t.id IN (SELECT unnest(coalesce(c.tasks, ARRAY[c.task_id])) FROM change c
    WHERE c.id = ANY (v_ids)) ORDER BY t.id FOR NO KEY UPDATE;
  SELECT range_agg(int8range(c.id, c.id, '[]')) INTO resting FROM change c
    WHERE c.id = ANY (v_ids) AND baton_at_rest(c, 'infinity');
  IF resting IS NULL THEN RETURN '{"entities": 0, "events": 0}'; END IF;
  SELECT jsonb_build_object('entities', count(DISTINCT (e.machine, e.entity_id)), 'events', count(*)) INTO gone
    FROM lifecycle_event e WHERE e.id = ANY (v_ids) AND resting @> e.id;
  INSERT INTO archived_change (ids, events) VALUES (resting, 0);
  DELETE FROM change c WHERE c.id = ANY (v_ids) AND resting @> c.id;
  RETURN gone;
END;
$$;

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
