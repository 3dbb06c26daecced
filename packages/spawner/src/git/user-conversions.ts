import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';

import type { Exec } from '@baton/contracts';
import { placeAgain, quoted, writeWhole } from './settings-file.ts';

const timeoutMs = 10_000;
/** By what git converts files between a repository and its checkout: ends of line, attributes, filters such as Git LFS. */
const asked = '^(core\\.(autocrlf|eol|attributesfile)|filter\\..+)$';

/** How the operator's git converts the files of a checkout, as settings for a git of ours. */
export interface Conversions {
  /**
   * Reads the operator's settings for a repository at each call; those that only hold there (`includeIf`) too.
   * @param base What git's environment holds already; settings that it names stay.
   * @returns what it gains: nothing where there are no such settings
   */
  env(cwd: string, base: Readonly<Record<string, string>>): Promise<Record<string, string>>;
}

/**
 * Git compares and writes files of the user's checkout as their own git does. Otherwise each file of Git LFS, or with other ends of line,
 * looks like an edit. What else those settings hold is not read, and the repository's own settings outrank them as always.
 */
export function createConversions(given: {
  exec: Exec;
  env: Readonly<Record<string, string | undefined>>;
}): Conversions {
  let place: string | null = null;
  return {
    async env(cwd, base) {
      const lines = conversionLines(await printedFor(cwd, given));
      if (lines === '') return {};
      const before = base['GIT_CONFIG_GLOBAL'];
      const text = `${before === undefined ? '' : `[include]\n\tpath = ${quoted(before)}\n`}${lines}`;
      place = placeAgain(place, given.env);
      const file = `${place}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
      return { GIT_CONFIG_GLOBAL: existsSync(file) ? file : writeWhole(file, text) };
    },
  };
}

async function printedFor(
  cwd: string,
  { exec, env }: { exec: Exec; env: Readonly<Record<string, string | undefined>> },
): Promise<string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !/^GIT_(?!CONFIG_)/.test(entry[0]),
  );
  const argv = ['git', 'config', '--show-scope', '--null', '--get-regexp', asked] as const;
  const printed = await exec([...argv], { cwd, env: Object.fromEntries(kept), timeoutMs });
  return printed.exitCode === 0 ? printed.stdout : '';
}

/**
 * From what git prints, scope and `key LF value` by turns, each ended by NUL: the same as lines of a file of settings. What a repository
 * says of itself is left out: git reads that anyway. Pure.
 */
export function conversionLines(printed: string): string {
  const parts = printed.split('\0');
  const lines: string[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    if (!/^(system|global|command)$/.test(parts[at] ?? '')) continue;
    // Names hold no line break, values may hold any byte but NUL.
    const [, whole = '', value] = /^([^\n]*)(?:\n([^]*))?$/.exec(parts[at + 1] ?? '') ?? [];
    const [, section = '', name = '', key = ''] = /^([^.]+)(?:\.(.*))?\.([^.]+)$/.exec(whole) ?? [];
    if (section === '') continue;
    lines.push(`[${section}${name === '' ? '' : ` ${quoted(name)}`}]\n\t${key}`);
    lines.push(value === undefined ? '\n' : ` = ${quoted(value)}\n`);
  }
  return lines.join('');
}
