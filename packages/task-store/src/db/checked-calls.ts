import { BatonError } from '@baton/contracts';
import type { Store } from '../api/store.ts';

type Member = (...args: unknown[]) => unknown;

/** How many arguments come before those that may be left out, where the function itself counts such a one, too. */
const fewest: { readonly [Group in keyof Store]?: { readonly [Name in keyof Store[Group]]?: number } } = {
  runs: { baseVerdict: 1 },
  audit: { counts: 0 },
};

/**
 * The same groups of a store, for callers that no type checker saw: a call that leaves an argument out, or gives `null` or `undefined` in its
 * place, is refused before anything reads or writes. Source: docs/spec/store.md.
 */
export function checkedCalls<Groups extends Partial<Store>>(groups: Groups): Groups {
  const checked = Object.entries(groups).map(([group, members]) => {
    const counted: Readonly<Record<string, number>> = fewest[group as keyof Store] ?? {};
    const calls = Object.entries(members as unknown as Readonly<Record<string, Member>>).map(
      ([name, member]) => [
        name,
        checkedCall(member, { name: `${group}.${name}`, needed: counted[name] ?? member.length }),
      ],
    );
    return [group, Object.fromEntries(calls)];
  });
  return Object.fromEntries(checked) as Groups;
}

function checkedCall(member: Member, { name, needed }: { name: string; needed: number }): Member {
  if (needed === 0) return member;
  return (...args) => {
    // Every call of a hot path comes through here.
    for (let at = 0; at < needed; at++)
      if (args[at] === undefined || args[at] === null) return Promise.reject(missing(name, { at, needed }));
    return member(...args);
  };
}

function missing(name: string, { at, needed }: { at: number; needed: number }): BatonError {
  const which = needed === 1 ? 'its argument' : `argument ${at + 1} of ${needed}`;
  return new BatonError('INVALID_INPUT', `\`store.${name}\` was called without ${which}.`, {
    at: name,
    fix: 'Give it as the types of @baton/task-store say; who acts is `{ actor, reason }`, and a filter of everything is `{}`.',
  });
}
