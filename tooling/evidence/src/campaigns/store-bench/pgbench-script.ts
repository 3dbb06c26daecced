import { cutAtIds, type JobSteps, type Step } from './job-steps.ts';

/** A literal in which pgbench sees no variable of its own: `:` never stands before a word. */
const literal = (text: string) => `'${text.replaceAll("'", "''").replace(/:(?=\w)/g, ":'||'")}'`;

/**
 * Makes a pgbench script of a captured job: new ids are numbers of chance, answered ones `\gset` variables.
 *
 * @param types of each step's parameters, as the server finds them
 */
export function pgbenchScript({ made, steps }: JobSteps, types: readonly (readonly string[])[]): string {
  const terms = new Map<string, string>();
  const sets = made.map((id, at) => {
    terms.set(id, `'00000000-0000-7000-8000-'||lpad(to_hex(:i${at}::bigint),12,'0')`);
    return `\\set i${at} random(1, 281474976710655)`;
  });
  for (const [at, { gets }] of steps.entries())
    for (const [n, { id, column, path }] of gets.entries())
      terms.set(id, path.length === 0 ? `:a${at}_${column}` : `:a${at}_${n}`);
  return [
    ...sets,
    ...steps.map((step, at) => statement(step, { at, terms, types: types[at] ?? [] })),
    '',
  ].join('\n');
}

function statement(
  step: Step,
  { at, terms, types }: { at: number; terms: ReadonlyMap<string, string>; types: readonly string[] },
): string {
  const values = step.values.map((text, n) =>
    text === null ? 'NULL' : `(${expression(text, terms)})::${types[n] ?? 'text'}`,
  );
  const text = step.text.trim().replace(/\$(\d+)/g, (_, n: string) => values[Number(n) - 1] ?? 'NULL');
  if (step.gets.length === 0) return `${text};`;
  // Whole columns are taken as they come; what stands inside JSON needs a select around the statement.
  if (step.gets.every(({ path }) => path.length === 0)) return `${text} \\gset a${at}_`;
  const columns = step.gets.map(({ column, path }, n) =>
    path.length === 0 ? column : `${column} #>> '{${path.join(',')}}' AS "${n}"`,
  );
  const select = `SELECT ${columns.join(', ')} FROM`;
  return /^(INSERT|UPDATE|DELETE)/i.test(text)
    ? `WITH answered AS (${text}) ${select} answered \\gset a${at}_`
    : `${select} (${text}) answered \\gset a${at}_`;
}

function expression(text: string, terms: ReadonlyMap<string, string>): string {
  const pieces = cutAtIds(text, terms).map((piece) => terms.get(piece) ?? literal(piece));
  return pieces.filter((piece) => piece !== "''").join('||') || "''";
}
