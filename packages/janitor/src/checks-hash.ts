import { createHash } from 'node:crypto';
import type { CompletionSignal, Gate } from '@baton/contracts';
import type { OwnedFiles } from './checks/owned-files.ts';

/** Grows when the built-in checks change what they accept, so that older verdicts are not taken for new ones. */
const builtinVersion = 1;

/** Everything that a verdict depends on besides the tree. */
export interface ChecksOptions {
  gates: readonly Gate[];
  signals: readonly CompletionSignal[];
  /** What the check of the task's own files gets; absent: none. */
  owned?: OwnedFiles;
  /** Names of gates that may be red. */
  allowRed: readonly string[];
  /** Versions of tools that decide, e.g. `{ node: 'v24.21.0' }`; also the base, since secrets and diff are judged against it. */
  versions: Readonly<Record<string, string>>;
}

/**
 * Names a set of checks: with the tree id it is the key of a stored verdict, so the same tree is never verified twice
 * (docs/spec/landing.md#verification).
 * Order of keys, signals and names does not matter; order of gates does.
 * @returns 64 hex digits
 */
export function checksHash(options: ChecksOptions): string {
  return digest({
    builtinVersion,
    gates: options.gates,
    signals: options.signals.map((signal) => canonical(signal)).sort(),
    ...(options.owned === undefined || options.owned.files.length === 0
      ? {}
      : { owned: { files: [...options.owned.files].sort(), strict: options.owned.strict } }),
    allowRed: [...options.allowRed].sort(),
    versions: options.versions,
  });
}

/** Names one command on one tree, for the results of single checks. @returns 64 hex digits */
export function checkKey(options: {
  tree: string;
  command: readonly string[];
  timeoutMs: number;
  versions: Readonly<Record<string, string>>;
}): string {
  return digest({ builtinVersion, ...options });
}

function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex');
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
