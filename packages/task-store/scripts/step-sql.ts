import type { MachineDefinition } from '@baton/fsm-core';
import { coupledSteps } from './coupled-steps.ts';
import { cellKeys } from './machine-sql.ts';

const recorded = new Set(['task', 'turn', 'agent', 'execution', 'run']);

/** Cells that are steps by themselves: beginnings of runs and tasks, and what runs do. */
const lone = /^(run\||task\|\|created)/;

/** Reports that were kept, without effect. */
const notes = ['task|||||late_report||', 'task|||||refused||'];

/** Lines of at most this many characters, and what is left of one for text. */
const longest = 120;

function literal(key: string): string {
  const parts: string[] = [];
  let line = '';
  for (const move of key.split(' ')) {
    const next = line === '' ? move : `${line} ${move}`;
    if (next.length > longest - 10) parts.push(`${line} `);
    line = next.length > longest - 10 ? move : next;
  }
  return `  ${[...parts, line].map((part) => `'${part}'`).join('\n    ')}`;
}

/** The part of the schema that holds the dictionary of steps: what is none of them is refused. */
export async function stepSql(machines: readonly MachineDefinition[]): Promise<string> {
  const cells = cellKeys(machines).filter((key) => recorded.has(key.split('|')[0] ?? ''));
  const single = cells.map((key) => `${key}||`);
  const coupled = await coupledSteps();
  const steps = [...new Set([...notes, ...single.filter((key) => lone.test(key)), ...coupled])];
  const past = single.filter((key) => !steps.includes(key));
  const list = (keys: readonly string[]) => keys.map(literal).join(',\n');
  return `-- Written by scripts/write-sql.ts from the coupled moves of src/moves; a test holds both equal. Don't edit.

-- The steps of all facts, beside all that an open attempt can reach (docs/evidence/coupled-rows.md).

SELECT baton_add_steps(array_agg(k.n::smallint ORDER BY k.n), array_agg(k.key ORDER BY k.n), false)
  FROM unnest(ARRAY[
${list(steps)}
]) WITH ORDINALITY AS k(key, n);

-- Single moves, of records that were written before a change was one row.
SELECT baton_add_steps(array_agg((10000 + k.n)::smallint ORDER BY k.n), array_agg(k.key ORDER BY k.n), true)
  FROM unnest(ARRAY[
${list(past)}
]) WITH ORDINALITY AS k(key, n);

-- The dictionary is whole.
CREATE TRIGGER step_seal BEFORE INSERT OR UPDATE OR DELETE ON step FOR EACH ROW EXECUTE FUNCTION baton_seal();
CREATE TRIGGER step_seal_all BEFORE TRUNCATE ON step FOR EACH STATEMENT EXECUTE FUNCTION baton_seal();
CREATE TRIGGER step_move_seal BEFORE INSERT OR UPDATE OR DELETE ON step_move FOR EACH ROW EXECUTE FUNCTION baton_seal();
CREATE TRIGGER step_move_seal_all BEFORE TRUNCATE ON step_move FOR EACH STATEMENT EXECUTE FUNCTION baton_seal();
`;
}
