import { detected, type DetectedGate } from './detected-gate.ts';
import { isDotnetTest, manifestNames, projectName, type RepoFacts } from './repo-facts.ts';

interface Kind {
  /** Name of the manifest in the top folder. */
  manifest: RegExp;
  command: readonly string[] | ((repo: RepoFacts) => readonly string[] | null);
}

const has = (repo: RepoFacts, name: string): boolean => repo.names.includes(name);
const textOf = (repo: RepoFacts, names: readonly string[]): string =>
  names.map((name) => repo.texts[name] ?? '').join('\n');

/** Ecosystems whose tests one command runs, which fetches and builds what it needs. */
const kinds: readonly Kind[] = [
  { manifest: /^mix\.exs$/, command: ['mix', 'test'] },
  { manifest: /^Package\.swift$/, command: ['swift', 'test'] },
  { manifest: /^build\.sbt$/, command: ['sbt', 'test'] },
  { manifest: /^gleam\.toml$/, command: ['gleam', 'test'] },
  {
    manifest: /^(stack\.yaml|[^/]+\.cabal)$/,
    command: (repo) => [has(repo, 'stack.yaml') ? 'stack' : 'cabal', 'test'],
  },
  {
    manifest: /^build\.zig$/,
    command: (repo) =>
      /step\(\s*"test"/.test(textOf(repo, ['build.zig'])) ? ['zig', 'build', 'test'] : null,
  },
  {
    manifest: /^pubspec\.yaml$/,
    command: (repo) => {
      const program = /sdk:\s*flutter/.test(textOf(repo, ['pubspec.yaml'])) ? 'flutter' : 'dart';
      return has(repo, 'test') ? [program, 'test'] : null;
    },
  },
  {
    manifest: /^deno\.jsonc?$/,
    command: (repo) => {
      if (has(repo, 'package.json')) return null;
      return /"test"\s*:/.test(textOf(repo, ['deno.json', 'deno.jsonc']))
        ? ['deno', 'task', 'test']
        : ['deno', 'test'];
    },
  },
];

/** A solution runs the tests of its projects; a project alone, those that it holds itself. */
export function dotnetTests(repo: RepoFacts): string | undefined {
  const holds = (name: string): boolean => projectName.test(name) && isDotnetTest(repo.texts[name] ?? '');
  return repo.names.find((name) => /\.slnx?$/.test(name)) ?? repo.names.find(holds);
}

function dotnetGates(repo: RepoFacts): DetectedGate[] {
  const name = dotnetTests(repo);
  if (name === undefined) return [];
  const gate = detected({ name: 'tests', command: ['dotnet', 'test'] }, `there is a ${name}`);
  return [projectName.test(name) ? { ...gate, isWide: true } : gate];
}

/** Tests of .NET, Elixir, Swift, Scala, Gleam, Haskell, Zig, Dart and Deno. */
export function otherGates(repo: RepoFacts): DetectedGate[] {
  const others = kinds.flatMap(({ manifest, command }) => {
    const name = repo.names.find((each) => manifest.test(each));
    const found = typeof command === 'function' ? (name === undefined ? null : command(repo)) : command;
    if (name === undefined || found === null) return [];
    return [detected({ name: 'tests', command: [...found] }, `there is a ${name}`)];
  });
  return [...dotnetGates(repo), ...others];
}

/** Whether a Taskfile has the task "test": a key one step below `tasks`, however far that is indented. */
function hasTestTask(text: string): boolean {
  if (/^tasks:\s*\{(.*[\s,{])?["']?test["']?\s*:\s/m.test(text)) return true;
  const lines = text.split(/\r?\n/).filter((line) => /^\s*[^\s#]/.test(line));
  const below = lines.slice(lines.findIndex((line) => /^tasks:\s*(#.*)?$/.test(line)) + 1);
  const indent = /^ +/.exec(below[0] ?? '')?.[0];
  if (indent === undefined || below.length === lines.length) return false;
  const end = below.findIndex((line) => !line.startsWith(indent));
  return below
    .slice(0, end === -1 ? below.length : end)
    .some((line) => /^["']?test["']?\s*:(\s|$)/.test(line.slice(indent.length)));
}

/** Programs that run what others define, asked where nothing else has tests. */
const runners: readonly {
  files: readonly string[];
  hasTest: (text: string) => boolean;
  command: readonly string[];
  what: string;
}[] = [
  {
    files: ['justfile', 'Justfile', '.justfile'],
    hasTest: (text) => /^@?test(?=[\s:])[^:\n]*:(?!=)|^alias\s+test\s*:=/m.test(text),
    command: ['just', 'test'],
    what: 'the recipe "test"',
  },
  {
    files: manifestNames.filter((name) => /^taskfile/i.test(name)),
    hasTest: hasTestTask,
    command: ['task', 'test'],
    what: 'the task "test"',
  },
];

/** Tests by a justfile, a Taskfile or Bazel. */
export function runnerGates(repo: RepoFacts): DetectedGate[] {
  for (const { files, hasTest, command, what } of runners) {
    const name = files.find((each) => hasTest(repo.texts[each] ?? ''));
    if (name !== undefined)
      return [detected({ name: 'tests', command: [...command] }, `${name} has ${what}`)];
  }
  const bazel = ['MODULE.bazel', 'WORKSPACE.bazel', 'WORKSPACE'].find((name) => has(repo, name));
  if (bazel === undefined) return [];
  return [detected({ name: 'tests', command: ['bazel', 'test', '//...'] }, `there is a ${bazel}`)];
}
