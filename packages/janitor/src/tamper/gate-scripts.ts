import type { Gate } from '@baton/contracts';
import { namesScript, wordsOf } from './command-words.ts';
import { plainCommand } from './printed-settings.ts';

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
  'stylelint',
  'size-limit',
  'lint-staged',
  'cucumber',
  'jasmine',
  'nightwatch',
  'tsd',
  'knip',
  'imports',
  'workspaces',
  'packageManager',
];
/** Names that people and CI use for checks, whether or not a gate does. */
export const usualScripts: readonly string[] = [
  'test',
  'lint',
  'typecheck',
  'check',
  'build',
  'ci',
  'coverage',
];

/** Scripts that run by themselves before any gate does, wherever packages are installed. */
const installing: readonly string[] = ['preinstall', 'install', 'postinstall'];

/** A package.json's text before and after; null where it does not exist. */
export interface ManifestChange {
  path: string;
  before: string | null;
  after: string | null;
  gates: readonly Gate[];
  /** Names of scripts that gates are known to run. */
  reached: ReadonlySet<string>;
  /** Whether its `imports` got nothing but names that no test reads. */
  hasUnreadAliases?: boolean;
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
  const decisive = new Set([...gateScripts(old, change), ...gateScripts(now, change), ...installing]);
  const scripts = [...decisive]
    .filter((name) => plainCommand(old[name] ?? '') !== plainCommand(now[name] ?? ''))
    .map((name) => `gate definition: script "${name}" changed, ${place(name)}`);
  const settings = configKeys
    .filter((key) => plainSettings(before[key]) !== plainSettings(after[key]))
    .filter((key) => key !== 'imports' || !(change.hasUnreadAliases ?? false))
    .map((key) => `gate definition: "${key}" changed, ${place(key)}`);
  const tools = swappedTools(before, after).map(
    (name) => `gate definition: "${name}" comes from elsewhere than a registry, ${place(name)}`,
  );
  return [...scripts, ...settings, ...tools];
}

function plainSettings(value: unknown): string {
  return value === undefined ? '' : plainCommand(JSON.stringify(value));
}

/**
 * Short names for modules (`imports`) that a package.json got, where all that it had are as they were and read what they read.
 * Empty where it had none, or one is another now. Pure.
 */
export function addedAliases(before: string | null, after: string | null): string[] {
  const [old, now] = [before, after].map((text) => entriesOf(parse(text)?.['imports']));
  const names = Object.keys(old ?? {});
  const isKept = names.every((name) => JSON.stringify(old?.[name]) === JSON.stringify(now?.[name]));
  const added = Object.keys(now ?? {}).filter((name) => !names.includes(name));
  const isRead = (name: string) =>
    names.some((one) => one.includes('*') && name.startsWith(one.slice(0, one.indexOf('*'))));
  return names.length > 0 && isKept && !added.some(isRead) ? added : [];
}

function entriesOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
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

/** What each script of a package.json runs, by its name. Pure. */
export function manifestScripts(manifest: string | null): Record<string, string> {
  return scriptsOf(parse(manifest) ?? {});
}

/** The settings of runners in a package.json, as text. Pure. */
export function manifestSettings(manifest: string | null): string {
  const parsed = parse(manifest) ?? {};
  const own = configKeys.filter(
    (key) => key !== 'imports' && key !== 'workspaces' && Object.hasOwn(parsed, key),
  );
  return own.map((key) => JSON.stringify({ [key]: parsed[key] })).join('\n');
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
function gateScripts(
  scripts: Readonly<Record<string, string>>,
  { gates, reached: known }: Pick<ManifestChange, 'gates' | 'reached'>,
): string[] {
  const names = Object.keys(scripts);
  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    if (!Object.hasOwn(scripts, name)) return;
    for (const word of [`pre${name}`, `post${name}`, ...wordsOf(scripts[name] ?? '')])
      names.filter(namesScript(word)).forEach(visit);
  };
  for (const name of [...usualScripts, ...known]) visit(name);
  for (const { command } of gates)
    for (const word of [...command, ...wordsOf(command.join(' '))])
      names.filter(namesScript(word)).forEach(visit);
  return [...reached].filter(
    (name) => Object.hasOwn(scripts, name) || usualScripts.includes(name) || known.has(name),
  );
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

/** Scripts with what wireit runs for them. */
function scriptsOf(manifest: Readonly<Record<string, unknown>>): Record<string, string> {
  const scripts = textsOf(manifest, 'scripts');
  const { wireit } = manifest;
  if (typeof wireit !== 'object' || wireit === null) return scripts;
  const texts = Object.entries(wireit).map(([name, value]) => [
    name,
    [scripts[name] ?? '', ...stringsOf(value)].join('\n'),
  ]);
  return { ...scripts, ...(Object.fromEntries(texts) as Record<string, string>) };
}

/** All strings in a value, at any depth that people write. */
function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) =>
    key === 'files' || key === 'output' ? [] : stringsOf(inside),
  );
}

function textsOf(manifest: Readonly<Record<string, unknown>>, key: string): Record<string, string> {
  const texts = manifest[key];
  if (typeof texts !== 'object' || texts === null) return {};
  return Object.fromEntries(
    Object.entries(texts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
