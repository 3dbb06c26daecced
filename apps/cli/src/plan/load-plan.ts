import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { BatonError, plan, planTasks, type Plan, type TaskDraft, type TaskSource } from '@baton/contracts';

import { nearest } from '../terminal/nearest.ts';
import { checkFile, locateIssues } from './check-file.ts';
import { fileProblems, parseYaml, readYamlFile, type YamlFile } from './yaml-file.ts';

/** A plan file that holds against the schema and whose names and dependencies are right. */
export interface LoadedPlan {
  plan: Plan;
  tasks: TaskDraft[];
  file: YamlFile;
}

/**
 * Reads a plan file, or standard input for `-`.
 * @throws FILE_MISSING; PLAN_EMPTY; PLAN_INVALID and PLAN_CYCLE naming every place by line, column and key path
 */
export async function loadPlan(
  file: string,
  options: { cwd: string; stdin: Readable; source: TaskSource },
): Promise<LoadedPlan> {
  const code = 'PLAN_INVALID';
  const yaml =
    file === '-'
      ? parseYaml(await text(options.stdin), { name: 'standard input', code })
      : await readYamlFile(path.resolve(options.cwd, file), { name: file, code });
  return { ...checkPlan(yaml, options), file: yaml };
}

/** Holds parsed YAML against the plan's schema and makes the tasks of it. @throws as {@link loadPlan} */
export function checkPlan(
  file: YamlFile,
  { source }: { source: TaskSource },
): { plan: Plan; tasks: TaskDraft[] } {
  if (isEmpty(file.value)) {
    throw new BatonError('PLAN_EMPTY', `${file.name} holds no steps.`, {
      at: file.name,
      fix: 'Give it a name and at least one stage with a step; `baton init` writes an example.',
    });
  }
  const parsed = checkFile(file, { schema: plan, code: 'PLAN_INVALID' });
  try {
    return { plan: parsed, tasks: planTasks(parsed, { source }) };
  } catch (error) {
    throw located(file, error);
  }
}

/** No text at all, or stages that hold no step: both say "empty", not "key missing". */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  const { stages } = value as { stages?: unknown };
  if ('stages' in value && (stages === null || (Array.isArray(stages) && stages.length === 0))) return true;
  if (!Array.isArray(stages)) return false;
  return stages.every((stage: unknown) => {
    const steps = (stage as { steps?: unknown } | null)?.steps;
    return steps === null || (Array.isArray(steps) && steps.length === 0);
  });
}

function located(file: YamlFile, error: unknown): unknown {
  if (!BatonError.is(error)) return error;
  const { issues, missed } = error.details as {
    issues?: Parameters<typeof locateIssues>[1];
    missed?: { name: string; known: readonly string[] };
  };
  if (!issues) return error;
  const meant = missed && nearest(missed.name, missed.known);
  const problems = locateIssues(file, issues).map((problem) =>
    meant === undefined ? problem : { ...problem, message: `${problem.message}; did you mean "${meant}"?` },
  );
  const told = fileProblems(problems, { name: file.name, code: error.code });
  return new BatonError(error.code, told.message, {
    ...(error.fix === undefined ? {} : { fix: error.fix }),
    details: { ...error.details, ...told.details },
    cause: error,
  });
}
