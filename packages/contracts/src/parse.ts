import type { z } from 'zod';
import type { ErrorCode } from './error-codes.ts';
import { BatonError } from './error.ts';

/** One thing that is wrong with an input: where and what. */
export interface InputIssue {
  /** Key path, e.g. `stages.0.steps.1.signals.0.typ`. */
  path: readonly (string | number)[];
  message: string;
}

/** The issues of a failed zod parse as plain data, unknown keys by name. Union issues are those of the closest option. */
export function inputIssues(error: z.ZodError): InputIssue[] {
  return error.issues.flatMap((issue) => flatten(issue, []));
}

function flatten(issue: z.core.$ZodIssue, base: readonly PropertyKey[]): InputIssue[] {
  const path = [...base, ...issue.path].filter((part) => typeof part !== 'symbol');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: `unknown key "${key}"` }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const closest = issue.errors.reduce((best, option) =>
      distance(option) < distance(best) ? option : best,
    );
    if (closest.length > 0) return closest.flatMap((inner) => flatten(inner, path));
  }
  if (issue.code === 'invalid_key') {
    return issue.issues
      .flatMap((inner) => flatten(inner, path))
      .map(({ message }) => ({ path, message: `as a key: ${message}` }));
  }
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)) {
    return [
      { path, message: `must be one of ${issue.options.map((option) => JSON.stringify(option)).join(', ')}` },
    ];
  }
  return [{ path, message: issue.message }];
}

/** An option of another type than the value (text where an object was meant) is never the one that was intended. */
function distance(option: readonly z.core.$ZodIssue[]): number {
  const otherType = option.some((issue) => issue.path.length === 0 && issue.code === 'invalid_type');
  return option.length + (otherType ? 1000 : 0);
}

/**
 * Parses an input at an edge.
 * @throws BatonError with `code` naming every issue and its key path.
 */
export function parseInput<S extends z.ZodType>(
  schema: S,
  value: unknown,
  options: { code?: ErrorCode; what: string; at?: string },
): z.output<S> {
  const result = schema.safeParse(value);
  const dropped = result.success ? protoKeys(value) : [];
  if (result.success && dropped.length === 0) return result.data;
  const issues = result.success ? dropped : inputIssues(result.error);
  const lines = issues.map((issue) =>
    issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message,
  );
  throw new BatonError(options.code ?? 'INVALID_INPUT', `${options.what} is not valid: ${lines.join('; ')}`, {
    details: { issues },
    ...(options.at === undefined ? {} : { at: options.at }),
    ...(result.success ? {} : { cause: result.error }),
  });
}

/** Clocks, schemas and other objects with a class of their own are no input. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Keys that zod leaves out of maps without a word, and JavaScript would take for a prototype: a file may hold them all the same. */
function protoKeys(value: unknown): InputIssue[] {
  const issues: InputIssue[] = [];
  const seen = new Set<object>();
  const open: { value: unknown; path: readonly (string | number)[] }[] = [{ value, path: [] }];
  for (const { value: here, path } of open) {
    if (typeof here !== 'object' || here === null || seen.has(here)) continue;
    seen.add(here);
    if (Array.isArray(here)) {
      here.forEach((inner, at) => open.push({ value: inner, path: [...path, at] }));
      continue;
    }
    if (!isPlain(here)) continue;
    for (const [key, inner] of Object.entries(here)) {
      if (key === '__proto__')
        issues.push({ path: [...path, key], message: 'no key may be called "__proto__"' });
      else open.push({ value: inner, path: [...path, key] });
    }
  }
  return issues;
}
