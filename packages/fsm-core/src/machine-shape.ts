import type { TransitionErrorName } from './definition.ts';

const errorNames: readonly TransitionErrorName[] = [
  'IllegalTransitionError',
  'InvalidTransitionError',
  'InvalidStateTransition',
  'ExecutionTransitionError',
];

/** Keys of a definition, and what each must be. */
const keys = {
  id: 'text',
  states: 'names',
  rules: 'objects',
  version: 'number',
  entityType: 'text',
  drivenBy: 'driver',
  initial: 'names',
  terminal: 'names',
  groups: 'groups',
  aliases: 'objects',
  overrides: 'objects',
  error: 'errorName',
  emptyContext: 'anything',
} as const;

const required: readonly string[] = ['id', 'states', 'rules'];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

const shapes: Record<(typeof keys)[keyof typeof keys], { what: string; holds(value: unknown): boolean }> = {
  text: { what: 'a text', holds: isName },
  names: { what: 'a list of names', holds: (value) => Array.isArray(value) && value.every(isName) },
  objects: { what: 'a list of objects', holds: (value) => Array.isArray(value) && value.every(isObject) },
  groups: {
    what: 'an object with a list of names for each group',
    holds: (value) => isObject(value) && Object.values(value).every((states) => shapes.names.holds(states)),
  },
  driver: { what: 'event or target', holds: (value) => value === 'event' || value === 'target' },
  errorName: {
    what: `one of ${errorNames.join(', ')}`,
    holds: (value) => errorNames.some((one) => one === value),
  },
  number: { what: 'a whole number', holds: Number.isInteger },
  anything: { what: 'anything', holds: () => true },
};

/**
 * What has not the shape of a definition, for callers that no type checker saw: missing, misspelt and wrong keys. Pure.
 *
 * @returns one sentence a problem; what is sound beyond its shape is for `validate` to say
 */
export function shapeProblems(definition: unknown): string[] {
  if (!isObject(definition)) return ['a definition is an object with id, states and rules'];
  const unknown = Object.keys(definition).filter((key) => !Object.hasOwn(keys, key));
  const wrong = Object.entries(keys).flatMap(([key, kind]) => {
    const value = definition[key];
    if (value === undefined) return required.includes(key) ? [`${key} is missing`] : [];
    return shapes[kind].holds(value) ? [] : [`${key} is not ${shapes[kind].what}`];
  });
  return [...unknown.map((key) => `unknown key ${key}`), ...wrong, ...partProblems(definition)];
}

type Parts = Readonly<Record<string, { what: string; holds(value: unknown): boolean; optional?: true }>>;

const name = { what: 'a name', holds: isName };
const names = shapes.names;
const method = {
  what: 'a function',
  holds: (value: unknown) => typeof value === 'function',
  optional: true,
} as const;
const note = {
  what: 'a text',
  holds: (value: unknown) => typeof value === 'string',
  optional: true,
} as const;
const isTarget = (value: unknown): boolean =>
  isName(value) || (isObject(value) && typeof value['pick'] === 'function' && names.holds(value['among']));
const isSource = (value: unknown): boolean => isName(value) || (isObject(value) && isName(value['group']));

/** What the objects in a list hold. A guard whose name is misspelt would let everything through. */
const parts: Readonly<Record<'rules' | 'aliases' | 'overrides', Parts>> = {
  rules: {
    from: { what: 'a state, a group or *', holds: isSource },
    on: name,
    to: { what: 'a state, or { pick, among }', holds: isTarget },
    guard: method,
    patch: method,
    exitsTerminal: { what: 'true', holds: (value) => value === true, optional: true },
    note,
  },
  aliases: { name, as: name, when: names },
  overrides: { event: name, from: name, to: name, note },
};

function partProblems(definition: Record<string, unknown>): string[] {
  return Object.entries(parts).flatMap(([list, known]) => {
    const items = definition[list];
    if (!Array.isArray(items)) return [];
    const one = list === 'aliases' ? 'alias' : list.slice(0, -1);
    return items.flatMap((item: unknown, at) =>
      isObject(item) ? itemProblems(item, known).map((problem) => `${one} ${at} ${problem}`) : [],
    );
  });
}

function itemProblems(item: Record<string, unknown>, known: Parts): string[] {
  const unknown = Object.keys(item).filter((key) => !Object.hasOwn(known, key));
  const wrong = Object.entries(known).flatMap(([key, { what, holds, optional }]) => {
    const value = item[key];
    if (holds(value) || (value === undefined && optional)) return [];
    return [`has no ${key} that is ${what}`];
  });
  return [...unknown.map((key) => `has an unknown key ${key}`), ...wrong];
}
