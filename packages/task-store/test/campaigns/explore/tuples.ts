import type { EventDraft } from '../../../src/decide/change.ts';
import { byId, openAttempt, type AttemptRow, type World } from '../world/rows.ts';
import { coupledRows, type CoupledRow, type FactContext } from './coupled-rows.ts';
import { decided, factNames } from './tuple-facts.ts';

/** The four states that an attempt and what is around it show. */
export interface Tuple {
  task: string;
  turn: string;
  agent: string;
  execution: string;
}

const machines = ['task', 'turn', 'agent', 'execution'] as const;

/** Collects the tuples that an exploration reaches, and holds the declared rows against what is decided on each. */
export interface TupleCheck {
  visit(world: World): void;
  /** Fact and row, by tuple. */
  reached: ReadonlyMap<string, Map<string, Set<string>>>;
  broken: string[];
}

/** Starts with nothing reached. */
export function tupleCheck(): TupleCheck {
  const seen = new Set<string>();
  const reached = new Map<string, Map<string, Set<string>>>();
  const broken: string[] = [];
  return {
    reached,
    broken,
    visit(world) {
      for (const row of world.attempts) {
        if (row.ended || openAttempt(world, row.taskId) !== row) continue;
        const tuple = tupleOf(world, row);
        const context = contextOf(world, row);
        const task = byId(world.tasks, row.taskId);
        const tries = (task?.tries ?? 0) - (task?.maxRetries ?? 0);
        const flags = [...Object.values(context), task?.cancelRequested, tries, Math.min(row.openTools, 2)];
        const kind = `${nameOf(tuple)} ${flags.join()}`;
        if (seen.has(kind)) continue;
        seen.add(kind);
        checkTuple(world, row, { tuple, context, reached, broken });
      }
    },
  };
}

/** A tuple in one line. */
export const nameOf = (tuple: Tuple) => machines.map((machine) => tuple[machine]).join(' · ');

function tupleOf(world: World, row: AttemptRow): Tuple {
  const session = byId(world.sessions, row.sessionId ?? '');
  return {
    task: byId(world.tasks, row.taskId)?.status ?? '–',
    turn: row.turnStatus,
    agent: session?.status ?? 'nothing',
    execution: session?.executionState ?? '–',
  };
}

function contextOf(world: World, row: AttemptRow): FactContext {
  const session = byId(world.sessions, row.sessionId ?? '');
  const statusOf = ({ taskId }: AttemptRow) => byId(world.tasks, taskId)?.status ?? '';
  const others = world.attempts.filter(
    (other) => other.sessionId === row.sessionId && other.id !== row.id && !other.ended,
  );
  return {
    on: session?.currentAttemptId === row.id,
    othersOpen: others.some((other) => ['CLAIMED', 'IN_PROGRESS'].includes(statusOf(other))),
    othersBusy: others.some((other) => statusOf(other) === 'IN_PROGRESS'),
    first: !others.some((other) => other.place < row.place && statusOf(other) === 'CLAIMED'),
  };
}

/** The ways of a cell that begin in this state; `–` is the way that stays wherever it is. */
function waysFrom(cell: string, state: string): string[][] {
  if (cell === '–') return [[state]];
  return cell
    .split(', ')
    .map((way) => way.split('→'))
    .filter(([first]) => first === state);
}

function fits(row: CoupledRow, tuple: Tuple, context: FactContext): boolean {
  const cells = machines.every((machine) => waysFrom(row[machine], tuple[machine]).length > 0);
  return cells && (row.when?.(context) ?? true);
}

function checkTuple(
  world: World,
  row: AttemptRow,
  given: {
    tuple: Tuple;
    context: FactContext;
    reached: Map<string, Map<string, Set<string>>>;
    broken: string[];
  },
): void {
  const { tuple, context, reached, broken } = given;
  const name = nameOf(tuple);
  const facts = reached.get(name) ?? new Map<string, Set<string>>();
  reached.set(name, facts);
  for (const fact of factNames) {
    const rows = coupledRows.filter((declared) => declared.fact === fact && fits(declared, tuple, context));
    const [only] = rows;
    if (rows.length > 1) broken.push(`${name}: "${fact}" has ${rows.length} rows`);
    const change = decided(world, row, fact);
    if (only !== undefined) facts.set(fact, (facts.get(fact) ?? new Set()).add(only.row));
    if (only === undefined && change === null) continue;
    if (only === undefined) broken.push(`${name}: "${fact}" is declared impossible, and accepted`);
    else if (change === null) broken.push(`${name}: "${fact}" is the row "${only.row}", and refused`);
    else broken.push(...wrongMoves(only, change.events ?? [], { tuple, row, name }));
  }
}

function wrongMoves(
  declared: CoupledRow,
  events: readonly EventDraft[],
  { tuple, row, name }: { tuple: Tuple; row: AttemptRow; name: string },
): string[] {
  const entities = { task: row.taskId, turn: row.id, agent: row.sessionId, execution: row.sessionId };
  return machines.flatMap((machine) => {
    const moves = events.filter((event) => event.machine === machine && event.entityId === entities[machine]);
    const taken = [tuple[machine], ...moves.map(({ toState }) => toState)].join('→');
    const ways = waysFrom(declared[machine], tuple[machine]).map((way) => way.join('→'));
    return ways.includes(taken)
      ? []
      : [`${name}: "${declared.fact}" takes ${machine} ${taken}, where its row says ${ways.join(' or ')}`];
  });
}
