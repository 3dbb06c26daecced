import { BatonError } from '@baton/contracts';
import { gitFailure, gitText } from '../git/git.ts';
import type { Clone } from '../tree/clone.ts';
import { fetch, fetchTimeoutMs, ownRef, push, pushTimeoutMs } from './kept-refs.ts';

/** What a remote said to refs of ours; `retryable`: it may say otherwise in a moment. */
export type Published = { ok: true } | { ok: false; why: string; retryable: boolean };

/**
 * Pushes refs of Baton's from the clone to the repository that it was made from, under their own names: people who work on that
 * repository can fetch them there. One that names other work there (fences begin again when a database is restored from an older
 * dump) moves, and that work gets a ref of its own, `<ref>.<commit>`.
 *
 * @param refs Names below `refs/baton/attempts/`, `refs/baton/salvage/` or `refs/baton/left-out/`; a trailing `/*` means all below.
 */
export async function publishRefs(
  clone: Clone,
  { location, refs }: { location: string; refs: readonly string[] },
): Promise<Published> {
  for (const ref of refs) ownRef(ref.replace(/\/\*$/, '/0'));
  const first = await pushRefs(clone, { location, specs: refs.map((ref) => `${ref}:${ref}`) });
  if (first.ok || !/\[rejected\].*(non-fast-forward|fetch first|needs force|already exists)/.test(first.why))
    return first;
  try {
    const moves = await besideOthers(clone, { location, refs });
    return await pushRefs(clone, { location, ...moves });
  } catch (error) {
    if (!BatonError.is(error, 'GIT_FAILED')) throw error;
    return { ok: false, why: error.message, retryable: true };
  }
}

async function pushRefs(
  clone: Clone,
  {
    location,
    specs,
    leases = [],
  }: { location: string; specs: readonly string[]; leases?: readonly string[] },
): Promise<Published> {
  const args = leases.length === 0 ? push : [...push, '--atomic', ...leases];
  const result = await clone.git([...args, '--', location, ...specs], {
    cwd: clone.path,
    timeoutMs: pushTimeoutMs,
    // Who takes a push into a folder is a child of ours, too: killed with us it would leave locks behind.
    finishes: location.startsWith('file:'),
  });
  if (result.exitCode === 0) return { ok: true };
  const why = gitFailure(push, result).message;
  return {
    ok: false,
    why,
    retryable: !/\[(remote )?rejected\]|denied|permission|forbidden|read-only/i.test(why),
  };
}

/** What has to be pushed so that refs move there and none of what they name is lost: each only from what it was seen to name. */
async function besideOthers(
  clone: Clone,
  { location, refs }: { location: string; refs: readonly string[] },
): Promise<{ specs: string[]; leases: string[] }> {
  const at = { cwd: clone.path, timeoutMs: fetchTimeoutMs };
  const patterns = refs.map((ref) => ref.replace(/\/\*$/, ''));
  const format = '--format=%(objectname)%09%(refname)';
  const ours = named(await gitText(clone.git, ['for-each-ref', format, ...patterns], at));
  const theirs = named(await gitText(clone.git, ['ls-remote', '--refs', '--', location, ...refs], at));
  const specs: string[] = [];
  const leases: string[] = [];
  for (const [ref, id] of ours) {
    const there = theirs.get(ref);
    if (there === id) continue;
    leases.push(`--force-with-lease=${ref}:${there ?? ''}`);
    specs.push(`${id}:${ref}`);
    if (there === undefined || theirs.has(`${ref}.${there}`)) continue;
    await gitText(clone.git, [...fetch, '--', location, ref], at);
    leases.push(`--force-with-lease=${ref}.${there}:`);
    specs.push(`${there}:${ref}.${there}`);
  }
  return { specs, leases };
}

/** Ids by ref, from lines of an id and a ref. */
function named(lines: string): Map<string, string> {
  const pairs = lines.split('\n').map((line) => line.split('\t'));
  return new Map(pairs.flatMap(([id = '', ref = '']) => (ref === '' ? [] : [[ref, id] as const])));
}
