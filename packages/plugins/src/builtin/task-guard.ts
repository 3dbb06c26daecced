import { pathPrefix, type TaskDraft } from '@baton/contracts';
import { z } from 'zod';
import { definePlugin } from '../plugin.ts';

const options = z.strictObject({
  forbid: z.array(pathPrefix).default([]).describe('path prefixes that no task may own'),
  requireFiles: z.boolean().default(false).describe('true: a task must say which paths it owns'),
  requireSignals: z.boolean().default(false).describe('true: a task must say what proves that it is done'),
  addLabels: z.array(z.string().min(1)).default([]).describe('labels that every task gets'),
});

/**
 * Looks at every task before it is created: refuses those that own forbidden paths or lack what is required, and adds labels.
 * Required: Baton does not start without it.
 */
export const taskGuard = definePlugin({
  name: 'task-guard',
  version: '1.0.0',
  required: true,
  options,
  setup(api) {
    const { addLabels } = api.options;
    api.intercept('task:beforeCreate', { onError: 'deny' }, ({ draft }) => {
      const problem = problemOf(draft, api.options);
      if (problem !== null) return { deny: problem };
      const labels = [...new Set([...draft.labels, ...addLabels])];
      return labels.length === draft.labels.length ? undefined : { change: { draft: { ...draft, labels } } };
    });
  },
});

function problemOf(draft: TaskDraft, rules: z.output<typeof options>): string | null {
  for (const file of draft.files) {
    const forbidden = rules.forbid.find((prefix) => overlap(file, prefix));
    if (forbidden !== undefined)
      return `the task "${draft.key}" would own "${file}", and "${forbidden}" is forbidden`;
  }
  if (rules.requireFiles && draft.files.length === 0)
    return `the task "${draft.key}" does not say which files it owns`;
  if (rules.requireSignals && draft.signals.length === 0) {
    return `the task "${draft.key}" has no signals, so nothing would prove that it is done`;
  }
  return null;
}

/** Whether one prefix holds the other, by whole path segments: "src/a" does not hold "src/ab". */
function overlap(one: string, other: string): boolean {
  const [a, b] = [segments(one), segments(other)];
  return a.every((segment, index) => index >= b.length || segment === b[index]);
}

function segments(prefix: string): string[] {
  return prefix.split('/').filter((segment) => segment !== '' && segment !== '.');
}
