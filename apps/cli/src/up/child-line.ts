import { z } from 'zod';

import type { Colors } from '../terminal/colors.ts';

/** What is not told to people: the prefix names the process. */
const unsaid = new Set(['level', 'time', 'name', 'msg', 'pid', 'hostname']);
const warnLevel = 40;
const errorLevel = 50;

const logged = z.looseObject({ msg: z.string(), level: z.number(), time: z.number() });

/**
 * A line that a process of `baton up` wrote to stderr, for people: time, process, message and fields. A line that is no JSON of
 * its log is kept as it is.
 */
export function childLine(line: string, { name, colors }: { name: string; colors: Colors }): string {
  const entry = parse(line);
  if (entry === null) return `${colors.dim(`[${name}]`)} ${line}`;
  const { msg, level, time } = entry;
  const message = level >= errorLevel ? colors.red(msg) : level >= warnLevel ? colors.yellow(msg) : msg;
  const fields = Object.entries(entry)
    .filter(([key, value]) => !unsaid.has(key) && value !== null && !isEmpty(value))
    .map(([key, value]) => colors.dim(`${key}=${text(value)}`));
  const at = new Date(time).toISOString().slice(11, 19);
  return [colors.dim(`${at} [${name}]`), message, ...fields].join(' ');
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function text(value: unknown): string {
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
}

function parse(line: string): z.output<typeof logged> | null {
  try {
    return logged.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null; // a message of Node itself, or the error that ended it
  }
}
