import type { Answer } from './explain-answer.ts';
import type { ExplainFacts } from './sql/explain.ts';

/** How a worker begins the reason of a pause when somebody else deleted or moved the target. */
const movedReason = 'TARGET_MOVED: ';

/** What a worker said of a target that does not hold what landed on it; null: the run does not stand still for that. */
export const movedText = ({ runStatus, runReason }: ExplainFacts): string | null =>
  runStatus === 'paused' && runReason?.startsWith(movedReason) === true
    ? runReason.slice(movedReason.length)
    : null;

/** The target was deleted or moved by its owner. The text names the two commands: what brings the branch back, and what goes on. */
export function targetMoved({ run }: ExplainFacts, text: string): Answer {
  const [, bring, goOn] = /`([^`]+)`, then `([^`]+)`/.exec(text) ?? [];
  const unblock =
    bring === undefined || goOn === undefined
      ? `baton run --resume ${run} --restore-target`
      : `${bring} && ${goOn}`;
  return { cause: 'target_moved', text, owner: 'a person', unblock };
}
