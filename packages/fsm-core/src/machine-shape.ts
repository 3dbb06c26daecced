/** Keys of a definition, and what each must be. */
const keys = {
  id: 'text',
  states: 'names',
  rules: 'objects',
  version: 'number',
  entityType: 'text',
  drivenBy: 'text',
  initial: 'names',
  terminal: 'names',
  groups: 'object',
  aliases: 'objects',
  overrides: 'objects',
  error: 'text',
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
  object: { what: 'an object', holds: isObject },
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
  return [...unknown.map((key) => `unknown key ${key}`), ...wrong, ...rulesWithout(definition['rules'])];
}

function rulesWithout(rules: unknown): string[] {
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((rule: unknown, at) => {
    if (!isObject(rule)) return [];
    return ['from', 'on', 'to']
      .filter((key) => !isName(rule[key]) && (key === 'on' || !isObject(rule[key])))
      .map((key) => `rule ${at} has no ${key}`);
  });
}
