import { draftTask, newTask, type plan, type TaskDraft } from '@baton/contracts';
import type { z } from 'zod';

/** A plan as it stands in a file and goes over the wire. */
export type PlanFile = z.input<typeof plan>;

/** A repository that nobody opens. */
export const nowhere = { location: 'https://git.example.com/acme/app.git', host: null };

/** A plan of two steps, one after the other. */
export function twoSteps(more: Partial<PlanFile> = {}): PlanFile {
  return {
    name: 'tidy',
    agents: { format: { command: ['true'], env: { TOKEN: 'a-secret-in-the-plan', OTHER: '${OTHER}' } } },
    stages: [
      {
        name: 'all',
        steps: [
          { key: 'format', title: 'Format the sources', agent: 'format', files: ['src/'] },
          { key: 'log', title: 'Write the changelog', agent: 'format', depends_on: ['format'] },
        ],
      },
    ],
    ...more,
  };
}

/** A task as the API takes it. */
export function draft(key: string, more: Partial<TaskDraft> = {}): TaskDraft {
  const given = {
    key,
    title: `Do ${key}`,
    goal: `${key} is done`,
    scope: 'small',
    complexity: 'low',
    ...more,
  };
  return draftTask(newTask.parse(given), { kind: 'api', by: 'test', trusted: true });
}
