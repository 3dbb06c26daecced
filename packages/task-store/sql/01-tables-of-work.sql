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
