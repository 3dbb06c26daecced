import { readdirSync } from 'node:fs';
import path from 'node:path';

import type { Plan } from '@baton/contracts';

/**
 * Gates with `paths` that name nothing in the checkout, letter by letter: no change is ever below them, so these gates are never asked.
 * Warnings, since a step may make the folder.
 */
export function unmatchedGatePaths(root: string, { gates }: Pick<Plan, 'gates'>): string[] {
  return gates.flatMap(({ paths = [] }, at) =>
    paths.flatMap((prefix, index) => {
      const missing = missingPart(root, prefix);
      if (missing === null) return [];
      const like = missing.like === null ? '' : ` (there is ${missing.like})`;
      return [
        `gates.${at}.paths.${index}: nothing in the repository is called ${missing.part}${like}; as long as that is so, no change is below ${prefix}.`,
      ];
    }),
  );
}

/** The first part of a path that is not there, and one that differs only in case. */
function missingPart(root: string, prefix: string): { part: string; like: string | null } | null {
  const parts = prefix.split('/').filter((part) => part !== '' && part !== '.');
  for (const [at, part] of parts.entries()) {
    const names = namesIn(path.join(root, ...parts.slice(0, at)));
    if (names.includes(part)) continue;
    const above = parts.slice(0, at).join('/');
    const like = names.find((name) => name.toLowerCase() === part.toLowerCase());
    return {
      part: path.posix.join(above, part),
      like: like === undefined ? null : path.posix.join(above, like),
    };
  }
  return null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
