-- The tables of the store (prisma/schema.prisma), with what Prisma cannot say at the end.

-- Half-open ranges of paths; collation C, so that a prefix is a range whatever the database's locale.
CREATE TYPE textrange AS RANGE (subtype = text, collation = "C");

-- CreateTable
CREATE TABLE "repo" (
    "id" UUID NOT NULL,
    "location" TEXT NOT NULL,
    "host" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "repo_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

-- CreateTable
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
    "status" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 0,
    "fence" BIGINT NOT NULL DEFAULT 0,
    "pending_dependencies" INTEGER NOT NULL DEFAULT 0,
    "claimable" BOOLEAN NOT NULL DEFAULT false,
    "rank" TIMESTAMPTZ(6) NOT NULL,
    "paths_wanted_since" TIMESTAMPTZ(6),
    "max_retries" INTEGER NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "granted_tries" INTEGER NOT NULL DEFAULT 0,
    "conflicts" INTEGER NOT NULL DEFAULT 0,
    "continue_from" JSONB,
    "setbacks" INTEGER NOT NULL DEFAULT 0,
    "settled" BOOLEAN NOT NULL DEFAULT false,
    "not_before" TIMESTAMPTZ(6),
    "deadline_at" TIMESTAMPTZ(6),
    "timeout_ms" INTEGER,
    "max_cost_micro_usd" BIGINT,
    "approval" BOOLEAN NOT NULL DEFAULT false,
    "allow_red" TEXT[],
    "blocked_on" JSONB,
    "cancel_requested" BOOLEAN NOT NULL DEFAULT false,
    "idempotency_key" TEXT,
    "source" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "task_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "task_dependency" (
    "task_id" UUID NOT NULL,
    "depends_on_id" UUID NOT NULL,
    "satisfied" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "task_dependency_pkey" PRIMARY KEY ("task_id","depends_on_id")
);

-- CreateTable
CREATE TABLE "attempt" (
    "id" UUID NOT NULL,
    "task_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "session_id" UUID,
    "number" INTEGER NOT NULL,
    "place" INTEGER NOT NULL DEFAULT 1,
    "counted" BOOLEAN NOT NULL DEFAULT false,
    "fence" BIGINT NOT NULL,
    "worker_id" TEXT,
    "lease_expires_at" TIMESTAMPTZ(6),
    "turn_status" TEXT NOT NULL DEFAULT 'IDLE',
    "turn_seq" INTEGER NOT NULL DEFAULT 0,
    "open_tools" INTEGER NOT NULL DEFAULT 0,
    "base_commit" TEXT,
    "start_commit" TEXT,
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

    CONSTRAINT "attempt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

-- CreateTable
CREATE TABLE "lifecycle_event" (
    "id" BIGSERIAL NOT NULL,
    "machine" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "entity_id" UUID NOT NULL,
    "run_id" UUID,
    "task_id" UUID,
    "seq" INTEGER NOT NULL,
    "note" INTEGER NOT NULL DEFAULT 0,
    "from_state" TEXT,
    "to_state" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "alias" TEXT,
    "kind" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "transition_reason" TEXT,
    "abort_reason" TEXT,
    "trigger" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "hash" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "lifecycle_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "feed_queue" (
    "event_id" BIGINT NOT NULL,

    CONSTRAINT "feed_queue_pkey" PRIMARY KEY ("event_id")
);

-- CreateTable
CREATE TABLE "feed_position" (
    "position" BIGINT NOT NULL,
    "event_id" BIGINT NOT NULL,

    CONSTRAINT "feed_position_pkey" PRIMARY KEY ("position")
);

-- CreateTable
CREATE TABLE "agent_event" (
    "id" BIGSERIAL NOT NULL,
    "session_id" UUID NOT NULL,
    "attempt_id" UUID,
    "event" JSONB NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "agent_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "slot" (
    "run_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "session_id" UUID NOT NULL,

    CONSTRAINT "slot_pkey" PRIMARY KEY ("run_id","number")
);

-- CreateTable
CREATE TABLE "path_lock" (
    "id" BIGSERIAL NOT NULL,
    "session_id" UUID NOT NULL,
    "range" textrange NOT NULL,

    CONSTRAINT "path_lock_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

-- CreateTable
CREATE TABLE "base_verdict" (
    "run_id" UUID NOT NULL,
    "verdict" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "base_verdict_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
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

-- CreateTable
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
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "confirmed_at" TIMESTAMPTZ(6),
    "abandoned_at" TIMESTAMPTZ(6),
    "abandon_reason" TEXT,

    CONSTRAINT "landing_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

-- CreateTable
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

    CONSTRAINT "usage_entry_pkey" PRIMARY KEY ("attempt_id","offset")
);

-- CreateTable
CREATE TABLE "budget" (
    "run_id" UUID NOT NULL,
    "cap_micro_usd" BIGINT,
    "spent_micro_usd" BIGINT NOT NULL DEFAULT 0,
    "reserved_micro_usd" BIGINT NOT NULL DEFAULT 0,
    "held" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "budget_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "budget_slice" (
    "run_id" UUID NOT NULL,
    "worker_id" TEXT NOT NULL,
    "fence" BIGINT NOT NULL,
    "granted_micro_usd" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "budget_slice_pkey" PRIMARY KEY ("run_id","worker_id")
);

-- CreateTable
CREATE TABLE "reservation" (
    "attempt_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "amount_micro_usd" BIGINT NOT NULL,
    "left_micro_usd" BIGINT NOT NULL,

    CONSTRAINT "reservation_pkey" PRIMARY KEY ("attempt_id")
);

-- CreateTable
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

    CONSTRAINT "worker_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

-- CreateTable
CREATE TABLE "outbox" (
    "id" BIGSERIAL NOT NULL,
    "topic" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(6),

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "cursor" (
    "name" TEXT NOT NULL,
    "position" BIGINT NOT NULL,

    CONSTRAINT "cursor_pkey" PRIMARY KEY ("name")
);

-- CreateTable
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

-- CreateTable
CREATE TABLE "store_identity" (
    "id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "store_identity_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "command" (
    "id" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "answer" JSONB NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "command_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "run_slug_key" ON "run"("slug");

-- CreateIndex
CREATE INDEX "run_created_at_id_idx" ON "run"("created_at", "id");

-- CreateIndex
CREATE INDEX "task_run_id_status_idx" ON "task"("run_id", "status");

-- CreateIndex
CREATE INDEX "task_parent_id_idx" ON "task"("parent_id");

-- CreateIndex
CREATE INDEX "task_created_at_id_idx" ON "task"("created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "task_run_id_key_key" ON "task"("run_id", "key");

-- CreateIndex
CREATE INDEX "task_dependency_depends_on_id_idx" ON "task_dependency"("depends_on_id");

-- CreateIndex
CREATE INDEX "attempt_session_id_idx" ON "attempt"("session_id");

-- CreateIndex
CREATE INDEX "attempt_run_id_created_at_idx" ON "attempt"("run_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "attempt_task_id_number_key" ON "attempt"("task_id", "number");

-- CreateIndex
CREATE INDEX "agent_session_run_id_created_at_idx" ON "agent_session"("run_id", "created_at");

-- CreateIndex
CREATE INDEX "agent_session_worker_id_created_at_idx" ON "agent_session"("worker_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "lifecycle_event_entity_id_machine_seq_note_key" ON "lifecycle_event"("entity_id", "machine", "seq", "note");

-- CreateIndex
CREATE UNIQUE INDEX "feed_position_event_id_key" ON "feed_position"("event_id");

-- CreateIndex
CREATE INDEX "agent_event_session_id_id_idx" ON "agent_event"("session_id", "id");

-- CreateIndex
CREATE INDEX "agent_event_attempt_id_id_idx" ON "agent_event"("attempt_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "slot_session_id_key" ON "slot"("session_id");

-- CreateIndex
CREATE INDEX "path_lock_session_id_idx" ON "path_lock"("session_id");

-- CreateIndex
CREATE INDEX "verdict_tree_checks_hash_idx" ON "verdict"("tree", "checks_hash");

-- CreateIndex
CREATE INDEX "verdict_task_id_idx" ON "verdict"("task_id");

-- CreateIndex
CREATE UNIQUE INDEX "lane_repo_id_target_key" ON "lane"("repo_id", "target");

-- CreateIndex
CREATE INDEX "landing_task_id_idx" ON "landing"("task_id");

-- CreateIndex
CREATE INDEX "landing_run_id_idx" ON "landing"("run_id");

-- CreateIndex
CREATE INDEX "approval_run_id_idx" ON "approval"("run_id");

-- CreateIndex
CREATE INDEX "approval_task_id_idx" ON "approval"("task_id");

-- CreateIndex
CREATE UNIQUE INDEX "trigger_delivery_source_delivery_id_key" ON "trigger_delivery"("source", "delivery_id");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_topic_key_key" ON "outbox"("topic", "key");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- AddForeignKey
ALTER TABLE "run" ADD CONSTRAINT "run_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repo"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "task" ADD CONSTRAINT "task_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "task" ADD CONSTRAINT "task_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repo"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "task" ADD CONSTRAINT "task_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "task"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "task_dependency" ADD CONSTRAINT "task_dependency_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "task_dependency" ADD CONSTRAINT "task_dependency_depends_on_id_fkey" FOREIGN KEY ("depends_on_id") REFERENCES "task"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attempt" ADD CONSTRAINT "attempt_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "task"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attempt" ADD CONSTRAINT "attempt_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "agent_session"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_session" ADD CONSTRAINT "agent_session_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "slot" ADD CONSTRAINT "slot_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "slot" ADD CONSTRAINT "slot_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "agent_session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "path_lock" ADD CONSTRAINT "path_lock_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "agent_session"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "base_verdict" ADD CONSTRAINT "base_verdict_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lane" ADD CONSTRAINT "lane_repo_id_fkey" FOREIGN KEY ("repo_id") REFERENCES "repo"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "usage_entry" ADD CONSTRAINT "usage_entry_attempt_id_fkey" FOREIGN KEY ("attempt_id") REFERENCES "attempt"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "budget" ADD CONSTRAINT "budget_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "budget_slice" ADD CONSTRAINT "budget_slice_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "budget"("run_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reservation" ADD CONSTRAINT "reservation_attempt_id_fkey" FOREIGN KEY ("attempt_id") REFERENCES "attempt"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reservation" ADD CONSTRAINT "reservation_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "budget"("run_id") ON DELETE RESTRICT ON UPDATE CASCADE;



-- One repository per place; a path means another one on another host.
CREATE UNIQUE INDEX "repo_place_key" ON "repo" ("location", coalesce("host", ''));

-- Exactly the claim's order over exactly the ready tasks, at large and of one run.
CREATE INDEX "task_ready_idx" ON "task" ("rank", "id")
  WHERE "status" = 'OPEN' AND "pending_dependencies" = 0 AND "claimable";
CREATE INDEX "task_ready_run_idx" ON "task" ("run_id", "rank", "id")
  WHERE "status" = 'OPEN' AND "pending_dependencies" = 0 AND "claimable";
-- What upkeep looks for.
CREATE INDEX "task_asleep_idx" ON "task" ("not_before") WHERE "status" IN ('OPEN', 'BLOCKED') AND NOT "claimable" AND "not_before" IS NOT NULL;
CREATE INDEX "task_cancel_idx" ON "task" ("id") WHERE "cancel_requested" AND NOT "settled";
CREATE INDEX "task_paths_wanted_idx" ON "task" ("paths_wanted_since") WHERE "paths_wanted_since" IS NOT NULL;
CREATE INDEX "task_done_idx" ON "task" ("repo_id", "run_id") WHERE "status" = 'DONE';
CREATE INDEX "task_orphaned_idx" ON "task" ("id") WHERE "status" = 'ORPHANED';
CREATE INDEX "task_waiting_idx" ON "task" ("id") WHERE "status" IN ('WAITING_FOR_SUBTASKS', 'BLOCKED');
CREATE UNIQUE INDEX "task_idempotency_key" ON "task" ("run_id", "idempotency_key") WHERE "idempotency_key" IS NOT NULL;
-- One live lease per task.
CREATE UNIQUE INDEX "attempt_open_key" ON "attempt" ("task_id") WHERE "ended_at" IS NULL;
CREATE INDEX "attempt_held_idx" ON "attempt" ("worker_id") WHERE "ended_at" IS NULL AND "worker_id" IS NOT NULL;
CREATE INDEX "agent_session_live_idx" ON "agent_session" ("id") WHERE "ended_at" IS NULL;
-- One open intent per lane: the next holder settles it first.
CREATE UNIQUE INDEX "landing_open_key" ON "landing" ("lane_id") WHERE "confirmed_at" IS NULL AND "abandoned_at" IS NULL;
CREATE UNIQUE INDEX "landing_confirmed_key" ON "landing" ("task_id") WHERE "confirmed_at" IS NOT NULL;
CREATE UNIQUE INDEX "approval_waiting_key" ON "approval" ("task_id") WHERE "status" = 'waiting';

-- No two batches own overlapping paths; no run has more money bound than it may spend.
ALTER TABLE "path_lock" ADD CONSTRAINT "path_lock_disjoint" EXCLUDE USING gist ("range" WITH &&);
ALTER TABLE "budget" ADD CONSTRAINT "budget_not_negative" CHECK ("reserved_micro_usd" >= 0 AND "spent_micro_usd" >= 0);
ALTER TABLE "task" ADD CONSTRAINT "task_pending_not_negative" CHECK ("pending_dependencies" >= 0);

-- Rows that change often stay on their page.
ALTER TABLE "task" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
ALTER TABLE "attempt" SET (fillfactor = 70);
ALTER TABLE "agent_session" SET (fillfactor = 70);
ALTER TABLE "feed_queue" SET (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);

-- Made once per database; of several rows (never made by Baton) the smallest counts.
INSERT INTO "store_identity" ("id") VALUES (gen_random_uuid());
