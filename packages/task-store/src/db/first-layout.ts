/** Migrations that made the schema step by step before it became one; exports of then name them. */
const steps = /^00(0[1-9]|1\d|2[0-7])_/;

/** Is this a migration of the first layout, in which each event carried a hash and a position of its own? */
export function isFirstLayout(name: string): boolean {
  return steps.test(name) && name !== '0001_baseline';
}
