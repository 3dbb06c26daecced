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
