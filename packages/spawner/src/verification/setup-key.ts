import { createHash } from 'node:crypto';
import type { WorkspaceSetup } from '@baton/contracts';
import { gitText } from '../git/git.ts';
import { nulList } from '../tree/workspace.ts';
import type { Clone } from '../tree/clone.ts';

/** Files that decide what package managers install, in any folder. */
const manifests =
  /(^|\/)(package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|\.pnpmfile\.c?js|yarn\.lock|\.yarnrc(\.yml)?|bun\.lockb?|\.npmrc|requirements[^/]*\.txt|poetry\.lock|uv\.lock|pyproject\.toml|Pipfile(\.lock)?|Cargo\.(toml|lock)|go\.(mod|sum)|Gemfile(\.lock)?|[^/]+\.gemspec|composer\.(json|lock)|mix\.(exs|lock)|\.tool-versions|\.nvmrc|\.node-version)$|^(patches|\.yarn|\.pnpm-patches)\//;
const installers = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const installs = new Set(['ci', 'install', 'i', 'clean-install']);
const fetches = ['go mod download', 'cargo fetch', 'bundle install'];
const lifecycle = [
  'preinstall',
  'install',
  'postinstall',
  'preprepare',
  'prepare',
  'postprepare',
  'prepublish',
];
const mostManifests = 100;

/**
 * Names what the set-up of a commit depends on besides files copied from the user's checkout: the command and the tracked files that
 * it reads. Equal keys mean that one set-up serves both commits.
 *
 * @throws GIT_FAILED
 */
export async function setupKeyOf(clone: Clone, setup: WorkspaceSetup, commit: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([setup.setup, setup.symlink, setup.copy]));
  if (setup.setup === undefined) return hash.digest('hex');
  const listed = await gitText(clone.git, ['ls-tree', '-r', '-z', '--full-tree', commit], {
    cwd: clone.path,
  });
  const entries = nulList(listed).map((line) => ({ line, file: line.slice(line.indexOf('\t') + 1) }));
  const reads = await readerOf(clone, { setup, entries });
  for (const { line, file } of entries) if (reads(file)) hash.update(`${line}\0`);
  return hash.digest('hex');
}

interface Entry {
  /** `<mode> <type> <id>\t<path>` */
  line: string;
  file: string;
}

/** Which tracked files the set-up command may read. What we do not know reads all. */
async function readerOf(
  clone: Clone,
  { setup, entries }: { setup: WorkspaceSetup; entries: readonly Entry[] },
): Promise<(file: string) => boolean> {
  const { inputs, setup: command = [] } = setup;
  if (inputs !== undefined) {
    const prefixes = inputs.map((prefix) => prefix.replace(/^\.\//, '').replace(/\/+$/, ''));
    return (file) =>
      manifests.test(file) ||
      prefixes.some(
        (prefix) => prefix === '' || prefix === '.' || file === prefix || file.startsWith(`${prefix}/`),
      );
  }
  const isPlain = isPlainInstall(command) && !(await runsOwnScripts(clone, entries));
  return isPlain ? (file) => manifests.test(file) : () => true;
}

/** Whether a command only installs what manifests and lock files name. Pure. */
export function isPlainInstall(command: readonly string[]): boolean {
  const words =
    command[0] === 'npx' ? command.slice(1).filter((word) => word !== '--yes' && word !== '-y') : command;
  const [program = '', ...rest] = words;
  const plain = rest.filter((word) => !word.startsWith('-'));
  const name = command[0] === 'npx' ? program.replace(/@[^@]*$/, '') : program;
  if (installers.has(name))
    return plain.length <= 1 && (plain[0] === undefined ? name === 'yarn' : installs.has(plain[0]));
  return fetches.includes(words.join(' '));
}

/** A lifecycle script may read anything. What cannot be read counts as having one. */
async function runsOwnScripts(clone: Clone, entries: readonly Entry[]): Promise<boolean> {
  const packages = entries.filter(({ file }) => /(^|\/)package\.json$/.test(file));
  // npm builds what has a binding.gyp, without a script that says so.
  if (packages.length > mostManifests || entries.some(({ file }) => /(^|\/)binding\.gyp$/.test(file)))
    return true;
  for (const { line } of packages) {
    const id = /^\S+ \S+ (\S+)\t/.exec(line)?.[1] ?? '';
    const text = await gitText(clone.git, ['cat-file', 'blob', id], { cwd: clone.path });
    if (hasLifecycleScript(text)) return true;
  }
  return false;
}

function hasLifecycleScript(text: string): boolean {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: unknown };
    if (scripts === undefined || scripts === null) return false;
    return typeof scripts !== 'object' || lifecycle.some((name) => name in scripts);
  } catch {
    return true;
  }
}
