import picomatch from 'picomatch';
import { nodeManager, scriptRunner, type NodeManager } from './node.ts';
import { readJson, stringsIn, type RepoFacts } from './repo-facts.ts';
import { detected, type DetectedGate } from './detected-gate.ts';

const scriptGates = [
  { name: 'lint', scripts: ['lint'] },
  { name: 'types', scripts: ['typecheck', 'type-check', 'check-types', 'tsc'] },
  { name: 'build', scripts: ['build'] },
  { name: 'tests', scripts: ['test'] },
] as const;

/** Packages that get a gate each; beyond that one gate runs the tests of all. */
const mostPackages = 8;

/** Scripts of package.json as gates; those of its packages where the top one has no tests of its own. */
export function nodeGates(repo: RepoFacts): DetectedGate[] {
  const runner = scriptRunner(repo);
  const scripts = scriptsOf(repo.texts['package.json']);
  const builds = testsWhatIsBuilt(scripts);
  const found = scriptGates.flatMap(({ name, scripts: wanted }) => {
    const script = wanted.find((each) => isReal(scripts[each]));
    if (script === undefined || (builds && name === 'build')) return [];
    if (builds && name === 'tests') return [buildAndTest(runner)];
    const reason = `package.json has the script "${script}"`;
    return [detected({ name, command: runScript(runner, script) }, reason)];
  });
  return found.some(({ gate }) => gate.name === 'tests') ? found : [...found, ...packageGates(repo, runner)];
}

/** Whether the tests read what the build makes, and do not build it themselves: each gate begins without what others made. */
function testsWhatIsBuilt(scripts: Readonly<Record<string, string | undefined>>): boolean {
  if (!isReal(scripts['build']) || isReal(scripts['pretest'])) return false;
  const test = scripts['test'] ?? '';
  return (
    /(^|[\s/"'=])(dist|build|out)([/\s"'*]|$)/.test(test) &&
    !/\b(build|tsc)\b(?!\/)/.test(test.replace(/\bbuild\/?$/, ''))
  );
}

function buildAndTest(runner: NodeManager): DetectedGate {
  const script = `${runScript(runner, 'build').join(' ')} && ${runScript(runner, 'test').join(' ')}`;
  const reason = 'the script "test" of package.json tests what the script "build" makes';
  return detected({ name: 'tests', command: ['sh', '-c', script] }, reason, runner);
}

/** The command that runs a script of package.json. */
export function runScript(runner: NodeManager, script: string): string[] {
  return script === 'test' && runner !== 'bun' ? [runner, 'test'] : [runner, 'run', script];
}

interface Package {
  folder: string;
  name: string;
  /** Names of all that it depends on. */
  uses: string[];
  hasTests: boolean;
}

/**
 * Tests of the packages of a workspace, each asked when its folder, that of a package it uses, or what decides about
 * installed packages changes.
 */
function packageGates(repo: RepoFacts, runner: NodeManager): DetectedGate[] {
  const all = packagesOf(repo);
  const tested = all.filter(({ hasTests }) => hasTests);
  if (tested.length === 0) return [];
  const reason = (each: Package): string => `${each.folder}/package.json has the script "test"`;
  if (tested.length > mostPackages || runner === 'bun')
    return [
      detected({ name: 'tests', command: testAll(repo, runner) }, `${tested.length} packages have tests`),
    ];
  const shared = ['package.json', ...nodeManager(repo).locks];
  return tested.map((each) =>
    detected(
      {
        name: gateName(each, tested),
        command: testOne(runner, each),
        paths: [...foldersBehind(each, all), ...shared],
      },
      reason(each),
    ),
  );
}

function testOne(runner: NodeManager, { folder, name }: Package): string[] {
  if (runner === 'pnpm') return ['pnpm', '--fail-if-no-match', '--filter', `./${folder}`, 'test'];
  return runner === 'yarn'
    ? ['yarn', 'workspace', name, 'run', 'test']
    : ['npm', 'test', `--workspace=${folder}`];
}

function testAll(repo: RepoFacts, runner: NodeManager): string[] {
  if (runner === 'pnpm') return ['pnpm', '--recursive', 'test'];
  if (runner === 'bun') return ['bun', 'run', '--filter', '*', 'test'];
  return runner === 'yarn' && repo.names.includes('.yarnrc.yml')
    ? ['yarn', 'workspaces', 'foreach', '--all', 'run', 'test']
    : runner === 'yarn'
      ? ['yarn', 'workspaces', 'run', 'test']
      : ['npm', 'test', '--workspaces', '--if-present'];
}

/** Names of gates are short words: the folder's last part, and all of its parts where that is taken. */
function gateName(each: Package, all: readonly Package[]): string {
  const word = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 40);
  const last = (one: Package): string => word(one.folder.split('/').at(-1) ?? '');
  const isTaken = all.some((other) => other !== each && last(other) === last(each));
  const name = isTaken ? word(each.folder) : last(each);
  return name === '' ? `tests-${all.indexOf(each) + 1}` : `tests-${name}`;
}

/** The folder of a package and those of the packages that it uses, directly or not. */
function foldersBehind(start: Package, all: readonly Package[]): string[] {
  const seen = new Set<Package>([start]);
  for (const each of seen) for (const other of all) if (each.uses.includes(other.name)) seen.add(other);
  return [...seen].map(({ folder }) => folder);
}

function packagesOf(repo: RepoFacts): Package[] {
  const all = workspacePatterns(repo);
  const patterns = all.filter((each) => !each.startsWith('!'));
  if (patterns.length === 0) return [];
  // A list with a negation among its patterns would match whatever the negation does not.
  const ignore = all.filter((each) => each.startsWith('!')).flatMap((each) => ignoredBy(each.slice(1)));
  const isPackage = picomatch(patterns, { ignore });
  return Object.entries(repo.texts).flatMap(([file, text]) => {
    const folder = /^(.+)\/package\.json$/.exec(file)?.[1];
    if (folder === undefined || !isPackage(folder)) return [];
    const { name, dependencies, devDependencies, peerDependencies } = readJson(text);
    const uses = [dependencies, devDependencies, peerDependencies].flatMap((each) =>
      Object.keys(stringsIn(each)),
    );
    const hasTests = isReal(scriptsOf(text)['test']);
    return [{ folder, name: typeof name === 'string' ? name : folder, uses, hasTests }];
  });
}

/** What a negated pattern leaves out: with all below a folder also the folder itself. */
function ignoredBy(pattern: string): string[] {
  const plain = pattern.replace(/^\.\//, '');
  return [plain, plain.replace(/\/\*\*$/, '')];
}

function workspacePatterns(repo: RepoFacts): string[] {
  const { workspaces } = readJson(repo.texts['package.json']);
  const given = Array.isArray(workspaces)
    ? workspaces
    : typeof workspaces === 'object' && workspaces !== null && 'packages' in workspaces
      ? workspaces.packages
      : [];
  const named: unknown[] = Array.isArray(given) ? given : [];
  const ofPnpm = [
    ...(repo.texts['pnpm-workspace.yaml'] ?? '').matchAll(/^\s*-\s*['"]?([^'"#\n]+?)['"]?\s*$/gm),
  ];
  return [...named.filter((each) => typeof each === 'string'), ...ofPnpm.map(([, each = '']) => each)].map(
    (each) => each.replace(/^\.\//, '').replace(/\/+$/, ''),
  );
}

/** The scripts of a package.json. */
export function scriptsOf(text: string | undefined): Readonly<Record<string, string | undefined>> {
  return stringsIn(readJson(text)['scripts']);
}

/** What `npm init` writes always fails, and says so. */
export function isReal(script: string | undefined): boolean {
  return script !== undefined && script.trim() !== '' && !/no test specified/i.test(script);
}
