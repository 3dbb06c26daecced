import module from 'node:module';
import path from 'node:path';

/** Environment of a small process of ours: what this process compiles into a cache, if into any, is not compiled there once more. */
export function codeCache(): { NODE_COMPILE_CACHE?: string } {
  // The folder that is named here is the one of this version of Node inside the one that was given.
  const folder = module.getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}

/**
 * What Node is started with for one of our own programs: from sources, it finds the sources of other packages, which may not be built.
 *
 * @param program its path
 */
export function nodeFor(program: string): [string, ...string[]] {
  return [process.execPath, ...(program.endsWith('.ts') ? ['--conditions=@baton/source'] : []), program];
}
