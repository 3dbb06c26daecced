import { filesAreStrict } from '@baton/contracts';
import { renderPrompt, type TaskStart } from '@baton/spawner';
import { budgetNote } from './budget-note.ts';
import type { WorkerContext } from '../context/context.ts';
import type { OpenBatch } from '../open/open-batch.ts';
import type { Place } from './place.ts';

/** A session that takes its next task knows another tree: its earlier work is there only when it has landed. */
const freshTree =
  'Your worktree was reset to the current target branch: the work of your earlier tasks is in it only if it has landed. Read files again before you rely on them.';

/** The newest words of people count; older ones were for tries that are over. */
const mostWords = 5;

/** Renders the prompt of a task and lets plugins have their say. */
export async function promptOf(
  ctx: WorkerContext,
  batch: OpenBatch,
  { claimed, first, start }: Place & { start: TaskStart },
): Promise<{ prompt: string } | { vetoed: string }> {
  const { task, attempt } = claimed;
  const isFirst = attempt.number === 1;
  const note = isFirst ? null : budgetNote(await ctx.store.trust.completionBudget(task.id));
  const said = isFirst ? [] : (await ctx.store.tasks.words(task.id)).slice(-mostWords);
  const prompt = renderPrompt({
    role: claimed.task.role,
    task: claimed.task,
    attempt: claimed.attempt.number,
    rejections: claimed.rejections,
    lessons: [
      ...said.map(({ text }) => `A person says: ${text}`),
      ...(first ? [] : [freshTree]),
      ...(note === null ? [] : [note]),
    ],
    continued: start.continued,
    conflicts: start.conflicts,
    salvageRef: claimed.salvageRef,
    predecessors: claimed.predecessors,
    gates: batch.claim.run.gates,
    filesStrict: filesAreStrict(batch.claim.run.plan, claimed.task.key),
    workspace: batch.workspace.path,
  });
  const built = await ctx.plugins?.intercept('prompt:build', {
    runId: batch.claim.run.id,
    taskId: claimed.task.id,
    prompt,
  });
  if (built === undefined) return { prompt };
  return built.ok ? { prompt: built.payload.prompt } : { vetoed: `plugin ${built.by}: ${built.reason}` };
}
