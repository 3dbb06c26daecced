/**
 * What a process of a test that gets an environment of its own needs to compile no module that another one has compiled.
 *
 * @param env the environment of the tests
 * @returns the variable of the folder that Node caches compiled modules in, or nothing when there is none
 */
export function compileCache(env: Readonly<NodeJS.ProcessEnv> = process.env): Record<string, string> {
  const { NODE_COMPILE_CACHE: folder } = env;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
