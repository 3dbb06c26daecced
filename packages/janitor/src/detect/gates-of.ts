import path from 'node:path';
import { shellText } from '@baton/contracts';
import type { RepoFacts } from './repo-facts.ts';
import { detected, type DetectedGate } from './detected-gate.ts';
import { nodeGates } from './node-gates.ts';
import { otherGates, runnerGates } from './other-gates.ts';
import { isTox, pythonCommand } from './python.ts';
import { readJson, stringsIn } from './repo-facts.ts';

/** The usual gates of a repository, quick ones first (docs/spec/landing.md#gates). Pure: decides from the facts alone. */
export function gatesOf(repo: RepoFacts): DetectedGate[] {
  const found = [
    ...nodeGates(repo),
    ...pythonGates(repo),
    ...goGates(repo),
    ...rustGates(repo),
    ...javaGates(repo),
    ...rubyGates(repo),
    ...phpGates(repo),
    ...otherGates(repo),
  ];
  const named = found.map((each, at) => {
    const taken = found.slice(0, at).some((other) => other.gate.name === each.gate.name);
    const program = each.program.replace(/^.*\//, '');
    return taken ? { ...each, gate: { ...each.gate, name: `${each.gate.name}-${program}` } } : each;
  });
  if (named.some(({ gate }) => gate.name.startsWith('tests'))) return named;
  const [first = []] = [makeGates(repo), cmakeGates(repo), runnerGates(repo)].filter(
    ({ length }) => length > 0,
  );
  return [...named, ...first];
}

function pythonGates(repo: RepoFacts): DetectedGate[] {
  if (isTox(repo)) return [detected({ name: 'tests', command: ['tox', 'run'] }, 'there is a tox.ini')];
  const config = ['pytest.ini', 'conftest.py'].find((name) => repo.names.includes(name));
  const named = Object.keys(repo.texts).find(
    (name) => /\.(toml|cfg|ini|txt)$/.test(name) && /\bpytest\b/.test(repo.texts[name] ?? ''),
  );
  const tests = Object.entries(repo.texts).filter(([name]) => isPythonTest(name));
  const [first] = tests;
  const usesPytest = tests.find(([, text]) => /^(import|from) pytest\b|^(async )?def test_/m.test(text));
  const python = pythonCommand(repo);
  const pytest = [...python, '-m', 'pytest'];
  if (config !== undefined) return [detected({ name: 'tests', command: pytest }, `there is a ${config}`)];
  if (named !== undefined) return [detected({ name: 'tests', command: pytest }, `${named} names pytest`)];
  if (usesPytest !== undefined)
    return [detected({ name: 'tests', command: pytest }, `${usesPytest[0]} is a test of pytest`)];
  if (first === undefined || !/\bunittest\b/.test(first[1])) return [];
  const command = unittestCommand(python, repo.pythonTests ?? { [first[0]]: path.posix.dirname(first[0]) });
  return [detected({ name: 'tests', command }, `${first[0]} is a test of unittest`)];
}

/** Discovery goes only into packages, and by default only to `test*.py`: it begins at each folder from which it finds tests. */
function unittestCommand(python: readonly string[], tests: Readonly<Record<string, string>>): string[] {
  const commands = new Map<string, string[]>();
  for (const [file, start] of Object.entries(tests)) {
    const from = start === '.' ? [] : ['-s', start];
    const names = path.posix.basename(file).startsWith('test') ? [] : ['-p', '*_test.py'];
    const options = [...from, ...names];
    const command = [...python, '-m', 'unittest', ...(options.length > 0 ? ['discover', ...options] : [])];
    commands.set(shellText(command), command);
  }
  const [only = [...python, '-m', 'unittest'], ...others] = commands.values();
  return others.length === 0 ? only : ['sh', '-c', [...commands.keys()].join(' && ')];
}

/** Whether a path is one of a Python test. */
export function isPythonTest(file: string): boolean {
  return /(^|\/)(test_[^/]*|[^/]*_test)\.py$/.test(file);
}

function goGates(repo: RepoFacts): DetectedGate[] {
  if (!repo.names.includes('go.mod')) return [];
  const reason = 'there is a go.mod';
  return [
    detected({ name: 'lint', command: ['go', 'vet', './...'] }, reason),
    detected({ name: 'tests', command: ['go', 'test', './...'] }, reason),
  ];
}

function rustGates(repo: RepoFacts): DetectedGate[] {
  return repo.names.includes('Cargo.toml')
    ? [detected({ name: 'tests', command: ['cargo', 'test'] }, 'there is a Cargo.toml')]
    : [];
}

function javaGates(repo: RepoFacts): DetectedGate[] {
  if (repo.names.includes('pom.xml')) {
    const program = repo.names.includes('mvnw') ? './mvnw' : 'mvn';
    return [detected({ name: 'tests', command: [program, '--batch-mode', 'test'] }, 'there is a pom.xml')];
  }
  const build = ['build.gradle', 'build.gradle.kts'].find((name) => repo.names.includes(name));
  if (build === undefined) return [];
  const program = repo.names.includes('gradlew') ? './gradlew' : 'gradle';
  return [detected({ name: 'tests', command: [program, '--no-daemon', 'test'] }, `there is a ${build}`)];
}

function rubyGates(repo: RepoFacts): DetectedGate[] {
  const bundled = repo.names.includes('Gemfile') ? ['bundle', 'exec'] : [];
  const hasRspec = ['Gemfile', 'Gemfile.lock'].some((name) => /\brspec\b/.test(repo.texts[name] ?? ''));
  if (hasRspec && (repo.names.includes('spec') || repo.names.includes('.rspec')))
    return [detected({ name: 'tests', command: [...bundled, 'rspec'] }, 'there are specs of RSpec')];
  if (!/Rake::TestTask|task\s*\(?\s*(:test\b|['"]test['"]|test:)/.test(repo.texts['Rakefile'] ?? ''))
    return [];
  return [detected({ name: 'tests', command: [...bundled, 'rake', 'test'] }, 'Rakefile has the task "test"')];
}

function phpGates(repo: RepoFacts): DetectedGate[] {
  const { scripts } = readJson(repo.texts['composer.json']);
  const hasScript =
    stringsIn(scripts)['test'] !== undefined ||
    (typeof scripts === 'object' && scripts !== null && 'test' in scripts && Array.isArray(scripts.test));
  if (hasScript)
    return [
      detected(
        { name: 'tests', command: ['composer', 'run', 'test'] },
        'composer.json has the script "test"',
      ),
    ];
  const config = ['phpunit.xml', 'phpunit.xml.dist'].find((name) => repo.names.includes(name));
  if (config === undefined) return [];
  return [detected({ name: 'tests', command: ['vendor/bin/phpunit'] }, `there is a ${config}`)];
}

function makeGates(repo: RepoFacts): DetectedGate[] {
  for (const target of ['test', 'check']) {
    const pattern = new RegExp(String.raw`^${target}\s*:(?!=)`, 'm');
    const name = ['GNUmakefile', 'makefile', 'Makefile'].find((each) => pattern.test(repo.texts[each] ?? ''));
    if (name !== undefined)
      return [detected({ name: 'tests', command: ['make', target] }, `${name} has the target "${target}"`)];
  }
  return [];
}

/** A build folder holds the path that it was configured at, so each check configures its own. */
function cmakeGates(repo: RepoFacts): DetectedGate[] {
  const text = repo.texts['CMakeLists.txt'] ?? '';
  if (!/\b(enable_testing|include)\s*\(\s*(CTest\s*)?\)/i.test(text)) return [];
  const script =
    'cmake -S . -B build-gate && cmake --build build-gate && ctest --test-dir build-gate --output-on-failure';
  return [
    detected({ name: 'tests', command: ['sh', '-c', script] }, 'CMakeLists.txt has tests of CTest', 'cmake'),
  ];
}
