import { draftTask, newTask, type TaskDraft } from '@baton/contracts';
import type { ClaimRequest, RunDraft } from '../../src/index.ts';
import { completeRun } from '../../src/model/new-run.ts';

/** A task draft with everything at its default but what is given. */
export function draft(key: string, given: Partial<TaskDraft> = {}): TaskDraft {
  const { source = { kind: 'plan', by: 'tester', trusted: true }, ...changed } = given;
  const small = { key, goal: `do ${key}`, scope: 'small', complexity: 'low' };
  return draftTask(newTask.parse({ ...small, ...changed }), source);
}

let runs = 0;

/** A run draft with a slug of its own. */
export function runDraft(tasks: TaskDraft[], given: Partial<RunDraft> = {}): RunDraft {
  const place = {
    repo: { location: '/repo', host: 'here' },
    target: 'baton/run',
    baseCommit: 'b'.repeat(40),
  };
  return completeRun({ slug: `run-${++runs}`, name: 'run', ...place, tasks, ...given }, { by, ids });
}

const ids = { uuid: () => '' }; // its slug is given

export const by = { actor: 'operator:tester', reason: 'test' };

/** A claim as worker `w1` on host `here`. */
export function request(given: Partial<ClaimRequest> = {}): ClaimRequest {
  return {
    workerId: 'w1',
    maxTasks: 1,
    leaseMs: 60_000,
    capabilities: { host: 'here', labels: [] },
    ...given,
  };
}
