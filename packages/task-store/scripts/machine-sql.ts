import { edges, type MachineDefinition } from '@baton/fsm-core';

/** Runs have no machine of the kernel: any of these follows any other. */
const runStates = ['running', 'paused', 'waiting', 'stuck', 'done', 'failed', 'cancelled'];

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
const list = (texts: string[]) => texts.map((text) => `  ${quote(text)}`).join(',\n');

/** Every legal cell as `machine|from|event|alias|to|kind`, the form that the trigger asks for. */
export function legalCells(machines: readonly MachineDefinition[]): string[] {
  const cells = machines.flatMap((machine) => [
    ...edges(machine).flatMap((edge) => {
      const plain = `${machine.id}|${edge.from}|${edge.event}||${edge.to}|move`;
      const named = `${machine.id}|${edge.from}|${edge.event}|${edge.alias ?? ''}|${edge.to}|move`;
      return edge.alias === undefined ? [plain] : [plain, named];
    }),
    ...machine.overrides.map((rule) => `${machine.id}|${rule.from}|${rule.event}||${rule.to}|override`),
  ]);
  // Sorted, so that the order of a definition's rules never makes a new migration.
  return cells.sort();
}

/** States that an entity may begin in, as `machine|state`. */
export function initialStates(machines: readonly MachineDefinition[]): string[] {
  return [
    ...machines.flatMap((machine) => machine.initial.map((state) => `${machine.id}|${state}`)),
    'run|running',
  ];
}

/** Moves of runs, which have no machine of the kernel. */
const runEvents = ['pause', 'resume', 'cancel', 'fail', 'settle', 'reopen'];

/** Every cell by its key `machine|from|event|alias|to|kind`, with the beginnings of all machines and the moves of runs. */
export function cellKeys(machines: readonly MachineDefinition[]): string[] {
  const beginnings = initialStates(machines).map((key) => key.split('|'));
  const runs = runStates.flatMap((from) =>
    runStates.flatMap((to) =>
      from === to ? [] : runEvents.map((event) => `run|${from}|${event}||${to}|move`),
    ),
  );
  // What a run may spend can be changed in any state, and leaves it as it is.
  const budgets = runStates.map((state) => `run|${state}|budget||${state}|move`);
  return [
    ...legalCells(machines),
    ...beginnings.map(([machine, state]) => `${machine}||created||${state}|created`),
    ...[...runs, ...budgets].sort(),
  ];
}

/** The part of the schema that gives the database the kernel's cells as rows: what is none of them is refused. */
export function cellSql(machines: readonly MachineDefinition[]): string {
  const versions = [...machines.map(({ id, version }) => `(${quote(id)}, ${version})`), `('run', 1)`];
  return `-- Written by scripts/write-sql.ts from the tables of @baton/fsm-core; a test holds both equal. Don't edit.

-- May an entity begin in this state?
CREATE FUNCTION baton_is_initial(state text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT state = ANY (ARRAY[
${list(initialStates(machines))}
  ]);
$$;

-- The moves of every machine: machine|from|event|alias|to|kind.
CREATE TABLE machine_cell (
  key text PRIMARY KEY, machine text NOT NULL, version integer NOT NULL,
  from_state text, event text NOT NULL, alias text, to_state text NOT NULL, kind text NOT NULL);

INSERT INTO machine_cell (key, machine, version, from_state, event, alias, to_state, kind)
SELECT key, part[1], m.version, nullif(part[2], ''), part[3], nullif(part[4], ''), part[5], part[6]
  FROM unnest(ARRAY[
${list(cellKeys(machines))}
]) key
 CROSS JOIN LATERAL string_to_array(key, '|') part
  JOIN (VALUES ${versions.join(', ')})
    m(machine, version) ON m.machine = part[1];
`;
}
