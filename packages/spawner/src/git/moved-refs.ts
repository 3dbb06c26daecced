import type { GitOptions } from '@baton/contracts';

/** Names of refs that were moved here lately in each repository, newest last: what leads to a new head is most likely one of them. */
export interface MovedRefs {
  note(args: readonly string[], given: GitOptions): void;
  of(repository: string): readonly string[];
}

const mostRefs = 4;
const mostRepositories = 64;
const moved = /^(?:create|update) (refs\/heads\/\S+) [0-9a-f]/gm;

/** Names alone: what they lead to is looked up when it matters. */
export function createMovedRefs(): MovedRefs {
  const known = new Map<string, string[]>();
  return {
    note([command, flag], { cwd, stdin = '' }) {
      if (command !== 'update-ref' || flag !== '--stdin') return;
      const names = [...stdin.matchAll(moved)].map(([, name = '']) => name);
      if (names.length === 0) return;
      const others = (known.get(cwd) ?? []).filter((name) => !names.includes(name));
      if (known.size >= mostRepositories) known.clear();
      known.set(cwd, [...others, ...names].slice(-mostRefs));
    },
    of: (repository) => known.get(repository) ?? [],
  };
}
