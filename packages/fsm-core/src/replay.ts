import type { MachineDefinition, StateOf } from './definition.ts';
import type { Snapshot, TransitionRecord } from './record.ts';
import { tableOf } from './table.ts';

/** What is wrong with one record of a history. */
export interface Violation {
  /** Position in the history, from 0. */
  readonly index: number;
  readonly seq: number;
  /** Which rule of a history it breaks. */
  readonly code: 'machine' | 'version' | 'entity' | 'start' | 'seq' | 'from' | 'illegal';
  readonly message: string;
}

/** Where a sound history ends, or everything that is wrong with it. */
export type ReplayResult<S extends string = string> =
  | { readonly ok: true; readonly state: S; readonly seq: number; readonly refused: number }
  | { readonly ok: false; readonly violations: readonly Violation[] };

interface Position {
  readonly state: string;
  readonly seq: number;
}

function isLegal(machine: MachineDefinition<string>, record: TransitionRecord): boolean {
  if (record.kind === 'override') {
    const { event, from, to } = record;
    return machine.overrides.some((rule) => rule.event === event && rule.from === from && rule.to === to);
  }
  const cell = tableOf(machine).byEvent[record.from]?.[record.alias ?? record.event];
  return cell?.event === record.event && cell.targets.includes(record.to);
}

function problemsOf(
  machine: MachineDefinition<string>,
  record: TransitionRecord,
  position: Position,
): Pick<Violation, 'code' | 'message'>[] {
  const found: Pick<Violation, 'code' | 'message'>[] = [];
  const expect = (holds: boolean, code: Violation['code'], message: string) => {
    if (!holds) found.push({ code, message });
  };
  const refused = record.kind === 'refused';
  const seq = refused ? position.seq : position.seq + 1;
  expect(record.machine === machine.id, 'machine', `belongs to machine ${record.machine}, not ${machine.id}`);
  expect(
    record.version === machine.version,
    'version',
    `was decided by version ${record.version}, this is ${machine.version}`,
  );
  expect(record.seq === seq, 'seq', `has seq ${record.seq} where ${seq} is next`);
  expect(
    record.from === position.state,
    'from',
    `starts from ${record.from} while the entity is in ${position.state}`,
  );
  if (refused)
    expect(record.to === record.from, 'illegal', `was refused, yet names ${record.to} as its result`);
  else
    expect(
      isLegal(machine, record),
      'illegal',
      `${record.from} on ${record.event} to ${record.to} is not legal`,
    );
  return found;
}

/**
 * Folds a history: seqs contiguous, each `from` the previous `to`, each move legal (overrides: declared), one machine,
 * version and entity throughout. Refused records are counted and move nothing.
 *
 * @param start - where the history begins; default: an initial state at seq 0
 * @returns the entity's state, or all violations (after one, the fold continues from what the record claims)
 */
export function replay<M extends MachineDefinition>(
  machine: M,
  records: readonly TransitionRecord[],
  start?: Pick<Snapshot<StateOf<M>>, 'state' | 'seq'>,
): ReplayResult<StateOf<M>> {
  const definition: MachineDefinition<string> = machine;
  const violations: Violation[] = [];
  const [first] = records;
  let position: Position = start ?? { state: first?.from ?? definition.initial[0] ?? '', seq: 0 };
  let refused = 0;
  if (first && !start && !definition.initial.includes(first.from)) {
    violations.push({
      index: 0,
      seq: first.seq,
      code: 'start',
      message: `starts from ${first.from}, which is not initial`,
    });
  }
  for (const [index, record] of records.entries()) {
    const problems = problemsOf(definition, record, position);
    if (record.entityId !== first?.entityId) {
      problems.push({
        code: 'entity',
        message: `belongs to ${record.entityId}, not ${first?.entityId ?? ''}`,
      });
    }
    for (const problem of problems) violations.push({ index, seq: record.seq, ...problem });
    if (record.kind === 'refused') refused += 1;
    else position = { state: record.to, seq: record.seq };
  }
  if (violations.length > 0) return { ok: false, violations };
  return { ok: true, state: position.state as StateOf<M>, seq: position.seq, refused };
}
