-- Checkpoint logs of cognitive tasks: one row a checkpoint, in order; a move that is written twice counts once.
CREATE TABLE "cognitive_checkpoint" (
  "id" BIGSERIAL PRIMARY KEY,
  "attempt_id" UUID NOT NULL,
  "seq" INTEGER NOT NULL,
  "timing" TEXT NOT NULL,
  "checkpoint" JSONB NOT NULL,
  "at" TIMESTAMPTZ(6) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX "cognitive_checkpoint_attempt_id_seq_timing_key" ON "cognitive_checkpoint"("attempt_id", "seq", "timing");
