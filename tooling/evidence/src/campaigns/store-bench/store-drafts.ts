import { draftTask, newTask, type TaskDraft } from '@baton/contracts';
import type { NewRun } from '@baton/task-store';

/** The smallest task there is: no paths, no dependencies, everything else as a plan would leave it. */
export function benchDraft(key: string, given: Partial<TaskDraft> = {}): TaskDraft {
  const small = { key, goal: 'do nothing', scope: 'small', complexity: 'low', ...given };
  return draftTask(newTask.parse(small), { kind: 'plan', by: 'bench', trusted: true });
}

/** A run without tasks; its slug is made of `name`. */
export function benchRun(name: string, given: Partial<NewRun> = {}): NewRun {
  const place = { repo: { location: '/bench', host: null }, target: 'main', baseCommit: 'b'.repeat(40) };
  return { slug: name, name, ...place, tasks: [], ...given };
}
