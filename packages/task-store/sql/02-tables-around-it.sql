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
