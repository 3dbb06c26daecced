import type { Gate } from '@baton/contracts';

/** What of a package.json decides what a check does. */
const configKeys = [
  'jest',
  'vitest',
  'mocha',
  'ava',
  'tap',
  'c8',
  'nyc',
  'eslintConfig',
  'prettier',
  'xo',
  'standard',
  'workspaces',
  'packageManager',
];
/** Names that people and CI use for checks, whether or not a gate does. */
const usual = ['test', 'lint', 'typecheck', 'check', 'build', 'ci', 'coverage'];

/** A package.json's text before and after; null where it does not exist. */
export interface ManifestChange {
  path: string;
  before: string | null;
  after: string | null;
  gates: readonly Gate[];
}

/** Flags changes of the scripts that gates run (with what those scripts call) and of the runners' settings in package.json. */
export function packageFlags(change: ManifestChange): string[] {
  const before = parse(change.before);
  const after = parse(change.after);
  if (before === null) return [];
  if (after === null) return [`gate definition: ${change.path}:1 was deleted or cannot be read`];
  const place = (key: string) => `${change.path}:${lineOf(change, key)}`;
  const old = scriptsOf(before);
  const now = scriptsOf(after);
  const decisive = new Set([...gateScripts(old, change.gates), ...gateScripts(now, change.gates)]);
  const scripts = [...decisive]
    .filter((name) => old[name] !== now[name])
    .map((name) => `gate definition: script "${name}" changed, ${place(name)}`);
  const settings = configKeys
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .map((key) => `gate definition: "${key}" changed, ${place(key)}`);
  const tools = swappedTools(before, after).map(
    (name) => `gate definition: "${name}" comes from elsewhere than a registry, ${place(name)}`,
  );
  return [...scripts, ...settings, ...tools];
}

/** The line of a key, as it is or was. */
function lineOf({ before, after }: ManifestChange, key: string): number {
  const find = (text: string | null) =>
    (text ?? '').split('\n').findIndex((line) => line.trimStart().startsWith(`${JSON.stringify(key)}:`));
  return Math.max(0, find(after) < 0 ? find(before) : find(after)) + 1;
}

const tool =
  /^(@?(vitest|jest|ava|tap|mocha|chai|sinon|c8|nyc|playwright|cypress|testing-library|eslint|typescript-eslint|biomejs)(\/|-|$)|typescript$|prettier$|tsx$|ts-node$|oxlint$|uvu$|jasmine)/;

/** Tools of checks that a change takes from a folder, an address or another package's name. */
function swappedTools(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] {
  return ['dependencies', 'devDependencies', 'overrides', 'resolutions'].flatMap((key) => {
    const [old, now] = [textsOf(before, key), textsOf(after, key)];
    return Object.keys(now).filter(
      (name) =>
        tool.test(name) &&
        old[name] !== now[name] &&
        /^(file|link|portal|git|https?|npm|github)\b.*[:/]/.test(now[name] ?? ''),
    );
  });
}

/** Files that the scripts behind the gates name, e.g. `scripts/check.mjs`; relative to the package. */
export function scriptFiles(manifest: string | null, gates: readonly Gate[]): string[] {
  const scripts = scriptsOf(parse(manifest) ?? {});
  return gateScripts(scripts, gates).flatMap((name) =>
    words(scripts[name] ?? '').map((word) => word.replace(/^\.\//, '')),
  );
}

/** Whether two versions of a package.json ask for different dependencies: then its lock file has a reason to change. */
export function dependenciesDiffer(before: string | null, after: string | null): boolean {
  const keys = [
    'dependencies',
    'devDependencies',
    'peerDependencies',
    'optionalDependencies',
    'overrides',
    'resolutions',
    'pnpm',
    'version',
  ];
  const [old, now] = [parse(before) ?? {}, parse(after) ?? {}];
  return keys.some((key) => JSON.stringify(old[key]) !== JSON.stringify(now[key]));
}

/** Names of scripts that a gate reaches, through other scripts and by `pre` and `post`, and the usual ones. */
function gateScripts(scripts: Readonly<Record<string, string>>, gates: readonly Gate[]): string[] {
  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    for (const next of [`pre${name}`, `post${name}`, ...words(scripts[name] ?? '')])
      if (next in scripts) visit(next);
  };
  for (const name of usual) visit(name);
  for (const gate of gates) for (const word of gate.command) if (word in scripts) visit(word);
  return [...reached].filter((name) => name in scripts || usual.includes(name));
}

function words(script: string): string[] {
  return script.split(/[\s"'`;&|()=]+/).filter((word) => word !== '');
}

function parse(text: string | null): Record<string, unknown> | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function scriptsOf(manifest: Readonly<Record<string, unknown>>): Record<string, string> {
  return textsOf(manifest, 'scripts');
}

function textsOf(manifest: Readonly<Record<string, unknown>>, key: string): Record<string, string> {
  const texts = manifest[key];
  if (typeof texts !== 'object' || texts === null) return {};
  return Object.fromEntries(
    Object.entries(texts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
