import { printable } from '@baton/contracts';
import type { z } from 'zod';
import { asUser, type UserPlace, type UserRun } from './as-user.ts';
import type { Forge, ForgeAnswer, ForgeTrouble } from './forge.ts';

const longestWords = 400;

/** The end of what a program said, on one line. */
export function lastWords(text: string): string {
  const lines = printable(text).trim().split('\n').slice(-4);
  const line = lines.map((each) => each.trim()).join(' ');
  return line === '' ? 'it said nothing.' : line.slice(0, longestWords);
}

/** What a failed call means. Pure. */
export function troubleOf(program: Forge['program'], run: UserRun): { why: ForgeTrouble; text: string } {
  if (run.isMissing) return { why: 'missing', text: `${program} is not installed.\n${installFix(program)}` };
  const said = `${run.stderr}\n${run.stdout}`;
  if (
    (program === 'gh' && run.exitCode === 4) ||
    /\b401\b|(gh|glab) auth login|bad credentials|not logged in/i.test(said)
  )
    return { why: 'login', text: `${program} is not logged in.\nLog in with \`${program} auth login\`.` };
  if (/rate limit|\b429\b|too many requests|abuse detection/i.test(said))
    return { why: 'rate_limit', text: `${program} was asked too often: ${lastWords(run.stderr)}` };
  if (/\b(403|404|422)\b|could not resolve to a|not found|forbidden|permission|validation failed/i.test(said))
    return { why: 'refused', text: `${program} says no: ${lastWords(run.stderr)}` };
  return { why: 'away', text: `${program} gave no answer: ${lastWords(run.stderr)}` };
}

function installFix(program: Forge['program']): string {
  const where = program === 'gh' ? 'https://cli.github.com' : 'https://docs.gitlab.com/cli';
  return `Install it (${where}), then log in with \`${program} auth login\`.`;
}

/** Runs a program of the user that prints JSON, and reads that strictly enough to rely on it. */
export async function askJson<T>(
  place: UserPlace,
  { argv, shape }: { argv: readonly [Forge['program'], ...string[]]; shape: z.ZodType<T> },
): Promise<{ ok: true; value: T } | { ok: false; why: ForgeTrouble; text: string; run: UserRun }> {
  const run = await asUser(place, argv);
  if (!run.ok) return { ok: false, ...troubleOf(argv[0], run), run };
  const parsed = shape.safeParse(parse(run.stdout));
  if (parsed.success) return { ok: true, value: parsed.data };
  const text = `${argv[0]} printed what Baton does not understand: ${lastWords(run.stdout.slice(0, longestWords))}`;
  return { ok: false, why: 'away', text, run };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // said by the schema
  }
}

/** Whether the program is installed and logged in. */
export async function checkLogin(place: UserPlace, program: Forge['program']): Promise<ForgeAnswer<null>> {
  const run = await asUser(place, [program, 'auth', 'status']);
  if (run.ok) return { ok: true, value: null };
  if (run.isMissing) return { ok: false, ...troubleOf(program, run) };
  const text = `${program} is not logged in.\nLog in with \`${program} auth login\`.`;
  return { ok: false, why: 'login', text };
}

/** Opens a request by a command that prints its address. */
export async function openBy(
  place: UserPlace,
  argv: readonly [Forge['program'], ...string[]],
): ReturnType<Forge['open']> {
  const run = await asUser(place, argv);
  const url = /https?:\/\/\S+/.exec(`${run.stdout}\n${run.stderr}`)?.[0] ?? null;
  if (run.ok) return { ok: true, value: { kind: 'opened', url } };
  if (/already exists/i.test(run.stderr)) return { ok: true, value: { kind: 'exists', url } };
  return { ok: false, ...troubleOf(argv[0], run) };
}
