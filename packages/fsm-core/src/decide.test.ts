import { describe, expect, test } from 'vitest';
import { deepFreeze, input, snapshotOf } from '../test/support.ts';
import { agentMachine, decide, defineMachine, moveTo, override, taskMachine, turnMachine } from './index.ts';

describe('decide', () => {
  test('returns the new snapshot and a complete record of the move', () => {
    const decision = decide(taskMachine, snapshotOf(taskMachine, 'OPEN', 'kept'), {
      ...input,
      type: 'claim',
      id: 'ev1',
      transitionReason: 'retry',
      metadata: { worker: 'w1' },
    });
    expect(decision).toEqual({
      ok: true,
      snapshot: { entityId: 'e1', state: 'CLAIMED', seq: 8, context: 'kept' },
      patch: {},
      record: {
        id: 'ev1',
        machine: 'task',
        version: 1,
        entityType: 'task',
        entityId: 'e1',
        seq: 8,
        from: 'OPEN',
        to: 'CLAIMED',
        event: 'claim',
        kind: 'move',
        actor: 'test',
        reason: 'because',
        transitionReason: 'retry',
        metadata: { worker: 'w1' },
        at: input.at,
      },
    });
  });

  test('names a record after its move where the caller gives no id', () => {
    const decision = decide(agentMachine, snapshotOf(agentMachine, 'starting'), { ...input, type: 'ready' });
    expect(decision).toMatchObject({ record: { id: 'e1:agent:8', metadata: {} } });
  });

  test('refuses a move whose caller expects another seq as stale, before anything else', () => {
    const closed = snapshotOf(taskMachine, 'CLOSED');
    expect(decide(taskMachine, closed, { ...input, type: 'retry', expectSeq: 6 })).toEqual({
      ok: false,
      code: 'stale',
    });
    expect(decide(taskMachine, closed, { ...input, type: 'retry', expectSeq: 7 })).toEqual({
      ok: false,
      code: 'terminal',
    });
    expect(moveTo(taskMachine, closed, 'OPEN', { ...input, expectSeq: 6 })).toEqual({
      ok: false,
      code: 'stale',
    });
  });

  test('takes compact_completed for verify_requested while compacting, keeps both names, and takes it nowhere else', () => {
    const event = { ...input, type: 'compact_completed' } as const;
    expect(decide(turnMachine, snapshotOf(turnMachine, 'COMPACTING'), event)).toMatchObject({
      snapshot: { state: 'RUNNING' },
      record: { event: 'verify_requested', alias: 'compact_completed' },
    });
    for (const state of turnMachine.states.filter((other) => other !== 'COMPACTING')) {
      expect(decide(turnMachine, snapshotOf(turnMachine, state), event).ok, state).toBe(false);
    }
    const plain = decide(turnMachine, snapshotOf(turnMachine, 'COMPACTING'), {
      ...input,
      type: 'verify_requested',
    });
    expect(plain).toMatchObject({ ok: true, record: { event: 'verify_requested' } });
    expect(plain).not.toHaveProperty('record.alias');
  });
});

describe('a definition with guards, groups and patches', () => {
  const door = defineMachine({
    id: 'door',
    version: 3,
    entityType: 'door',
    drivenBy: 'event',
    states: ['shut', 'open', 'locked', 'gone'],
    initial: ['shut'],
    terminal: ['gone'],
    groups: { standing: ['shut', 'open'] },
    rules: [
      { from: 'shut', on: 'push', to: 'open', guard: (door: Door) => !door.stuck },
      { from: 'shut', on: 'turn', to: 'locked', guard: (door: Door) => door.key === 'left' },
      { from: 'shut', on: 'turn', to: 'open', guard: (door: Door) => door.key !== 'none' },
      {
        from: { group: 'standing' },
        on: 'slam',
        to: 'shut',
        patch: (door: Door) => ({ slams: door.slams + 1 }),
      },
      { from: 'open', on: 'slam', to: 'locked' },
      { from: '*', on: 'burn', to: 'gone' },
      { from: 'locked', on: 'burn', to: 'open' },
      {
        from: 'locked',
        on: 'break',
        to: { pick: (door: Door) => door.wanted as 'open', among: ['open', 'gone'] },
      },
      {
        from: 'open',
        on: 'jam',
        to: 'shut',
        guard: () => {
          throw new Error('broken guard');
        },
      },
      { from: 'gone', on: 'rebuild', to: 'shut', exitsTerminal: true },
    ],
    aliases: [],
    overrides: [],
    error: 'IllegalTransitionError',
    emptyContext: { stuck: false, key: 'none', slams: 0, wanted: '' } as Door,
  });
  interface Door {
    readonly stuck: boolean;
    readonly key: 'left' | 'right' | 'none';
    readonly slams: number;
    readonly wanted: string;
  }
  const fresh: Door = { stuck: false, key: 'none', slams: 0, wanted: '' };
  const on = (
    state: (typeof door.states)[number],
    type: (typeof door.rules)[number]['on'],
    context: Door = fresh,
  ) => {
    const decision = decide(door, deepFreeze({ entityId: 'd', state, seq: 0, context }), { ...input, type });
    return decision.ok ? decision.snapshot.state : decision.code;
  };

  test('refuses as guard what a rule’s condition does not allow', () => {
    expect(on('shut', 'push')).toBe('open');
    expect(on('shut', 'push', { ...fresh, stuck: true })).toBe('guard');
  });

  test('needs exactly one willing rule where several share a cell', () => {
    expect(on('shut', 'turn')).toBe('guard');
    expect(on('shut', 'turn', { ...fresh, key: 'right' })).toBe('open');
    expect(on('shut', 'turn', { ...fresh, key: 'left' })).toBe('guard');
  });

  test('prefers an exact rule to a group and both to any state', () => {
    expect(on('shut', 'slam')).toBe('shut');
    expect(on('open', 'slam')).toBe('locked');
    expect(on('locked', 'burn')).toBe('open');
    expect(on('open', 'burn')).toBe('gone');
  });

  test('keeps group and any-state rules away from terminal states but not a flagged exact exit', () => {
    expect(on('gone', 'burn')).toBe('terminal');
    expect(on('gone', 'rebuild')).toBe('shut');
  });

  test('refuses a picked state outside its list, and a condition that throws', () => {
    expect(on('locked', 'break', { ...fresh, wanted: 'open' })).toBe('open');
    expect(on('locked', 'break', { ...fresh, wanted: 'shut' })).toBe('illegal');
    expect(on('open', 'jam')).toBe('guard');
  });

  test('returns what a patch changed and applies it to the new snapshot only', () => {
    const before = deepFreeze({ entityId: 'd', state: 'shut', seq: 0, context: fresh } as const);
    const decision = decide(door, before, { ...input, type: 'slam' });
    expect(decision).toMatchObject({ patch: { slams: 1 }, snapshot: { context: { ...fresh, slams: 1 } } });
    expect(before.context.slams).toBe(0);
  });
});

describe('override', () => {
  test('moves only along the two declared overrides of the task machine', () => {
    const legal = taskMachine.states.flatMap((from) =>
      taskMachine.states
        .filter((to) => override(taskMachine, snapshotOf(taskMachine, from), to, input).ok)
        .map((to) => `${from} to ${to}`),
    );
    expect(legal).toEqual(['DONE to PENDING_APPROVAL', 'PENDING_APPROVAL to DONE']);
  });

  test('is recorded as an override, under a name of its own', () => {
    const decision = override(taskMachine, snapshotOf(taskMachine, 'DONE'), 'PENDING_APPROVAL', input);
    expect(decision).toMatchObject({
      snapshot: { state: 'PENDING_APPROVAL', seq: 8 },
      record: { kind: 'override', event: 'request_approval', actor: 'test', reason: 'because' },
    });
  });

  test('needs an actor and a reason, and the seq that its caller expects', () => {
    const done = snapshotOf(taskMachine, 'DONE');
    expect(override(taskMachine, done, 'PENDING_APPROVAL', { ...input, actor: '' })).toEqual({
      ok: false,
      code: 'guard',
    });
    expect(override(taskMachine, done, 'PENDING_APPROVAL', { ...input, reason: '' })).toEqual({
      ok: false,
      code: 'guard',
    });
    expect(override(taskMachine, done, 'PENDING_APPROVAL', { ...input, expectSeq: 1 })).toEqual({
      ok: false,
      code: 'stale',
    });
  });
});

describe('a snapshot whose seq is no count of moves', () => {
  const seqs: unknown[] = [
    '0',
    '7',
    '',
    5n,
    NaN,
    Infinity,
    -1,
    1.5,
    2 ** 60,
    null,
    undefined,
    {},
    new Date(0),
  ];
  test.each(seqs)('is refused as stale by each operation: %s', (seq) => {
    const stale = { ok: false, code: 'stale' };
    const at = (state: 'OPEN' | 'DONE') => ({ ...snapshotOf(taskMachine, state), seq: seq as number });
    expect(decide(taskMachine, at('OPEN'), { ...input, type: 'claim' })).toEqual(stale);
    expect(moveTo(taskMachine, at('OPEN'), 'CLAIMED', input)).toEqual(stale);
    expect(override(taskMachine, at('DONE'), 'PENDING_APPROVAL', input)).toEqual(stale);
    expect(decide(taskMachine, at('OPEN'), { ...input, type: 'claim', expectSeq: seq as number })).toEqual(
      stale,
    );
  });
});

const given: [string, unknown, string][] = [
  ['nothing', undefined, 'moves'],
  ['null', null, 'moves'],
  ['fields', { n: 2 }, 'moves'],
  ['a promise', Promise.resolve({ n: 2 }), 'guard'],
  ['a list', [1], 'guard'],
  ['a text', 'n', 'guard'],
  ['a number', 2, 'guard'],
  ['a function', () => ({ n: 2 }), 'guard'],
];
test.each(given)('a patch that gives %s: %s', (_, patch, expected) => {
  const machine = defineMachine({
    id: 'counter',
    states: ['a', 'b'],
    rules: [{ from: 'a', on: 'go', to: 'b', patch: () => patch as object }],
    emptyContext: { n: 1 },
  });
  const decision = decide(machine, snapshotOf(machine, 'a'), { ...input, type: 'go' });
  expect(decision.ok ? 'moves' : decision.code).toBe(expected);
});
