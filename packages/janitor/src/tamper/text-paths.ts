import { posix } from 'node:path';
import { tidy } from './assertions.ts';

/** Words of a command line, or of a shell's script, that are paths. */
const bareWord = /(?:\$\{?\w+\}?|[\w.-]+)(?:\/[\w.-]+)+/g;

/**
 * Paths that a line of code names, without what leads to them (`../`, `$ROOT/`): its strings, all of them joined as parts of one path, and
 * words of a shell. Pure.
 */
export function pathsIn(text: string): string[] {
  const strings = [...tidy(text).matchAll(/"((?:[^"\\\s]|\\.)+)"/g)].map(([, inside = '']) => inside);
  const words = text.match(bareWord) ?? [];
  const joined = strings.length > 1 ? [strings.join('/')] : [];
  return [...new Set([...strings, ...joined, ...words].map(withoutLead))].filter((path) =>
    /[\w-]\.\w+$|\/[\w-]+$/.test(path),
  );
}

function withoutLead(path: string): string {
  return posix.normalize(path.replace(/^\$\{?\w+\}?\//, '')).replace(/^(?:\.{0,2}\/)+/, '');
}

/** Which of some paths a name leads to: itself, or where its end is the whole name with its folder. Pure. */
export function pathsNamed(name: string, paths: readonly string[]): string[] {
  return paths.filter((path) => path === name || (name.includes('/') && path.endsWith(`/${name}`)));
}
