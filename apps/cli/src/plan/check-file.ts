import { inputIssues, type ErrorCode, type InputIssue } from '@baton/contracts';
import type { z } from 'zod';

import { nearest } from '../terminal/nearest.ts';
import { allowedAt, unknownKeyMessage } from './key-hints.ts';
import { plainIssue } from './plain-issue.ts';
import { fileProblems, type FileProblem, type YamlFile } from './yaml-file.ts';

/**
 * Holds a file against a schema.
 * @throws `code` naming every problem with its line, column and key path
 */
export function checkFile<S extends z.ZodType>(
  file: YamlFile,
  { schema, code }: { schema: S; code: ErrorCode },
): z.output<S> {
  const result = schema.safeParse(file.value);
  if (result.success) return result.data;
  const issues = inputIssues(result.error);
  const all = [...issues, ...hiddenKeys(file, issues, schema)];
  const meant = new Set(all.flatMap((issue) => meantPath(issue, schema)));
  const problems = all
    .filter(({ path }) => valueAt(file.value, path) !== undefined || !meant.has(path.join('.')))
    .map((issue) => explain(file, issue, schema));
  throw fileProblems(uniqueInOrder(problems), { name: file.name, code });
}

/** Where problems that were found later (duplicates, cycles) stand in the file. */
export function locateIssues(file: YamlFile, issues: readonly InputIssue[]): FileProblem[] {
  return issues.map((issue) => ({ ...issue, place: file.placeOf(issue.path) }));
}

/** The key that a mistyped one was meant to be: that it is missing is the same mistake. */
function meantPath(issue: InputIssue, schema: z.ZodType): string[] {
  if (!issue.message.startsWith('unknown key')) return [];
  const parent = issue.path.slice(0, -1);
  const key = nearest(String(issue.path.at(-1)), allowedAt(schema, parent).keys);
  return key === undefined ? [] : [[...parent, key].join('.')];
}

/** A union that finds no option does not tell the keys that fit none: `{ typ: path_exists }` lacks `type` *because* of `typ`. */
function hiddenKeys(file: YamlFile, issues: readonly InputIssue[], schema: z.ZodType): InputIssue[] {
  return issues
    .filter((issue) => issue.path.length > 0)
    .flatMap((issue) => {
      const parent = issue.path.slice(0, -1);
      const value = valueAt(file.value, parent);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
      const { keys } = allowedAt(schema, parent);
      if (keys.length === 0) return [];
      return Object.keys(value)
        .filter((key) => !keys.includes(key) && !isRecordPlace(schema, parent, key))
        .map((key) => ({ path: [...parent, key], message: unknownKeyMessage(key, keys) }));
    });
}

/** In a record such as `agents` any name is a key. */
function isRecordPlace(schema: z.ZodType, parent: readonly (string | number)[], key: string): boolean {
  const { keys, values } = allowedAt(schema, [...parent, key]);
  return keys.length > 0 || values.length > 0;
}

function explain(file: YamlFile, issue: InputIssue, schema: z.ZodType): FileProblem {
  const key = String(issue.path.at(-1) ?? '');
  const parent = issue.path.slice(0, -1);
  if (issue.message.startsWith('unknown key')) {
    const message = unknownKeyMessage(key, allowedAt(schema, parent).keys);
    return { path: issue.path, message, place: file.placeOf(issue.path, 'key') };
  }
  const place = file.placeOf(issue.path);
  const value = valueAt(file.value, issue.path);
  if (value === undefined && issue.path.length > 0) {
    return { path: issue.path, message: `required key "${key}" is missing`, place };
  }
  const allowed = allowedAt(schema, issue.path);
  const { values } = allowed;
  if (values.length > 0 && typeof value === 'string') {
    const meant = nearest(value, values);
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    return { path: issue.path, message: `"${value}" is not one of ${values.join(', ')}${hint}`, place };
  }
  return { path: issue.path, message: plainIssue(issue.message, { key, value, allowed }), place };
}

function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    root,
  );
}

function uniqueInOrder(problems: readonly FileProblem[]): FileProblem[] {
  const seen = new Map(problems.map((problem) => [`${problem.path.join('.')}|${problem.message}`, problem]));
  return [...seen.values()].sort(
    (a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0) || (a.place?.column ?? 0) - (b.place?.column ?? 0),
  );
}
