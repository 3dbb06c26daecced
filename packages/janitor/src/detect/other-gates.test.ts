import { expect, test } from 'vitest';
import { detectProject } from './detect-project.ts';
import { knownTools, type RepoFacts } from './repo-facts.ts';

const packageJson = (more: object): Record<string, string> => ({ 'package.json': JSON.stringify(more) });

test.each<[gates: string[], repo: Pick<Partial<RepoFacts>, 'names' | 'texts'>]>([
  [['tests: dotnet test'], { names: ['App.sln', 'src'] }],
  [
    ['tests: dotnet test'],
    { texts: { 'App.fsproj': '<PackageReference Include="Microsoft.NET.Test.Sdk" />' } },
  ],
  [['tests: dotnet test'], { texts: { 'App.vbproj': '<Project Sdk="MSTest.Sdk/3.6.0">' } }],
  [[], { texts: { 'App.csproj': '<Project Sdk="Microsoft.NET.Sdk">' } }],
  [['tests: mix test'], { names: ['mix.exs'] }],
  [['tests: deno test'], { names: ['deno.json'], texts: { 'deno.json': '{}' } }],
  [
    ['tests: deno task test'],
    { texts: { 'deno.jsonc': '{ "tasks": { "test": "deno test -A" }, /* x */ }' } },
  ],
  [['tests: npm test'], { texts: { ...packageJson({ scripts: { test: 'x' } }), 'deno.json': '{}' } }],
  [['tests: swift test'], { names: ['Package.swift'] }],
  [['tests: bazel test //...'], { names: ['MODULE.bazel'] }],
  [['tests: cargo test'], { names: ['Cargo.toml', 'WORKSPACE'] }],
  [['tests: sbt test'], { names: ['build.sbt'] }],
  [['tests: stack test'], { names: ['stack.yaml', 'x.cabal'] }],
  [['tests: cabal test'], { names: ['x.cabal'] }],
  [['tests: gleam test'], { names: ['gleam.toml'] }],
  [['tests: zig build test'], { texts: { 'build.zig': 'const s = b.step("test", "x");' } }],
  [[], { texts: { 'build.zig': 'const s = b.step("run", "x");' } }],
  [['tests: dart test'], { names: ['test'], texts: { 'pubspec.yaml': 'name: a\n' } }],
  [['tests: flutter test'], { names: ['test'], texts: { 'pubspec.yaml': 'flutter:\n  sdk: flutter\n' } }],
  [['tests: just test'], { texts: { justfile: 'default:\n  true\n@test *ARGS: build\n  true\n' } }],
  [['tests: just test'], { texts: { Justfile: 'test what="all" at="http://x":\n  true\n' } }],
  [['tests: just test'], { texts: { Justfile: 'alias test := check\ncheck:\n  true\n' } }],
  [[], { texts: { justfile: 'test := "x"\n' } }],
  [[], { texts: { justfile: 'test-unit:\n  true\ntest_all:\n  true\n' } }],
  [['tests: task test'], { texts: { 'Taskfile.yml': 'version: 3\ntasks:\n  test:\n    cmds: []\n' } }],
  [
    ['tests: task test'],
    { texts: { 'taskfile.yaml': 'tasks: # all\n\n# x\n    build:\n        test: x\n    "test": go test\n' } },
  ],
  [['tests: task test'], { texts: { 'Taskfile.yml': 'tasks: { build: x, test: y }\n' } }],
  [[], { texts: { 'Taskfile.yml': 'tasks:\n  test-unit:\n    cmds: []\n  test:unit:\n    cmds: []\n' } }],
  [[], { texts: { 'Taskfile.yml': 'tasks:\n    build:\n      vars:\n        x: 1\nvars:\n    test: x\n' } }],
  [[], { texts: { 'Taskfile.yml': 'vars:\n  test: x\n' } }],
])('gates %j', (gates, { names = [], texts = {} }) => {
  const all = [...names, ...Object.keys(texts)];
  const { gates: found, warnings } = detectProject({
    names: all,
    texts,
    installed: [],
    unfit: {},
    marks: [],
    tools: knownTools,
  });
  expect(found.map(({ gate }) => `${gate.name}: ${gate.command.join(' ')}`)).toEqual(gates);
  expect(warnings).toEqual([]);
});
