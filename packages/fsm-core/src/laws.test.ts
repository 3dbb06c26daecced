import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../test/support.ts';
import {
  decide,
  edges,
  machines,
  override,
  recordRefusal,
  replay,
  type MachineDefinition,
  type Plan,
  type Snapshot,
  type TransitionRecord,
} from './index.ts';

const at = 1_700_000_000_000;

const plan: fc.Arbitrary<Plan | null> = fc.option(
  fc.record({
    goal: fc.string(),
    reasoning: fc.string(),
    steps: fc.array(
      fc.record({
        index: fc.nat(5),
        description: fc.string(),
        actionType: fc.constantFrom('tool_call', 'respond', 'generate'),
        actionParams: fc.constant({}),
        completed: fc.boolean(),
      }),
      { maxLength: 4 },
    ),
  }),
);

describe.each(Object.values(machines))('the $id machine', (literal) => {
  const machine: MachineDefinition<string> = literal;
  const names = [
    ...new Set([...machine.rules.map((rule) => rule.on), ...machine.aliases.map((alias) => alias.name)]),
    'constructor',
    '',
  ];
  const asked = fc.record({
    type: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, fc.string()),
    plan,
    toOverride: fc.boolean(),
  });
  const walk = fc.array(asked, { maxLength: 60 });

  /** Asks for every event in turn and keeps the whole history, refusals included. */
  function history(
    events: readonly { type: string; plan: Plan | null; toOverride: boolean }[],
    start: string,
  ) {
    const records: TransitionRecord[] = [];
    let now: Snapshot = deepFreeze({ entityId: 'e', state: start, seq: 0, context: machine.emptyContext });
    for (const [index, { type, plan, toOverride }] of events.entries()) {
      const from = deepFreeze({ ...now, context: { ...(now.context as object), plan } });
      const input = deepFreeze({ actor: 'a', reason: 'r', at: at + index, id: `ev${index}` });
      const forced = machine.overrides.find((rule) => toOverride && rule.from === from.state)?.to;
      const event = deepFreeze({ ...input, type });
      const decision =
        forced === undefined ? decide(machine, from, event) : override(machine, from, forced, input);
      if (decision.ok) records.push(deepFreeze(decision.record));
      else
        records.push(recordRefusal(machine, from, { id: `ev${index}`, code: decision.code, asked: event }));
      if (decision.ok) now = deepFreeze(decision.snapshot);
    }
    return { records, end: now };
  }

  test('replays every history to the state that the decisions reached, without throwing or mutating', () => {
    fc.assert(
      fc.property(walk, fc.constantFrom(...machine.initial), (events, start) => {
        const { records, end } = history(events, start);
        expect(replay(machine, records, { state: start, seq: 0 })).toEqual({
          ok: true,
          state: end.state,
          seq: end.seq,
          refused: records.filter((record) => record.kind === 'refused').length,
        });
        expect(records.filter((record) => record.kind !== 'refused')).toHaveLength(end.seq);
      }),
    );
  });

  test('moves only along its edges and its overrides', () => {
    const legal = new Set(
      [...edges(machine), ...machine.overrides].map((edge) => `${edge.from} ${edge.event} ${edge.to}`),
    );
    fc.assert(
      fc.property(walk, fc.constantFrom(...machine.states), (events, start) => {
        for (const record of history(events, start).records) {
          if (record.kind !== 'refused')
            expect(legal).toContain(`${record.from} ${record.event} ${record.to}`);
        }
      }),
    );
  });

  test('finds any single tampered field of a record that holds the chain together', () => {
    const start = machine.initial[0] ?? '';
    const tampered = fc.constantFrom('seq', 'from', 'to', 'event', 'machine', 'version', 'entityId');
    fc.assert(
      fc.property(walk, fc.nat(), tampered, (events, pick, field) => {
        const moves = history(events, start).records;
        const victim = moves[pick % Math.max(1, moves.length)];
        fc.pre(victim !== undefined && (field !== 'event' || victim.kind !== 'refused'));
        fc.pre(field !== 'entityId' || moves.length > 1);
        const forged = {
          ...victim,
          [field]: typeof victim?.[field] === 'number' ? 999 : 'forged',
        } as TransitionRecord;
        const history2 = moves.map((record) => (record === victim ? forged : record));
        expect(replay(machine, history2, { state: start, seq: 0 }).ok).toBe(false);
      }),
    );
  });
});
