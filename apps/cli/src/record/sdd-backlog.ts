import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { BatonError, completionSignal, keyFromTitle, keyName } from '@baton/contracts';
import { parse } from 'yaml';
import { z } from 'zod';

/** A plan made of a backlog, and what of the backlog has no place in one. */
export interface ReadBacklog {
  plan: { name: string; stages: { name: string; steps: Record<string, unknown>[] }[] };
  /** One sentence each, with the file. */
  leftOut: string[];
}

const text = z.string().trim().min(1);
const words = z.union([
  z.array(z.string()),
  z.string().transform((one) => one.split(',').map((word) => word.trim())),
]);

/** Keys of a ticket that a plan has a place for; the others are reported. */
const ticket = z.looseObject({
  id: z.union([text, z.number().transform(String)]).optional(),
  title: text,
  description: z.string().optional(),
  role: text.optional(),
  priority: z.union([z.number(), z.string()]).optional(),
  scope: z.enum(['small', 'medium', 'large', 'xl']).optional(),
  complexity: z.enum(['low', 'medium', 'high']).optional(),
  model: text.optional(),
  effort: z.enum(['low', 'medium', 'high']).optional(),
  depends_on: words.default([]),
  affected_paths: words.default([]),
  context_files: words.default([]),
  janitor_signals: z.array(z.looseObject({ type: z.string() })).default([]),
  require_review: z.boolean().default(false),
  require_human_approval: z.boolean().default(false),
});
/** Written by `baton export --sdd`, and known from elsewhere: nothing is lost without them. */
const silent = new Set([...Object.keys(ticket.shape), 'status', 'run', 'type']);

interface Ticket {
  file: string;
  key: string;
  id: string;
  fields: z.output<typeof ticket>;
}

/**
 * Reads `backlog/{open,issues,claimed}` of a `.sdd` folder: YAML files, and Markdown with YAML front matter whose body is the goal.
 * Closed tickets count as done: who waited for them does no longer.
 * @throws FILE_MISSING without a backlog; PLAN_INVALID naming the file and the key; PLAN_EMPTY
 */
export async function readBacklog(dir: string, { name }: { name: string }): Promise<ReadBacklog> {
  const leftOut: string[] = [];
  const backlog = path.join(dir, 'backlog');
  const open = (
    await Promise.all(['open', 'issues', 'claimed'].map((folder) => ticketsOf(backlog, folder)))
  ).flat();
  const closed = await ticketsOf(backlog, 'closed');
  if (open.length === 0)
    throw new BatonError('PLAN_EMPTY', `${backlog} holds no open tickets.`, {
      at: backlog,
      fix: 'Put tickets into backlog/open, as .yaml, .yml or .md with front matter.',
    });
  const done = new Set(closed.flatMap(({ id, key, fields }) => [id, key, fields.title]));
  const keys = new Map(
    open.flatMap(({ id, key, fields }) => [
      [id, key],
      [key, key],
      [fields.title, key],
    ]),
  );
  const steps = open.map((each) => stepOf(each, { keys, done, leftOut }));
  return { plan: { name, stages: [{ name: 'backlog', steps }] }, leftOut };
}

async function ticketsOf(backlog: string, folder: string): Promise<Ticket[]> {
  const names = await readdir(path.join(backlog, folder)).catch(() => []);
  return Promise.all(
    names
      .filter((each) => /\.(ya?ml|md)$/.test(each))
      .sort()
      .map((each) => readTicket(path.join(backlog, folder, each))),
  );
}

async function readTicket(file: string): Promise<Ticket> {
  const raw = await readFile(file, 'utf8');
  const front = /^---\n(?<yaml>[\s\S]*?)\n---\n(?<body>[\s\S]*)$/.exec(raw.replaceAll('\r\n', '\n'))?.groups;
  const value = valueOf(file, front?.['yaml'] ?? raw);
  const read = ticket.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw invalid(file, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'no ticket'}`);
  }
  const body = front?.['body']?.trim();
  const fields = body ? { ...read.data, description: read.data.description ?? body } : read.data;
  const id = fields.id ?? path.parse(file).name;
  const key = keyName.safeParse(id).success ? id : keyFromTitle(id);
  return { file, id, key, fields };
}

function valueOf(file: string, yaml: string): unknown {
  try {
    return parse(yaml);
  } catch (cause) {
    throw invalid(file, (cause as Error).message, cause);
  }
}

const invalid = (file: string, what: string, cause?: unknown) =>
  new BatonError('PLAN_INVALID', `${file}: ${what}`, {
    at: file,
    fix: 'Correct the ticket, or move it out of the backlog.',
    cause,
  });

function stepOf(
  { file, key, fields }: Ticket,
  {
    keys,
    done,
    leftOut,
  }: { keys: ReadonlyMap<string, string>; done: ReadonlySet<string>; leftOut: string[] },
): Record<string, unknown> {
  for (const name of Object.keys(fields))
    if (!silent.has(name)) leftOut.push(`${file}: "${name}" has no place in a plan`);
  const needs = fields.depends_on.flatMap((wanted) => {
    const found = keys.get(wanted);
    if (found === undefined && !done.has(wanted))
      throw invalid(file, `depends_on: there is no ticket "${wanted}"`);
    return found ?? [];
  });
  const signals = fields.janitor_signals.flatMap((signal) => {
    const read = completionSignal.safeParse(signal);
    if (!read.success)
      leftOut.push(`${file}: a signal of type "${signal.type}" is not one that Baton checks`);
    return read.success ? [signal] : [];
  });
  return {
    key,
    title: fields.title.slice(0, 500),
    ...(fields.description === undefined || fields.description === '' ? {} : { goal: fields.description }),
    ...(fields.role === undefined ? {} : { role: fields.role }),
    ...(fields.priority === undefined ? {} : { priority: priorityOf(file, fields.priority) }),
    ...(fields.scope === undefined ? {} : { scope: fields.scope }),
    ...(fields.complexity === undefined ? {} : { complexity: fields.complexity }),
    ...(fields.model === undefined ? {} : { model: fields.model }),
    ...(fields.effort === undefined ? {} : { effort: fields.effort }),
    ...(needs.length === 0 ? {} : { depends_on: needs }),
    ...(fields.affected_paths.length === 0 ? {} : { files: fields.affected_paths }),
    ...(fields.context_files.length === 0 ? {} : { context: fields.context_files }),
    ...(signals.length === 0 ? {} : { signals }),
    ...(fields.require_review || fields.require_human_approval ? { approval: true } : {}),
  };
}

function priorityOf(file: string, priority: number | string): number {
  const value = Number(String(priority).replace(/^p/i, ''));
  if (Number.isInteger(value) && value >= 0 && value <= 5) return value;
  throw invalid(file, `priority: ${priority} is none of 0 to 5 or p0 to p5`);
}
