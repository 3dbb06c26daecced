import {
  listed,
  readJson,
  stringsIn,
  type Found,
  type Install,
  type Need,
  type RepoFacts,
} from './repo-facts.ts';

/** A package manager of Node.js. */
export type NodeManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

const lockFiles: readonly (readonly [NodeManager, readonly string[]])[] = [
  ['pnpm', ['pnpm-lock.yaml']],
  ['yarn', ['yarn.lock']],
  ['bun', ['bun.lock', 'bun.lockb']],
  ['npm', ['package-lock.json', 'npm-shrinkwrap.json']],
];

/** Nested folders that are taken over one by one; beyond that an installation is quicker. */
const mostFolders = 40;

/** Which package manager a repository uses, and why; the lock files decide unless package.json names one. */
export function nodeManager(repo: RepoFacts): { manager: NodeManager; locks: string[]; why: string } {
  const found = lockFiles.flatMap(([manager, names]) =>
    names.filter((name) => repo.names.includes(name)).map((lock) => ({ manager, lock })),
  );
  const locks = found.map(({ lock }) => lock);
  const [, named] = /^(npm|pnpm|yarn|bun)@/.exec(String(manifest(repo)['packageManager'] ?? '')) ?? [];
  if (named !== undefined)
    return { manager: named as NodeManager, locks, why: 'package.json names it as packageManager' };
  const marked = found.find(({ manager }) => repo.marks.includes(manager));
  if (marked !== undefined) return { manager: marked.manager, locks, why: 'it made node_modules' };
  const [first] = found;
  return { manager: first?.manager ?? 'npm', locks, why: `of several, ${first?.lock ?? 'npm'} comes first` };
}

/** What a Node.js repository needs in a fresh worktree: installed packages are taken over, else they are installed. */
export function nodeNeeds(repo: RepoFacts): Found {
  if (!repo.names.includes('package.json')) return { needs: [], warnings: [] };
  const { manager, locks, why } = nodeManager(repo);
  const warnings: string[] = [];
  const text = repo.texts['package.json'];
  if (text !== undefined && !isJson(text))
    warnings.push('package.json is not valid JSON: its scripts were not read.');
  if (locks.length > 1 && new Set(locks.map(lockOwner)).size > 1)
    warnings.push(`There are several lock files (${listed(locks)}): ${manager} is taken, since ${why}.`);
  const folders = repo.installed.filter((folder) => /(^|\/)node_modules$/.test(folder));
  const fit = folders.filter((folder) => repo.unfit[folder] === undefined);
  for (const folder of folders)
    if (repo.unfit[folder] !== undefined)
      warnings.push(`${folder} is not taken over: it ${repo.unfit[folder]}.`);
  const isWhole =
    fit.includes('node_modules') || (fit.length > 0 && !repo.installed.includes('node_modules'));
  if (isWhole && fit.length <= mostFolders)
    return { needs: [{ folders: fit, install: null, reason: `your checkout has ${some(fit)}` }], warnings };
  const need = installNeed(repo, { manager, locks });
  if (need === null) return { needs: [], warnings };
  if (!repo.tools.includes(manager)) {
    warnings.push(`${manager} is not in PATH, so nothing installs what package.json names.`);
    return { needs: [], warnings };
  }
  return { needs: [need], warnings };
}

/** Names scripts are run with: the manager itself where it is installed, else npm, which runs them as well. */
export function scriptRunner(repo: RepoFacts): NodeManager {
  const { manager } = nodeManager(repo);
  return repo.tools.includes(manager) || !repo.tools.includes('npm') ? manager : 'npm';
}

function installNeed(
  repo: RepoFacts,
  { manager, locks }: { manager: NodeManager; locks: readonly string[] },
): Need | null {
  if (!hasDependencies(repo)) return null;
  const lock = locks.find((name) => lockOwner(name) === manager);
  const reason = lock === undefined ? 'package.json has dependencies' : `there is a ${lock}`;
  return { folders: [], install: installOf(repo, { manager, isLocked: lock !== undefined }), reason };
}

function installOf(
  repo: RepoFacts,
  { manager, isLocked }: { manager: NodeManager; isLocked: boolean },
): Install {
  const frozen = isBerry(repo) ? ['--immutable'] : ['--frozen-lockfile'];
  if (manager === 'npm') return { command: isLocked ? ['npm', 'ci'] : ['npm', 'install'], inputs: null };
  return { command: [manager, 'install', ...(isLocked ? frozenOf(manager, frozen) : [])], inputs: null };
}

function frozenOf(manager: NodeManager, ofYarn: string[]): string[] {
  return manager === 'yarn' ? ofYarn : ['--frozen-lockfile'];
}

function isBerry(repo: RepoFacts): boolean {
  return (
    repo.names.includes('.yarnrc.yml') ||
    /^yarn@[2-9]/.test(String(manifest(repo)['packageManager'] ?? '')) ||
    (repo.texts['yarn.lock'] ?? '').includes('__metadata:')
  );
}

function hasDependencies(repo: RepoFacts): boolean {
  if (repo.names.includes('pnpm-workspace.yaml')) return true;
  const { dependencies, devDependencies, optionalDependencies, workspaces } = manifest(repo);
  const named = [dependencies, devDependencies, optionalDependencies];
  return workspaces !== undefined || named.some((each) => Object.keys(stringsIn(each)).length > 0);
}

function lockOwner(lock: string): NodeManager {
  return lockFiles.find(([, names]) => names.includes(lock))?.[0] ?? 'npm';
}

function manifest(repo: RepoFacts): Readonly<Record<string, unknown>> {
  return readJson(repo.texts['package.json']);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function some(folders: readonly string[]): string {
  return folders.length <= 3 ? listed(folders) : `${folders[0] ?? ''} and ${folders.length - 1} more`;
}
