/** The one build recipe: ES modules with types, readable by `require` on every supported Node. */
export function library(entry: string[] | Record<string, string>) {
  return {
    entry,
    format: ['esm' as const],
    dts: true,
    sourcemap: true,
    clean: true,
    target: 'node22',
    treeshake: true,
  };
}
