import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/** What a plugin's module may import although its repository has not installed it. */
const shared = /^(@baton\/plugins(\/testing)?|zod)$/;
let registered = false;

/**
 * Lets modules import `@baton/plugins` and `zod` where their own folders have no such package: they get the copies that Baton
 * itself uses. An installed copy comes first. Once in a process; later calls do nothing.
 */
export function shareOwnCopies(): void {
  if (registered) return;
  registered = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (!shared.test(specifier)) return nextResolve(specifier, context);
      try {
        return nextResolve(specifier, context);
      } catch {
        if (!context.conditions.includes('require'))
          return nextResolve(specifier, { ...context, parentURL: import.meta.url });
        // The loader of CommonJS does not look at `parentURL`.
        const file = createRequire(import.meta.url).resolve(specifier);
        return { url: pathToFileURL(file).href, shortCircuit: true };
      }
    },
  });
}
