import { posix } from 'node:path';
import type { ChangedFile } from './changed-file.ts';

/** Files of JSON that give commands names, and the key under which they do. */
const keys: Readonly<Record<string, string>> = {
  'project.json': 'targets',
  'deno.json': 'tasks',
  'deno.jsonc': 'tasks',
};
const checks = /^(?:test|lint|check|typecheck|types|build|e2e|ci|coverage|verify|fmt:check|format:check)\b/;

/** Names of commands that a change adds, takes away or alters; `null` where the file is another one, or cannot be read. */
export interface NamedTargets {
  /** Those by which checks are run, or that these name. */
  checks: string[];
  /** Whether nothing else of the file differs. */
  isAll: boolean;
}

/** What a change does to the named commands of a file such as project.json. Pure. */
export function namedTargets({ path, before, after }: ChangedFile): NamedTargets | null {
  const key = keys[posix.basename(path)];
  const [was, now] = [before, after].map((lines) => parse(lines.map(({ text }) => text).join('\n')));
  if (key === undefined || was === null || was === undefined || now === null || now === undefined)
    return null;
  const [old, fresh] = [was, now].map((all) => entries(all[key])) as [Entries, Entries];
  const differs = (one: Entries, other: Entries) => (name: string) =>
    JSON.stringify(one[name]) !== JSON.stringify(other[name]);
  const changed = [...new Set([...Object.keys(old), ...Object.keys(fresh)])].filter(differs(old, fresh));
  const judging = [old, fresh].flatMap((all) =>
    Object.entries(all).flatMap(([name, one]) => (checks.test(name) ? [JSON.stringify(one)] : [])),
  );
  const rest = [...new Set([...Object.keys(was), ...Object.keys(now)])].filter((name) => name !== key);
  return {
    checks: changed.filter(
      (name) => checks.test(name) || judging.some((text) => text.split(/[^\w:-]+/).includes(name)),
    ),
    isAll: !rest.some(differs(was, now)),
  };
}

type Entries = Readonly<Record<string, unknown>>;

function entries(value: unknown): Entries {
  return typeof value === 'object' && value !== null ? (value as Entries) : {};
}

function parse(text: string): Entries | null {
  try {
    return entries(JSON.parse(text));
  } catch {
    return null;
  }
}
