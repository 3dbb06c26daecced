import { describe, expect, test } from 'vitest';
import { input } from '../test/support.ts';
import {
  decide,
  machines,
  replay,
  taskMachine,
  turnMachine,
  type Snapshot,
  type TransitionRecord,
} from './index.ts';

type TaskEvent = (typeof taskMachine.rules)[number]['on'];

function recordsOf(...events: TaskEvent[]): TransitionRecord[] {
  let now: Snapshot<(typeof taskMachine.states)[number]> = {
    entityId: 't1',
    state: 'OPEN',
    seq: 0,
    context: null,
  };
  return events.map((type) => {
    const decision = decide(taskMachine, now, { ...input, type });
    if (!decision.ok) throw new Error(`${type} is ${decision.code} in ${now.state}`);
    now = decision.snapshot;
    return decision.record;
  });
}

const codes = (records: readonly TransitionRecord[]) => {
  const result = replay(taskMachine, records);
  return result.ok ? [] : result.violations.map(({ index, code }) => `${index} ${code}`);
};

describe('replay', () => {
  test('gives an empty history’s entity its default initial state', () => {
    expect(replay(taskMachine, [])).toEqual({ ok: true, state: 'OPEN', seq: 0, refused: 0 });
    expect(replay(machines.turn, [])).toMatchObject({ state: 'IDLE' });
  });

  test('starts from any initial state, or from the state that is given', () => {
    const [approve] = [
      { ...recordsOf('claim')[0], from: 'PLANNED', event: 'approve', to: 'OPEN' } as TransitionRecord,
    ];
    expect(approve && replay(taskMachine, [approve])).toMatchObject({ ok: true, state: 'OPEN', seq: 1 });
    const tail = recordsOf('claim', 'start', 'complete').slice(2);
    expect(replay(taskMachine, tail, { state: 'IN_PROGRESS', seq: 2 })).toMatchObject({
      ok: true,
      state: 'DONE',
      seq: 3,
    });
  });

  test('finds a missing, a repeated and a swapped record', () => {
    const [claim, start, complete] = recordsOf('claim', 'start', 'complete') as [
      TransitionRecord,
      TransitionRecord,
      TransitionRecord,
    ];
    expect(codes([claim, start, complete])).toEqual([]);
    expect(codes([claim, complete])).toEqual(['1 seq', '1 from']);
    expect(codes([claim, claim, start])).toEqual(['1 seq', '1 from']);
    expect(codes([start, claim])).toEqual(['0 start', '0 seq', '1 seq', '1 from']);
  });

  test('finds a move that the table does not have, and an override that is not declared', () => {
    const [claim] = recordsOf('claim') as [TransitionRecord];
    expect(codes([{ ...claim, to: 'DONE' }])).toEqual(['0 illegal']);
    expect(codes([{ ...claim, kind: 'override' }])).toEqual(['0 illegal']);
    expect(codes([{ ...claim, kind: 'refused', seq: 0, to: 'CLAIMED' }])).toEqual(['0 illegal']);
  });

  test('finds records of another machine, version or entity', () => {
    const [claim, start] = recordsOf('claim', 'start') as [TransitionRecord, TransitionRecord];
    expect(codes([{ ...claim, machine: 'agent' }, start])).toEqual(['0 machine']);
    expect(codes([{ ...claim, version: 2 }, start])).toEqual(['0 version']);
    expect(codes([claim, { ...start, entityId: 't2' }])).toEqual(['1 entity']);
  });

  test('holds an alias to the states in which it means its event', () => {
    const record = {
      ...recordsOf('claim')[0],
      machine: 'turn',
      from: 'COMPACTING',
      to: 'RUNNING',
      event: 'verify_requested',
      alias: 'compact_completed',
    } as TransitionRecord;
    const start = { state: 'COMPACTING', seq: 0 } as const;
    expect(replay(turnMachine, [record], start)).toMatchObject({ ok: true });
    const running = { ...record, from: 'RUNNING', to: 'VERIFYING' };
    expect(replay(turnMachine, [running], { state: 'RUNNING', seq: 0 })).toMatchObject({ ok: false });
  });
});
