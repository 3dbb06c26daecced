/** Rows come with their column names, from tables or as JSON; they go out with the names of the types. */
export function camelKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [camel(key), field]));
}

const camelNames = new Map<string, string>();

function camel(key: string): string {
  let name = camelNames.get(key);
  if (name === undefined) {
    name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    camelNames.set(key, name);
  }
  return name;
}

const snakeNames = new Map<string, string>();

export function snake(key: string): string {
  let name = snakeNames.get(key);
  if (name === undefined) {
    name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(key, name);
  }
  return name;
}

const none: ReadonlySet<string> = new Set();

/** `{ someKey: 1 }` → `{ some_key: 1 }` but for those left out, one level deep: values such as plans keep their own keys. */
export function snakeKeys(value: object, without: ReadonlySet<string> = none): Record<string, unknown> {
  const renamed: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) if (!without.has(key)) renamed[snake(key)] = field;
  return renamed;
}
