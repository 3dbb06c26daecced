import { edges, type MachineDefinition } from '@baton/fsm-core';

/** Where a machine's state stands, besides its events. */
interface StatusColumn {
  machine: string;
  table: string;
  state: string;
  seq: string;
  /** State and seq of an entity without events; null: it must have events. */
  fresh: { state: string | null; seq: number } | null;
}

const statusColumns: StatusColumn[] = [
  { machine: 'task', table: 'task', state: 'status', seq: 'version', fresh: null },
  {
    machine: 'turn',
    table: 'attempt',
    state: 'turn_status',
    seq: 'turn_seq',
    fresh: { state: 'IDLE', seq: 0 },
  },
  {
    machine: 'agent',
    table: 'agent_session',
    state: 'status',
    seq: 'status_seq',
    fresh: { state: null, seq: -1 },
  },
  {
    machine: 'execution',
    table: 'agent_session',
    state: 'execution_state',
    seq: 'execution_seq',
    fresh: { state: 'pending', seq: 0 },
  },
  { machine: 'run', table: 'run', state: 'status', seq: 'seq', fresh: null },
];

/** Runs have no machine of the kernel: any of these follows any other. */
const runStates = ['running', 'paused', 'waiting', 'stuck', 'done', 'failed', 'cancelled'];

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
const list = (texts: string[]) => texts.map((text) => `    ${quote(text)}`).join(',\n');

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

/** The migration that makes the database refuse every move outside the kernel's tables. */
export function machineSql(machines: readonly MachineDefinition[]): string {
  return `-- Written by scripts/write-machine-sql.ts from the tables of @baton/fsm-core; a test holds both equal. Don't edit.

-- Is this a cell of the machine's table (dynamic ones expanded), or a declared override?
CREATE FUNCTION baton_is_legal(cell text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT cell = ANY (ARRAY[
${list(legalCells(machines))}
  ]);
$$;

CREATE FUNCTION baton_is_initial(state text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT state = ANY (ARRAY[
${list(initialStates(machines))}
  ]);
$$;

CREATE FUNCTION baton_is_run_state(state text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT state IN (${runStates.map(quote).join(', ')});
$$;

-- The chain: each event's hash covers the one before it of the same entity and machine, and these fields.
CREATE FUNCTION baton_event_hash(previous text, e lifecycle_event) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT encode(sha256(convert_to(previous || jsonb_build_array(
    e.machine, e.version, e.entity_id, e.run_id, e.task_id, e.seq, e.note, e.from_state, e.to_state, e.event, e.alias, e.kind, e.actor,
    e.reason, e.transition_reason, e.abort_reason, e.trigger, e.metadata, extract(epoch FROM e.at))::text, 'UTF8')), 'hex');
$$;

CREATE FUNCTION baton_check_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
  was text;
BEGIN
  SELECT e.seq, e.note, e.to_state, e.hash INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.entity_id AND e.machine = NEW.machine ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  was := last.to_state;
  IF NEW.kind IN ('move', 'override') THEN
    IF NEW.note <> 0 OR NEW.seq <> coalesce(last.seq, 0) + 1 THEN
      RAISE EXCEPTION 'event % of % % does not follow event %', NEW.seq, NEW.machine, NEW.entity_id, last.seq
        USING ERRCODE = 'BA002';
    END IF;
    -- Without an earlier event the machine stands in its first state.
    IF was IS NULL AND baton_is_initial(NEW.machine || '|' || NEW.from_state) THEN was := NEW.from_state; END IF;
    IF NEW.from_state IS DISTINCT FROM was THEN
      RAISE EXCEPTION '% % stands in %, not in %', NEW.machine, NEW.entity_id, was, NEW.from_state USING ERRCODE = 'BA002';
    END IF;
    IF NEW.machine = 'run' THEN
      IF NOT (baton_is_run_state(NEW.from_state) AND baton_is_run_state(NEW.to_state) AND NEW.kind = 'move') THEN
        RAISE EXCEPTION 'run: % -> % is no move', NEW.from_state, NEW.to_state USING ERRCODE = 'BA001';
      END IF;
    ELSIF NOT baton_is_legal(concat_ws('|', NEW.machine, NEW.from_state, NEW.event, coalesce(NEW.alias, ''), NEW.to_state, NEW.kind)) THEN
      RAISE EXCEPTION '%: % --%--> % (%) is no move', NEW.machine, NEW.from_state, NEW.event, NEW.to_state, NEW.kind
        USING ERRCODE = 'BA001';
    END IF;
    IF NEW.machine = 'task' AND NEW.to_state = 'CLOSED' AND NOT EXISTS (
      SELECT 1 FROM landing l JOIN verdict v ON v.id = l.verdict_id
       WHERE l.task_id = NEW.entity_id AND l.confirmed_at IS NOT NULL AND v.passed AND v.tree = l.tree) THEN
      RAISE EXCEPTION 'task %: no confirmed landing with a passed verdict', NEW.entity_id USING ERRCODE = 'BA003';
    END IF;
  ELSIF NEW.kind = 'created' THEN
    IF last IS NOT NULL OR NEW.seq <> 0 OR NEW.note <> 0 OR NEW.from_state IS NOT NULL
       OR NOT baton_is_initial(NEW.machine || '|' || NEW.to_state) THEN
      RAISE EXCEPTION '% % cannot begin in %', NEW.machine, NEW.entity_id, NEW.to_state USING ERRCODE = 'BA001';
    END IF;
  ELSIF NEW.kind IN ('refused', 'late_report') THEN
    IF last IS NULL OR NEW.seq <> last.seq OR NEW.note <> last.note + 1 OR NEW.from_state <> was OR NEW.to_state <> was THEN
      RAISE EXCEPTION 'a note on % % must stand where the machine stands', NEW.machine, NEW.entity_id USING ERRCODE = 'BA002';
    END IF;
  ELSE
    RAISE EXCEPTION 'unknown kind of event: %', NEW.kind USING ERRCODE = 'BA001';
  END IF;
  NEW.at := clock_timestamp();
  NEW.hash := baton_event_hash(coalesce(last.hash, ''), NEW);
  INSERT INTO feed_queue (event_id) VALUES (NEW.id);
  RETURN NEW;
END;
$$;

CREATE TRIGGER lifecycle_event_check BEFORE INSERT ON lifecycle_event FOR EACH ROW EXECUTE FUNCTION baton_check_event();

CREATE FUNCTION baton_keep_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'lifecycle events are append-only' USING ERRCODE = 'BA004';
END;
$$;

CREATE TRIGGER lifecycle_event_keep BEFORE UPDATE OR DELETE ON lifecycle_event FOR EACH ROW EXECUTE FUNCTION baton_keep_event();
${statusColumns.map(statusSql).join('')}`;
}

function statusSql(column: StatusColumn): string {
  const { machine, table, state, seq, fresh } = column;
  const rule = `${table}_${state}`;
  const without =
    fresh === null
      ? `IF last IS NULL THEN
    RAISE EXCEPTION '${machine} % has no event', NEW.id USING ERRCODE = 'BA002';
  END IF;`
      : `IF last IS NULL AND NEW.${seq} = ${fresh.seq} AND NEW.${state} IS NOT DISTINCT FROM ${fresh.state === null ? 'NULL' : quote(fresh.state)} THEN
    RETURN NULL;
  END IF;`;
  return `
-- ${table}.${state} always equals the newest event of its ${machine} machine.
CREATE FUNCTION baton_check_${rule}() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT e.seq, e.to_state INTO last FROM lifecycle_event e
   WHERE e.entity_id = NEW.id AND e.machine = '${machine}' ORDER BY e.seq DESC, e.note DESC LIMIT 1;
  ${without}
  IF last.to_state IS DISTINCT FROM NEW.${state} OR last.seq IS DISTINCT FROM NEW.${seq} THEN
    RAISE EXCEPTION '${machine} %: column says % (%), newest event says % (%)', NEW.id, NEW.${state}, NEW.${seq}, last.to_state, last.seq
      USING ERRCODE = 'BA002';
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER ${rule}_insert AFTER INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION baton_check_${rule}();
CREATE TRIGGER ${rule}_update AFTER UPDATE OF ${state}, ${seq} ON ${table} FOR EACH ROW
  WHEN (OLD.${state} IS DISTINCT FROM NEW.${state} OR OLD.${seq} IS DISTINCT FROM NEW.${seq}) EXECUTE FUNCTION baton_check_${rule}();
`;
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
  return [
    ...legalCells(machines),
    ...beginnings.map(([machine, state]) => `${machine}||created||${state}|created`),
    ...runs.sort(),
  ];
}

/** The migration that gives the database the kernel's cells as rows, for checks of many events in one statement. */
export function cellSql(machines: readonly MachineDefinition[]): string {
  const versions = new Map(machines.map(({ id, version }) => [id, version]));
  const rows = cellKeys(machines).map((key) => {
    const [machine = '', from = '', event = '', alias = '', to = '', kind = ''] = key.split('|');
    const nullable = (text: string) => (text === '' ? 'NULL' : quote(text));
    const columns = [
      quote(machine),
      String(versions.get(machine) ?? 1),
      nullable(from),
      quote(event),
      nullable(alias),
    ];
    return `  (${[quote(key), ...columns, quote(to), quote(kind)].join(', ')})`;
  });
  return `-- Written by scripts/write-machine-sql.ts from the tables of @baton/fsm-core; a test holds both equal. Don't edit.

CREATE TABLE machine_cell (
  key text PRIMARY KEY, machine text NOT NULL, version integer NOT NULL, from_state text, event text NOT NULL, alias text,
  to_state text NOT NULL, kind text NOT NULL);

INSERT INTO machine_cell (key, machine, version, from_state, event, alias, to_state, kind) VALUES
${rows.join(',\n')};
`;
}
