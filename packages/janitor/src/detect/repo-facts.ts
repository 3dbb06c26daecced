/** What the detection decides from: names, texts of manifests, what is installed and which programs are there. */
export interface RepoFacts {
  /** Names in the repository's top folder. */
  names: readonly string[];
  /** Manifests by their path in the repository, e.g. `package.json`; a file that is missing or unreadable has no entry. */
  texts: Readonly<Record<string, string>>;
  /** Folders of installed packages that git ignores and the checkout has, e.g. `packages/a/node_modules`, `.venv`. */
  installed: readonly string[];
  /** Why a folder of installed packages cannot be taken over, by its path. */
  unfit: Readonly<Record<string, string>>;
  /** Package managers that left their mark in `node_modules`. */
  marks: readonly string[];
  /** Programs of {@link knownTools} in PATH. */
  tools: readonly string[];
  /** What leads from the `python3` of PATH into this checkout's source; absent: nothing does, or it was not asked. */
  pythonSource?: string;
  /** Packages that Python tests may import, each with the folder that it is in, e.g. `src`, or `.`. */
  pythonPackages?: Readonly<Record<string, string>>;
  /** Tests of Python in git, each with the folder from which `unittest discover` finds it: the nearest that is no package. */
  pythonTests?: Readonly<Record<string, string>>;
  /** The same of folders below the top that hold manifests, by their path. */
  nested?: Readonly<Record<string, RepoFacts>>;
}

/** A command that is run in a fresh worktree before anything else. */
export interface Install {
  command: readonly string[];
  /** Tracked files that it reads; null: Baton knows them of this command. */
  inputs: readonly string[] | null;
}

/** What one ecosystem needs in a fresh worktree. */
export interface Need {
  /** Ignored folders to take over from the checkout. */
  folders: readonly string[];
  install: Install | null;
  /** E.g. `the checkout has node_modules`. */
  reason: string;
}

/** What was found of one ecosystem. */
export interface Found {
  needs: Need[];
  /** What the user should know, in whole sentences. */
  warnings: string[];
}

/** Programs that set-ups and gates are made of. */
export const knownTools = [
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'uv',
  'poetry',
  'pipenv',
  'python3',
  'tox',
  'go',
  'cargo',
  'mvn',
  'gradle',
  'bundle',
  'rake',
  'composer',
  'make',
  'cmake',
  'ctest',
  'dotnet',
  'mix',
  'deno',
  'swift',
  'bazel',
  'sbt',
  'stack',
  'cabal',
  'gleam',
  'zig',
  'dart',
  'flutter',
  'just',
  'task',
] as const;

/** Manifests whose text is read in the top folder. */
export const manifestNames = [
  'package.json',
  'yarn.lock',
  'pyproject.toml',
  'setup.cfg',
  'tox.ini',
  'requirements-dev.txt',
  'requirements-test.txt',
  'dev-requirements.txt',
  'test-requirements.txt',
  'requirements.txt',
  'Makefile',
  'makefile',
  'GNUmakefile',
  'CMakeLists.txt',
  'Gemfile',
  'Gemfile.lock',
  'Rakefile',
  'composer.json',
  'deno.json',
  'deno.jsonc',
  'build.zig',
  'pubspec.yaml',
  'justfile',
  'Justfile',
  '.justfile',
  'Taskfile.yml',
  'taskfile.yml',
  'Taskfile.yaml',
  'taskfile.yaml',
  'Taskfile.dist.yml',
  'Taskfile.dist.yaml',
] as const;

/** Projects of .NET; whether one holds tests is known by its text. */
export const projectName = /\.([cf]s|vb)proj$/;

/** Whether a project of .NET holds tests, by its SDK, its packages or its own word. */
export const isDotnetTest = (text: string): boolean =>
  /Microsoft\.NET\.Test\.Sdk|MSTest\.Sdk|Include="(xunit(\.v3)?|NUnit|MSTest|TUnit)"|<IsTestProject>\s*true/i.test(
    text,
  );

/** A JSON manifest as an object; what is no object counts as empty. */
export function readJson(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text ?? '{}');
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** The entries of an object whose values are text. */
export function stringsIn(value: unknown): Readonly<Record<string, string | undefined>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names as a list in a sentence. */
export function listed(names: readonly string[]): string {
  return names.join(', ');
}
