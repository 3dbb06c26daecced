import { constants, existsSync } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import path from 'node:path';
import { BatonError, type Git } from '@baton/contracts';
import { isPythonTest } from './gates-of.ts';
import { lookAtInstalled } from './installed-folder.ts';
import { sourceInPython, type GatePrograms } from './python-source.ts';
import { namesIn, readStart } from './read-start.ts';
import { usesPython } from './python.ts';
import { isDotnetTest, knownTools, manifestNames, projectName, type RepoFacts } from './repo-facts.ts';

/** Which repository is looked at, and with whose programs. */
export interface ReadRepositoryOptions {
  git: Git;
  /** Absolute top folder of the checkout. */
  root: string;
  /** PATH of gates and set-up. */
  path: string;
  /** How gates run programs; without it no interpreter is asked what it imports. */
  gates?: GatePrograms;
}

/** Folders of installed packages, by the last parts of their path. */
const installedNames = /(^|\/)(node_modules|\.venv|venv|\.env|env|vendor|vendor\/bundle|\.bundle)$/;
const mostManifests = 200;
const mostPythonTests = 5;
const mostNested = 8;
const nestedManifests = [
  'package.json',
  'deno.json',
  'pyproject.toml',
  'setup.py',
  'requirements.txt',
  'Pipfile',
  'go.mod',
  'Cargo.toml',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'build.sbt',
  'Gemfile',
  'composer.json',
  '*.sln',
  '*.slnx',
  '*.csproj',
  '*.fsproj',
  '*.vbproj',
  'mix.exs',
  'Package.swift',
  'pubspec.yaml',
] as const;
/** Tests of .NET are packages of their own, which are usually kept in such folders. */
const testFolders = /^(tests?|specs?)$/i;
const noPackages =
  /^(\..*|examples?|samples?|demos?|fixtures?|tests?|__tests__|specs?|testdata|docs?|website|site|vendor|third[_-]party|node_modules|templates?|bench(marks?)?|e2e|scripts?|tools?)$/i;

/**
 * Reads what {@link detectProject} decides from. Nothing is run but git and the `python3` of gates, and no ignored folder is walked.
 *
 * @throws FILE_MISSING when the folder cannot be read, GIT_FAILED
 */
export async function readRepository(options: ReadRepositoryOptions): Promise<RepoFacts> {
  const { root } = options;
  const names = await readdir(root).catch((cause: unknown) => {
    throw new BatonError('FILE_MISSING', `${root} cannot be read.`, {
      cause,
      at: root,
      fix: 'Name the top folder of a repository.',
    });
  });
  const [tracked, ignored, inner] = await Promise.all([
    trackedManifests(options),
    ignoredPaths(options),
    nestedFolders(options),
  ]);
  const hasMix = (folder: string): boolean => existsSync(path.join(root, folder, '..', 'mix.exs'));
  const folders = ignored.filter(
    (file) => installedNames.test(file) || (/(^|\/)deps$/.test(file) && hasMix(file)),
  );
  const looked = await Promise.all(
    folders.map(async (folder) => ({ folder, ...(await lookAtInstalled(root, folder)) })),
  );
  const present = looked.filter(({ kind }) => kind !== 'other');
  const found = {
    names,
    texts: await readTexts(root, [...names.filter(isRead), ...tracked]),
    installed: present.map(({ folder }) => folder).sort(),
    unfit: Object.fromEntries(present.flatMap(({ folder, why }) => (why === null ? [] : [[folder, why]]))),
    marks: await marksOf(root),
    tools: await toolsIn(options.path),
    pythonPackages: await pythonPackages(options),
    pythonTests: await pythonTests(options),
  };
  const nested: [string, RepoFacts][] = [];
  for (const folder of inner) nested.push([folder, await factsBelow(root, { folder, found })]);
  const whole = { ...found, nested: Object.fromEntries(nested) };
  const { gates } = options;
  if (
    gates === undefined ||
    !found.tools.includes('python3') ||
    ![whole, ...nested.map(([, facts]) => facts)].some(usesPython)
  )
    return whole;
  const pythonSource = await sourceInPython(gates, root);
  return pythonSource === null ? whole : withSource(whole, pythonSource);
}

function withSource(facts: RepoFacts, pythonSource: string): RepoFacts {
  const nested = Object.entries(facts.nested ?? {}).map(([folder, inner]) => [
    folder,
    withSource(inner, pythonSource),
  ]);
  return { ...facts, pythonSource, nested: Object.fromEntries(nested) as Record<string, RepoFacts> };
}

/** What the top folder's facts say of a folder below it, and its own manifests. */
async function factsBelow(
  root: string,
  { folder, found }: { folder: string; found: RepoFacts },
): Promise<RepoFacts> {
  const place = path.join(root, folder);
  const names = await namesIn(place);
  const below = (file: string): string[] =>
    file.startsWith(`${folder}/`) ? [file.slice(folder.length + 1)] : [];
  const entriesBelow = (entries: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(entries).flatMap(([file, text]) => below(file).map((name) => [name, text])),
    );
  return {
    names,
    texts: {
      ...entriesBelow(found.texts),
      ...(await readTexts(place, names.filter(isRead))),
    },
    installed: found.installed.flatMap(below),
    unfit: entriesBelow(found.unfit),
    marks: await marksOf(place),
    tools: found.tools,
    pythonTests: Object.fromEntries(
      Object.entries(entriesBelow(found.pythonTests ?? {})).map(([name, start]) => [
        name,
        start.startsWith(`${folder}/`) ? start.slice(folder.length + 1) : '.',
      ]),
    ),
  };
}

/**
 * Paths of the checkout that git ignores, a folder as one where all of it is ignored, without a slash at its end.
 *
 * @throws GIT_FAILED
 */
export async function ignoredPaths({
  git,
  root,
}: Pick<ReadRepositoryOptions, 'git' | 'root'>): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  return (await listFiles(git, { args, root })).map((file) => file.replace(/\/$/, ''));
}

/**
 * Paths of the checkout that are neither tracked nor ignored, a folder as one where nothing in it is tracked.
 *
 * @throws GIT_FAILED
 */
export async function untrackedPaths({
  git,
  root,
}: Pick<ReadRepositoryOptions, 'git' | 'root'>): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--exclude-standard', '--directory'];
  return (await listFiles(git, { args, root })).map((file) => file.replace(/\/$/, ''));
}

/** Folders one or two below the top that have a manifest in git, the upper ones; those of examples and the like are none. */
async function nestedFolders({ git, root }: ReadRepositoryOptions): Promise<string[]> {
  const patterns = nestedManifests.flatMap((name) => [`:(glob)*/${name}`, `:(glob)*/*/${name}`]);
  const listed = await listFiles(git, { args: ['ls-files', '-z', '--', ...patterns], root });
  const projects = listed.filter((file) => projectName.test(file));
  const texts = await readTexts(root, projects);
  const tests = projects.filter((file) => isDotnetTest(texts[file] ?? ''));
  const packages = listed.filter((file) => !projects.includes(file) || tests.includes(file));
  const isPackage = (file: string): boolean =>
    !path.posix
      .dirname(file)
      .split('/')
      .some((part) => noPackages.test(part) && !(tests.includes(file) && testFolders.test(part)));
  const all = [...new Set(packages.filter(isPackage).map((file) => path.posix.dirname(file)))].sort();
  return all.filter((folder) => !all.some((upper) => folder.startsWith(`${upper}/`))).slice(0, mostNested);
}

const isRead = (name: string): boolean =>
  manifestNames.some((each) => each === name) || projectName.test(name);

async function trackedManifests({ git, root }: ReadRepositoryOptions): Promise<string[]> {
  const patterns = ['*/package.json', 'pnpm-workspace.yaml', '*test_*.py', '*_test.py'];
  const listed = await listFiles(git, { args: ['ls-files', '-z', '--', ...patterns], root });
  const tests = listed.filter(isPythonTest).slice(0, mostPythonTests);
  const others = listed.filter((file) => /(^|\/)(package\.json|pnpm-workspace\.yaml)$/.test(file));
  return [...others.slice(0, mostManifests), ...tests];
}

async function pythonTests({ git, root }: ReadRepositoryOptions): Promise<Record<string, string>> {
  const args = ['ls-files', '-z', '--', '*test_*.py', '*_test.py', '*__init__.py'];
  const files = await listFiles(git, { args, root });
  const packages = new Set(
    files.filter((file) => /(^|\/)__init__\.py$/.test(file)).map((file) => path.posix.dirname(file)),
  );
  const startOf = (folder: string): string =>
    folder !== '.' && packages.has(folder) ? startOf(path.posix.dirname(folder)) : folder;
  const tests = files.filter(isPythonTest);
  return Object.fromEntries(tests.map((file) => [file, startOf(path.posix.dirname(file))]));
}

/** Packages and modules of the top folder and of those that commonly hold the source, by name. */
async function pythonPackages({ git, root }: ReadRepositoryOptions): Promise<Record<string, string>> {
  const places = ['src', 'lib', 'python'];
  const patterns = places.map((place) => `:(glob)${place}/**/*.py`);
  const args = ['ls-files', '-z', '--', ':(glob)*.py', ':(glob)*/__init__.py', ...patterns];
  const found: Record<string, string> = {};
  for (const file of await listFiles(git, { args, root })) {
    const [first = '', second] = file.split('/');
    const isBelow = second !== undefined && second !== '__init__.py' && places.includes(first);
    const name = (isBelow ? second : first).replace(/\.py$/, '');
    if (!Object.hasOwn(found, name)) found[name] = isBelow ? first : '.';
  }
  return found;
}

async function listFiles(
  git: Git,
  { args, root }: { args: readonly string[]; root: string },
): Promise<string[]> {
  const listed = await git(args, { cwd: root });
  if (listed.exitCode === 0) return listed.stdout.split('\0').filter((file) => file !== '');
  throw new BatonError('GIT_FAILED', `git ls-files failed: ${listed.stderr.trim()}`, { at: root });
}

async function readTexts(root: string, files: readonly string[]): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const file of files) {
    const text = await readStart(path.join(root, file));
    if (text !== null) texts[file] = text;
  }
  return texts;
}

async function marksOf(root: string): Promise<string[]> {
  const marks = [
    ['npm', '.package-lock.json'],
    ['pnpm', '.modules.yaml'],
    ['yarn', '.yarn-integrity'],
    ['yarn', '.yarn-state.yml'],
  ] as const;
  const found = await Promise.all(
    marks.map(async ([manager, mark]) =>
      (await isThere(path.join(root, 'node_modules', mark))) ? [manager] : [],
    ),
  );
  return [...new Set(found.flat())];
}

async function toolsIn(searchPath: string): Promise<string[]> {
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const found = await Promise.all(
    knownTools.map(async (tool) => {
      for (const folder of folders) if (await isThere(path.join(folder, tool), constants.X_OK)) return [tool];
      return [];
    }),
  );
  return found.flat();
}

function isThere(file: string, mode = constants.F_OK): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  );
}
