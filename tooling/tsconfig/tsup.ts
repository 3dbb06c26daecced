import path from 'node:path';
import { writeDeclarations } from './declarations.ts';

type Entries = string[] | Record<string, string>;

/** ES modules, readable by `require` on every supported Node. */
export function modules(entry: Entries) {
  return {
    entry,
    format: ['esm' as const],
    sourcemap: true,
    clean: true,
    target: 'node22',
    treeshake: true,
  };
}

/** The one build recipe: modules with types. */
export function library(entry: Entries) {
  const entries = Array.isArray(entry)
    ? Object.fromEntries(entry.map((source) => [path.relative('src', source).replace(/\.ts$/, ''), source]))
    : entry;
  return { ...modules(entry), onSuccess: () => writeDeclarations(entries) };
}
