import type { Answer } from './answer.ts';
import type { ExplainFacts } from './explain.sql.ts';

/** How a worker begins the reason of a pause when somebody else deleted or moved the target, or replaced its repository. */
const movedReason = /^(TARGET_MOVED|REPO_CHANGED): /;

/** What a worker said of a target that does not hold what landed on it; null: the run does not stand still for that. */
export const movedText = ({ runStatus, runReason }: ExplainFacts): string | null =>
  runStatus === 'paused' && runReason !== null && movedReason.test(runReason)
    ? runReason.replace(movedReason, '')
    : null;

/**
 * The target was deleted or moved by its owner: the text names the two commands, what restores the branch, and what continues.
 * No command brings back a repository that was replaced.
 */
export function targetMoved(
  { run, runReason }: ExplainFacts,
  { text, goOn }: { text: string; goOn: string | null },
): Answer {
  const [, bring] = /`([^`]+)`, then `[^`]+`/.exec(text) ?? [];
  const unblock = runReason?.startsWith('REPO_CHANGED: ')
    ? ['put the former repository back', ...(goOn === null ? [] : [`then \`${goOn}\``])].join(', ')
    : bring === undefined
      ? `baton run --resume ${run} --restore-target`
      : [bring, ...(goOn === null ? [] : [goOn])].join(' && ');
  return { cause: 'target_moved', text, owner: 'a person', unblock };
}
