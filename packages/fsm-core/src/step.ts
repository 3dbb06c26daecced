import type { Rule } from './definition.ts';
import type { RefusalCode } from './errors.ts';
import type { EventInput, MoveInput, Snapshot, TransitionRecord } from './record.ts';
import { type Cell, NO_PATCH, type Step, stepOf } from './table.ts';

/** A legal move: the new snapshot, its record, and the context fields that changed (empty where none did). */
export interface Accepted<S extends string = string, E extends string = string, C = unknown> {
  readonly ok: true;
  readonly snapshot: Snapshot<S, C>;
  readonly record: TransitionRecord<S, E>;
  readonly patch: Readonly<Partial<C>>;
}

/** A refused move. Nothing changed. */
export interface Refused {
  readonly ok: false;
  readonly code: RefusalCode;
}

/** What the kernel says about a move. */
export type Decision<S extends string = string, E extends string = string, C = unknown> =
  Accepted<S, E, C> | Refused;

/** The four refusals; shared, since they carry nothing else. */
export const REFUSED = {
  illegal: Object.freeze({ ok: false, code: 'illegal' }),
  terminal: Object.freeze({ ok: false, code: 'terminal' }),
  guard: Object.freeze({ ok: false, code: 'guard' }),
  stale: Object.freeze({ ok: false, code: 'stale' }),
} as const satisfies Record<RefusalCode, Refused>;

/**
 * Whether a move is asked of another snapshot than this one: not of the `seq` that the caller expects, or of one that counts no moves. A
 * text, which is what drivers of Postgres give for a bigint, would be joined with 1; a BigInt could not be added.
 */
export function isStale({ seq }: Snapshot, { expectSeq }: MoveInput): boolean {
  if (expectSeq !== undefined && expectSeq !== seq) return true;
  return !Number.isSafeInteger(seq) || seq < 0;
}

/**
 * Takes one step. Fields are written out one by one: an object spread would cost eight times the whole step. The default id
 * is put together with `+`: a template literal would cost twice as much. The context stays: a step's patch is for the caller.
 */
export function accept(step: Step, snapshot: Snapshot, input: MoveInput): Accepted {
  const { entityId } = snapshot;
  const seq = snapshot.seq + 1;
  const record: TransitionRecord = {
    id: input.id ?? entityId + step.infix + seq,
    machine: step.machine,
    version: step.version,
    entityType: step.entityType,
    entityId,
    seq,
    from: snapshot.state,
    to: step.to,
    event: step.event,
    kind: step.kind,
    actor: input.actor,
    reason: input.reason,
    metadata: input.metadata ?? NO_PATCH,
    at: input.at,
  };
  return {
    ok: true,
    snapshot: { entityId, state: step.to, seq, context: snapshot.context },
    record: isPlain(step, input) ? record : withExtras(record, step, input),
    patch: NO_PATCH,
  };
}

// Most moves have none of these four; leaving them out makes the record a fifth smaller, and a step is mostly allocation.
function isPlain(step: Step, input: MoveInput): boolean {
  return (
    step.alias === undefined &&
    input.transitionReason === undefined &&
    input.abortReason === undefined &&
    input.trigger === undefined
  );
}

function withExtras(record: TransitionRecord, step: Step, input: MoveInput): TransitionRecord {
  const { transitionReason, abortReason, trigger } = input;
  return {
    ...record,
    ...(step.alias === undefined ? {} : { alias: step.alias }),
    ...(transitionReason === undefined ? {} : { transitionReason }),
    ...(abortReason === undefined ? {} : { abortReason }),
    ...(trigger === undefined ? {} : { trigger }),
  };
}

/** Only `true` is a yes: a promise, which is what an `async` guard gives, says nothing yet. */
function soleAccepting(cell: Cell, context: never, event: EventInput): Rule<string, never> | null {
  const willing = cell.rules.filter(
    (rule) => rule.guard === undefined || rule.guard(context, event) === true,
  );
  return willing.length === 1 ? (willing[0] ?? null) : null;
}

/** Fields of the context: a promise, which is what an `async` patch gives, has none yet. */
const isPatch = (value: object): boolean =>
  typeof value === 'object' && !Array.isArray(value) && !('then' in value);

/**
 * Works out a cell that has guards, a dynamic target or a patch. A definition's function that throws, a patch that is no object with
 * fields, no willing rule and more than one all refuse as `guard`; a picked state outside `among` is `illegal`.
 */
export function settle(cell: Cell, snapshot: Snapshot, input: MoveInput): Step | RefusalCode {
  const context = snapshot.context as never;
  const event: EventInput = { ...input, type: cell.event };
  try {
    const rule = soleAccepting(cell, context, event);
    if (rule === null) return 'guard';
    const to = typeof rule.to === 'string' ? rule.to : rule.to.pick(context);
    if (!cell.targets.includes(to)) return 'illegal';
    const patch = rule.patch?.(context, { from: snapshot.state, to, event }) ?? NO_PATCH;
    if (!isPatch(patch)) return 'guard';
    return stepOf(cell.machine, { event: cell.event, alias: cell.alias, to, kind: 'move', patch });
  } catch {
    return 'guard';
  }
}
