-- What policy checks look at: how many attempts a piece of work has used up, and what became of the attempts of an agent.

-- Attempts in all, for a task and what it is split into, before a person decides; null: the default.
ALTER TABLE "task" ADD COLUMN "max_attempts" INTEGER;

-- Signs of tampering are few and never forgotten, however long the history.
CREATE INDEX "verdict_tampered_idx" ON "verdict" ("attempt_id")
  WHERE jsonb_path_exists("results", '$[*] ? (@.name == "tamper" && @.passed == false)');

-- The lineage of a task: what it was split from and all that this was split into. Spent: attempts in which an agent worked and that
-- came to nothing; one that landed, or that a person or the provider ended, is not charged.
CREATE FUNCTION baton_lineage(v_task uuid) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
  WITH RECURSIVE up AS (
    SELECT t.id, t.parent_id FROM task t WHERE t.id = v_task
    UNION ALL SELECT p.id, p.parent_id FROM task p JOIN up u ON p.id = u.parent_id),
  family AS (
    SELECT t.id, t.max_retries, t.max_attempts, t.granted_tries, t.parent_id FROM task t JOIN up u ON u.id = t.id AND u.parent_id IS NULL
    UNION ALL SELECT c.id, c.max_retries, c.max_attempts, c.granted_tries, c.parent_id FROM task c JOIN family f ON c.parent_id = f.id)
  SELECT jsonb_build_object(
    'spent', (SELECT count(*) FROM attempt a JOIN family f ON f.id = a.task_id WHERE a.start_commit IS NOT NULL
      AND a.outcome IN ('rejected', 'conflict', 'base_rejected', 'agent_failed', 'crashed', 'timeout', 'lease_lost')),
    'maxRetries', max(f.max_retries) FILTER (WHERE f.parent_id IS NULL),
    'maxAttempts', max(f.max_attempts) FILTER (WHERE f.parent_id IS NULL),
    'granted', sum(f.granted_tries))
  FROM family f);
END;
$$;
