import { expect, test } from 'vitest';
import {
  can,
  decide,
  defineMachine,
  InvalidTransitionError,
  MachineDefinitionError,
  taskMachine,
  transition,
  validate,
  type MachineDefinition,
} from './index.ts';
import { input } from '../test/support.ts';

const sound = {
  id: 'light',
  version: 1,
  entityType: 'light',
  drivenBy: 'target',
  states: ['red', 'green', 'off'],
  initial: ['red'],
  terminal: ['off'],
  groups: { lit: ['red', 'green'] },
  rules: [
    { from: 'red', on: 'go', to: 'green' },
    { from: 'green', on: 'halt', to: 'red' },
    { from: { group: 'lit' }, on: 'cut', to: 'off' },
  ],
  aliases: [{ name: 'run', as: 'go', when: ['red'] }],
  overrides: [],
  error: 'IllegalTransitionError',
} as const satisfies MachineDefinition<string>;

const on = { from: 'red', on: 'go', to: 'green' } as const;

test('what a small machine does not need may be left out', () => {
  const rules = [
    { from: 'off', on: 'press', to: 'on' },
    { from: 'on', on: 'press', to: 'off' },
  ] as const;
  const light = defineMachine({ id: 'light', states: ['off', 'on'], rules });
  expect(light).toMatchObject({
    ...{ version: 1, entityType: 'light', drivenBy: 'event', initial: ['off'], terminal: [], groups: {} },
    ...{ aliases: [], overrides: [], error: 'InvalidTransitionError' },
  });
  const pressed: 'on' = transition(light, 'off', 'press');
  expect(pressed).toBe('on');
  expect(() => transition(light, 'dim' as 'on', 'press')).toThrow(InvalidTransitionError);
  expect(validate(light)).toEqual([]);
});

const misshapen: [string, unknown, string][] = [
  [
    'nothing',
    undefined,
    'machine without an id is not sound: a definition is an object with id, states and rules',
  ],
  ['no states', { id: 'a', rules: [] }, 'machine a is not sound: states is missing'],
  ['states that are numbers', { id: 'a', states: [1], rules: [] }, 'states is not a list of names'],
  ['an unknown key', { id: 'a', states: ['b'], rules: [], inital: ['b'] }, 'unknown key inital'],
  ['an empty id', { id: '', states: ['b'], rules: [] }, 'id is not a text'],
  [
    'a rule that leads nowhere',
    { id: 'a', states: ['b'], rules: [{ from: 'b', on: 'go' }] },
    'rule 0 has no to',
  ],
  [
    'a rule without an event',
    { id: 'a', states: ['b'], rules: [{ from: 'b', on: {}, to: 'b' }] },
    'rule 0 has no on',
  ],
  [
    'a misspelt guard',
    { id: 'a', states: ['b'], rules: [{ from: 'b', on: 'go', to: 'b', gaurd: () => false }] },
    'rule 0 has an unknown key gaurd',
  ],
  [
    'a guard that is no function',
    { id: 'a', states: ['b'], rules: [{ from: 'b', on: 'go', to: 'b', guard: true }] },
    'rule 0 has no guard that is a function',
  ],
  [
    'a target without a list',
    { id: 'a', states: ['b'], rules: [{ from: 'b', on: 'go', to: { pick: () => 'b' } }] },
    'rule 0 has no to that is a state, or { pick, among }',
  ],
  [
    'an alias of another shape',
    { id: 'a', states: ['b'], rules: [], aliases: [{ event: 'go', for: 'run' }] },
    'alias 0 has no when that is a list of names',
  ],
  [
    'a group that is none',
    { id: 'a', states: ['b'], rules: [], groups: { g: 'b' } },
    'groups is not an object with',
  ],
  [
    'another driver',
    { id: 'a', states: ['b'], rules: [], drivenBy: 'time' },
    'drivenBy is not event or target',
  ],
  ['another error', { id: 'a', states: ['b'], rules: [], error: 'Oops' }, 'error is not one of Illegal'],
  ['rules that are none', { id: 'a', states: ['b'], rules: ['go'] }, 'rules is not a list of objects'],
  ['a half version', { id: 'a', states: ['b'], rules: [], version: 1.5 }, 'version is not a whole number'],
];

test.each(misshapen)('a definition with %s is refused in words', (_, definition, problem) => {
  const define = () => defineMachine(definition as { id: string; states: string[]; rules: [] });
  expect(define).toThrow(MachineDefinitionError);
  expect(define).toThrow(problem);
  const found = validate(definition as Parameters<typeof validate>[0]).join('; ');
  expect(found).toContain(problem.replace(/^machine .* is not sound: /, ''));
});

test('what may be left out of a definition may be left out for the look at it, too', () => {
  const door = { id: 'door', states: ['shut', 'open'], rules: [{ from: 'shut', on: 'push', to: 'open' }] };
  expect(validate(door)).toEqual([]);
  expect(validate({ ...door, states: [...door.states, 'lost'] })).toEqual(['state lost is unreachable']);
});

test.each([
  ['a promise', async () => false],
  ['a text', () => 'no'],
  ['a number', () => 1],
  ['nothing', () => undefined],
])('a guard that answers with %s has not said yes', (_, guard) => {
  const accepts = guard as unknown as () => boolean;
  const door = defineMachine({
    id: 'door',
    states: ['shut', 'open'],
    rules: [{ from: 'shut', on: 'push', to: 'open', guard: accepts }],
  });
  const shut = { entityId: 'd', state: 'shut', seq: 0, context: null } as const;
  expect(decide(door, shut, { ...input, type: 'push' })).toEqual({ ok: false, code: 'guard' });
});

test('a sound definition has no problems', () => {
  expect(validate(sound)).toEqual([]);
});

const broken: [string, Partial<MachineDefinition<string>>][] = [
  [
    'rule halt names unknown state blue',
    { rules: [...sound.rules, { from: 'blue', on: 'halt', to: 'red' }] },
  ],
  [
    'rule pick names unknown state blue',
    { rules: [...sound.rules, { from: 'red', on: 'pick', to: { pick: () => 'blue', among: ['blue'] } }] },
  ],
  ['initial names unknown state blue', { initial: ['red', 'blue'] }],
  ['terminal names unknown state blue', { terminal: ['off', 'blue'] }],
  ['group dark names unknown state blue', { groups: { ...sound.groups, dark: ['blue'] } }],
  [
    'rule dim names unknown group dark',
    { rules: [...sound.rules, { from: { group: 'dark' }, on: 'dim', to: 'off' }] },
  ],
  ['override force names unknown state blue', { overrides: [{ event: 'force', from: 'red', to: 'blue' }] }],
  ['state blue is unreachable', { states: [...sound.states, 'blue'] }],
  [
    'two rules without guards for red on go',
    { drivenBy: 'event', rules: [...sound.rules, { ...on, to: 'red' }] },
  ],
  [
    'two rules without guards for red on go',
    { drivenBy: 'event', rules: [...sound.rules, { ...on, to: 'red', guard: () => true }] },
  ],
  [
    'two events lead from red to green, which a target must not',
    { rules: [...sound.rules, { ...on, on: 'hurry' }] },
  ],
  [
    'rule relight leaves terminal state off without exitsTerminal',
    { rules: [...sound.rules, { from: 'off', on: 'relight', to: 'red' }] },
  ],
  ['alias go is also an event', { aliases: [{ name: 'go', as: 'halt', when: ['green'] }] }],
  [
    'alias run stands for go, which is not legal in green',
    { aliases: [{ name: 'run', as: 'go', when: ['green'] }] },
  ],
  ['no initial state', { initial: [] }],
  ['state red is listed twice', { states: ['red', 'green', 'off', 'red'] }],
];

test.each(broken)('finds: %s', (problem, change) => {
  const definition: MachineDefinition<string> = { ...sound, ...change };
  expect(validate(definition)).toContain(problem);
  expect(() => defineMachine(definition)).toThrow(MachineDefinitionError);
  expect(() => defineMachine(definition)).toThrow(problem);
});

test('accepts a state that only an override reaches, rules that share a cell by guards, and a flagged exit', () => {
  const definition: MachineDefinition<string> = {
    ...sound,
    drivenBy: 'event',
    states: [...sound.states, 'blue'],
    overrides: [{ event: 'force', from: 'red', to: 'blue' }],
    rules: [
      { ...on, guard: () => true },
      { ...on, to: 'red', guard: () => false },
      ...sound.rules.slice(1),
      { from: 'off', on: 'relight', to: 'red', exitsTerminal: true },
    ],
  };
  expect(validate(definition)).toEqual([]);
});

test('a machine is frozen, and a changed copy of it is a machine of its own', () => {
  expect(Object.isFrozen(taskMachine.rules)).toBe(true);
  expect(Object.isFrozen(taskMachine.terminal)).toBe(true);
  const smaller: MachineDefinition<string> = {
    ...taskMachine,
    rules: taskMachine.rules.filter(({ on: event }) => event !== 'claim'),
  };
  expect(can(taskMachine, 'OPEN', 'claim')).toBe(true);
  expect(can(smaller, 'OPEN', 'claim')).toBe(false);
  const open = { entityId: 't', state: 'OPEN', seq: 0, context: null };
  expect(decide(smaller, open, { ...input, type: 'cancel' })).toMatchObject({
    ok: true,
    snapshot: { state: 'CANCELLED' },
  });
});
