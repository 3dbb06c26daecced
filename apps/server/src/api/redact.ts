const placeholder = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;
const hidden = '[hidden]';

/**
 * Data as a person may see it: values of `env` maps of agents are hidden unless they only name a variable ("${NAME}"), and
 * passwords inside addresses are cut out. Plans and rules should name variables; this is for those that do not.
 */
export function redacted<T>(value: T): T {
  return copy(value, null) as T;
}

function copy(value: unknown, key: string | null): unknown {
  if (typeof value === 'string') return value.replace(/(:\/\/[^/\s:@]*:)[^/\s@]+@/g, `$1${hidden}@`);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item) => copy(item, null));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const isSecret = key === 'env' && typeof item === 'string' && !placeholder.test(item);
      return [name, isSecret ? hidden : copy(item, name)];
    }),
  );
}
