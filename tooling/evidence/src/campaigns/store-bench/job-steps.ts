import type { Captured } from './capture.ts';

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Where a later statement's id stands in an answer. */
export interface Got {
  id: string;
  column: string;
  /** Into the column's JSON; empty: the column itself. */
  path: readonly string[];
}

/** One statement of a job, with what has to be exchanged for the next job. */
export interface Step {
  text: string;
  /** Values as text, with the captured job's ids. */
  values: readonly (string | null)[];
  gets: readonly Got[];
}

/** A captured job, made repeatable. */
export interface JobSteps {
  /** Ids that the client makes anew for each job. */
  made: readonly string[];
  steps: readonly Step[];
}

/**
 * Finds out of one captured job which ids differ from job to job: those that the client made, and those that an earlier
 * statement of the job answered. Everything else is the same for every fresh task.
 */
export function jobSteps(statements: readonly Captured[], madeByClient: readonly string[]): JobSteps {
  const texts = statements.map(({ values }) => values.map(asText));
  const made = madeByClient.filter((id) => texts.some((each) => each.some((text) => text?.includes(id))));
  const known = new Set(made);
  const gets = statements.map<Got[]>(() => []);
  for (const [at, values] of texts.entries()) {
    for (const [id] of values.flatMap((text) => [...(text ?? '').matchAll(uuid)])) {
      if (known.has(id)) continue;
      for (const [earlier, { rows }] of statements.slice(0, at).entries()) {
        const place = placeOf(rows[0] ?? {}, id);
        if (place === undefined) continue;
        gets[earlier]?.push({ id, ...place });
        known.add(id);
        break;
      }
    }
  }
  return {
    made,
    steps: statements.map(({ text }, at) => ({ text, values: texts[at] ?? [], gets: gets[at] ?? [] })),
  };
}

function placeOf(row: Record<string, unknown>, id: string): Pick<Got, 'column' | 'path'> | undefined {
  for (const [column, value] of Object.entries(row)) {
    const path = pathTo(value, id);
    if (path !== undefined) return { column, path };
  }
  return undefined;
}

function pathTo(value: unknown, text: string): string[] | undefined {
  if (value === text) return [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const path = pathTo(inner, text);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}

/** A value as `pg` sends it. */
function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return `{${value.map(element).join(',')}}`;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value as string | number | boolean);
}

function element(value: unknown): string {
  const text = asText(value);
  return text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** The text cut at its ids of the job: every second piece is an id. */
export function cutAtIds(text: string, ids: { has(id: string): boolean }): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const match of text.matchAll(uuid)) {
    if (!ids.has(match[0])) continue;
    pieces.push(text.slice(from, match.index), match[0]);
    from = match.index + match[0].length;
  }
  return [...pieces, text.slice(from)];
}
