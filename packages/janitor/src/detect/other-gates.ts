import { detected, type DetectedGate } from './detected-gate.ts';
import type { RepoFacts } from './repo-facts.ts';

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
  { manifest: /\.(sln|slnx|[cfv]sproj|vbproj)$/, command: ['dotnet', 'test'] },
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

/** Tests of .NET, Elixir, Swift, Scala, Gleam, Haskell, Zig, Dart and Deno. */
export function otherGates(repo: RepoFacts): DetectedGate[] {
  return kinds.flatMap(({ manifest, command }) => {
    const name = repo.names.find((each) => manifest.test(each));
    const found = typeof command === 'function' ? (name === undefined ? null : command(repo)) : command;
    if (name === undefined || found === null) return [];
    return [detected({ name: 'tests', command: [...found] }, `there is a ${name}`)];
  });
}

/** Programs that run what others define, asked where nothing else has tests. */
const runners: readonly {
  files: readonly string[];
  test: RegExp;
  command: readonly string[];
  what: string;
}[] = [
  {
    files: ['justfile', 'Justfile', '.justfile'],
    test: /^@?test\b[^:=\n]*:(?!=)/m,
    command: ['just', 'test'],
    what: 'the recipe "test"',
  },
  {
    files: ['Taskfile.yml', 'Taskfile.yaml'],
    test: /^tasks:[^]*^ {2}test:/m,
    command: ['task', 'test'],
    what: 'the task "test"',
  },
];

/** Tests by a justfile, a Taskfile or Bazel. */
export function runnerGates(repo: RepoFacts): DetectedGate[] {
  for (const { files, test, command, what } of runners) {
    const name = files.find((each) => test.test(repo.texts[each] ?? ''));
    if (name !== undefined)
      return [detected({ name: 'tests', command: [...command] }, `${name} has ${what}`)];
  }
  const bazel = ['MODULE.bazel', 'WORKSPACE.bazel', 'WORKSPACE'].find((name) => has(repo, name));
  if (bazel === undefined) return [];
  return [detected({ name: 'tests', command: ['bazel', 'test', '//...'] }, `there is a ${bazel}`)];
}
