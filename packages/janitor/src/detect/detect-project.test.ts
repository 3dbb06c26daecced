import { expect, test } from 'vitest';
import { gate as gateSchema, workspaceSetup } from '@baton/contracts';
import { detectProject } from './detect-project.ts';
import { knownTools, type RepoFacts } from './repo-facts.ts';

const facts = (given: Partial<RepoFacts>): RepoFacts => ({
  texts: {},
  installed: [],
  unfit: {},
  marks: [],
  tools: knownTools,
  ...given,
  names: [...(given.names ?? []), ...Object.keys(given.texts ?? {}).filter((name) => !name.includes('/'))],
});
const packageJson = (more: object): Record<string, string> => ({ 'package.json': JSON.stringify(more) });
const uses = packageJson({ devDependencies: { uvu: '1' } });
/** The set-up in one line, and the commands of the gates. */
const found = (given: Partial<RepoFacts>): { setup: string; gates: string[]; warnings: string[] } => {
  const { workspace, gates, warnings } = detectProject(facts(given));
  const taken =
    workspace === null || workspace.symlink.length === 0 ? [] : [`take ${workspace.symlink.join(' ')}`];
  const run = workspace?.setup === undefined ? [] : [workspace.setup.join(' ')];
  return {
    setup: [...taken, ...run].join('; ') || 'nothing',
    gates: gates.map(({ gate }) => `${gate.name}: ${gate.command.join(' ')}`),
    warnings,
  };
};

test.each<[what: string, setup: string, repo: Partial<RepoFacts>]>([
  ['npm with a lock file', 'npm ci', { names: ['package-lock.json'], texts: uses }],
  ['npm with a shrinkwrap', 'npm ci', { names: ['npm-shrinkwrap.json'], texts: uses }],
  ['npm without one', 'npm install', { texts: uses }],
  ['pnpm', 'pnpm install --frozen-lockfile', { names: ['pnpm-lock.yaml'], texts: uses }],
  ['yarn 1', 'yarn install --frozen-lockfile', { texts: { ...uses, 'yarn.lock': '# yarn lockfile v1' } }],
  ['yarn 2 and later', 'yarn install --immutable', { texts: { ...uses, 'yarn.lock': '__metadata:\n' } }],
  ['bun', 'bun install --frozen-lockfile', { names: ['bun.lock'], texts: uses }],
  ['uv', 'uv sync --frozen', { names: ['uv.lock', 'pyproject.toml'] }],
  [
    'poetry',
    'env POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction',
    { names: ['poetry.lock', 'pyproject.toml'] },
  ],
  ['pipenv', 'env PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev', { names: ['Pipfile', 'Pipfile.lock'] }],
  [
    'requirements.txt',
    'sh -c python3 -m venv .venv && .venv/bin/python -m pip install -r requirements.txt',
    { names: ['requirements.txt'] },
  ],
  ...(
    [
      '[project]\ndependencies = []\n[project.optional-dependencies]\ndev = ["pytest"]\n',
      '[project]\ndependencies = []\noptional-dependencies.dev = ["pytest"]\n',
      '[project]\noptional-dependencies = { dev = ["pytest"] }\n[tool.x]\ntest = 1\n',
    ] as const
  ).map((text): [string, string, Partial<RepoFacts>] => [
    'an extra for tests of a project without dependencies',
    "sh -c python3 -m venv .venv && .venv/bin/python -m pip install -e '.[dev]'",
    { texts: { 'pyproject.toml': text } },
  ]),
  ['tox', 'tox run --notest', { names: ['tox.ini'] }],
  ['Go', 'go mod download', { names: ['go.mod', 'go.sum'] }],
  ['Go without dependencies', 'nothing', { names: ['go.mod'] }],
  ['Go with a tracked vendor folder', 'nothing', { names: ['go.mod', 'go.sum', 'vendor'] }],
  ['Rust', 'nothing', { names: ['Cargo.toml', 'Cargo.lock'], installed: [] }],
  ['Maven', 'nothing', { names: ['pom.xml'] }],
  ['Gradle', 'nothing', { names: ['build.gradle.kts'] }],
  ['Bundler', 'bundle install', { names: ['Gemfile', 'Gemfile.lock'] }],
  ['Composer', 'composer install --no-interaction', { names: ['composer.json', 'composer.lock'] }],
  ['Make', 'nothing', { names: ['Makefile'] }],
  ['CMake', 'nothing', { names: ['CMakeLists.txt'] }],
  ['a package without dependencies', 'nothing', { names: ['package-lock.json'], texts: packageJson({}) }],
  [
    'two ecosystems',
    'sh -c npm ci && uv sync --frozen',
    { names: ['package-lock.json', 'uv.lock', 'pyproject.toml'], texts: uses },
  ],
  ['an installed node_modules', 'take node_modules', { texts: uses, installed: ['node_modules'] }],
  [
    'node_modules of a workspace',
    'take node_modules packages/a/node_modules',
    { texts: uses, installed: ['node_modules', 'packages/a/node_modules'] },
  ],
  ['an installed .venv', 'take .venv', { names: ['uv.lock', 'pyproject.toml'], installed: ['.venv'] }],
  [
    'an ignored vendor of Go',
    'take vendor',
    { names: ['go.mod', 'go.sum', 'vendor'], installed: ['vendor'] },
  ],
  ['an ignored vendor of PHP', 'take vendor', { names: ['composer.json', 'vendor'], installed: ['vendor'] }],
  [
    'gems in the repository',
    'take vendor/bundle .bundle',
    { names: ['Gemfile', 'Gemfile.lock'], installed: ['vendor', 'vendor/bundle', '.bundle'] },
  ],
  ['results of a build', 'nothing', { names: ['Cargo.toml', 'target'], installed: [] }],
  ['Elixir', 'mix deps.get', { names: ['mix.exs', 'mix.lock'] }],
  ['Elixir with its packages', 'take deps', { names: ['mix.exs', 'mix.lock', 'deps'], installed: ['deps'] }],
  ['.NET', 'nothing', { names: ['App.sln'] }],
  [
    'packages below the top',
    'take app/node_modules; sh -c cd back && uv sync --frozen',
    {
      names: ['app', 'back'],
      installed: ['app/node_modules'],
      nested: {
        app: facts({ names: ['package-lock.json'], texts: uses, installed: ['node_modules'] }),
        back: facts({ names: ['uv.lock', 'pyproject.toml'] }),
      },
    },
  ],
  [
    'two packages below the top that are to be installed',
    "sh -c (cd 'my app' && npm ci) && (cd back && uv sync --frozen)",
    {
      names: ['my app', 'back'],
      nested: {
        'my app': facts({ names: ['package-lock.json'], texts: uses }),
        back: facts({ names: ['uv.lock', 'pyproject.toml'] }),
      },
    },
  ],
  ['no manifest', 'nothing', { names: ['README.md'] }],
])('set-up of %s: %s', (_what, setup, repo) => {
  const { workspace } = detectProject(facts(repo));
  expect(found(repo).setup).toBe(setup);
  if (workspace !== null)
    expect(workspaceSetup.parse({ ...workspace, setup_timeout: '10m' })).toEqual(workspace);
});

test.each<[gates: string[], repo: Partial<RepoFacts>]>([
  [['tests: npm test'], { texts: packageJson({ scripts: { test: 'node --test' } }) }],
  [
    ['tests: npm test'],
    { texts: packageJson({ scripts: { test: 'x' } }), names: ['pnpm-lock.yaml'], tools: ['npm'] },
  ],
  [
    ['tests: sh -c npm run build && npm test'],
    { texts: packageJson({ scripts: { build: 'tsc', test: 'node --test dist/' } }) },
  ],
  [
    ['build: npm run build', 'tests: npm test'],
    { texts: packageJson({ scripts: { build: 'tsc', pretest: 'npm run build', test: 'node --test dist' } }) },
  ],
  [['lint: pnpm run lint'], { texts: packageJson({ scripts: { lint: 'x' } }), names: ['pnpm-lock.yaml'] }],
  [['tests: bun run test'], { texts: packageJson({ scripts: { test: 'x' } }), names: ['bun.lockb'] }],
  [[], { texts: packageJson({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }) }],
  [[], { texts: packageJson({ name: 'none' }) }],
  [[], { texts: packageJson({ scripts: { test: 1 } }) }],
  [['tests: python3 -m pytest'], { names: ['conftest.py'] }],
  [['tests: .venv/bin/python -m pytest'], { names: ['pytest.ini'], installed: ['.venv'] }],
  [['tests: .venv/bin/python -m pytest'], { texts: { 'requirements.txt': 'pytest\n' } }],
  [['tests: uv run python -m pytest'], { texts: { 'pyproject.toml': 'pytest' }, names: ['uv.lock'] }],
  [['tests: python3 -m unittest'], { texts: { 'test_a.py': 'import unittest\n' } }],
  [['tests: python3 -m unittest discover -s tests'], { texts: { 'tests/test_a.py': 'import unittest\n' } }],
  [['tests: python3 -m pytest'], { texts: { 'tests/test_a.py': 'def test_a():\n    pass\n' } }],
  [['tests: tox run'], { names: ['tox.ini', 'conftest.py'] }],
  [['lint: go vet ./...', 'tests: go test ./...'], { names: ['go.mod'] }],
  [['tests: cargo test'], { names: ['Cargo.toml'] }],
  [['tests: ./mvnw --batch-mode test'], { names: ['pom.xml', 'mvnw'] }],
  [['tests: ./gradlew --no-daemon test'], { names: ['build.gradle', 'gradlew'] }],
  [['tests: bundle exec rspec'], { texts: { Gemfile: 'gem "rspec"' }, names: ['spec'] }],
  [['tests: bundle exec rake test'], { texts: { Gemfile: '', Rakefile: 'task :test do' } }],
  [['tests: composer run test'], { texts: { 'composer.json': '{"scripts":{"test":["phpunit"]}}' } }],
  [['tests: vendor/bin/phpunit'], { names: ['phpunit.xml.dist', 'composer.json'] }],
  [['tests: make test'], { texts: { Makefile: 'all:\n\ttrue\ntest: all\n\ttrue\ncheck:\n' } }],
  [['tests: make check'], { texts: { Makefile: 'check:\n\ttrue\n' } }],
  [[], { texts: { Makefile: 'TESTS := a\ntest := 1\n' } }],
  [
    [
      'tests: sh -c cmake -S . -B build-gate && cmake --build build-gate && ctest --test-dir build-gate --output-on-failure',
    ],
    { texts: { 'CMakeLists.txt': 'project(x)\nenable_testing()\n' } },
  ],
  [[], { texts: { 'CMakeLists.txt': 'project(x)\ninclude(other)\n' } }],
  [
    ['tests-app: sh -c cd app && npm test', 'tests-back: sh -c cd back && .venv/bin/python -m pytest'],
    {
      names: ['app', 'back'],
      texts: { 'back/tests/test_a.py': 'def test_a():\n  pass\n' },
      nested: {
        app: facts({ texts: packageJson({ scripts: { test: 'x' } }) }),
        back: facts({ names: ['conftest.py', 'pyproject.toml'], installed: ['.venv'] }),
      },
    },
  ],
  [
    [
      'tests: npm test',
      'lint-back: sh -c cd back && go vet ./...',
      'tests-back: sh -c cd back && go test ./...',
    ],
    {
      texts: packageJson({ scripts: { test: 'x' } }),
      nested: {
        app: facts({ texts: packageJson({ scripts: { test: 'x' } }) }),
        back: facts({ names: ['go.mod', 'package.json'] }),
      },
    },
  ],
  [
    ['tests: make test'],
    {
      texts: { Makefile: 'test:\n\ttrue\n' },
      nested: { app: facts({ texts: packageJson({ scripts: { test: 'x' } }) }) },
    },
  ],
  [
    ['tests: npm test', 'lint: go vet ./...', 'tests-go: go test ./...'],
    { texts: { ...packageJson({ scripts: { test: 'x' } }), Makefile: 'test:\n' }, names: ['go.mod'] },
  ],
])('gates %j', (gates, repo) => {
  expect(found(repo).gates).toEqual(gates);
  for (const { gate, reason } of detectProject(facts(repo)).gates) {
    expect(gateSchema.parse(gate)).toMatchObject({ name: gate.name, required: true });
    expect(reason).not.toBe('');
  }
});

test('of two lock files the one is taken that package.json names, or that made node_modules, and that is said', () => {
  const names = ['package-lock.json', 'yarn.lock', 'pnpm-lock.yaml'];
  const why = (given: Partial<RepoFacts>) => {
    const { setup, warnings } = found({ names, texts: uses, ...given });
    return [setup, ...warnings];
  };
  const all = 'There are several lock files (pnpm-lock.yaml, yarn.lock, package-lock.json)';
  expect(why({})).toEqual([
    'pnpm install --frozen-lockfile',
    `${all}: pnpm is taken, since of several, pnpm-lock.yaml comes first.`,
  ]);
  expect(why({ texts: packageJson({ packageManager: 'npm@11.0.0', dependencies: { a: '1' } }) })).toEqual([
    'npm ci',
    `${all}: npm is taken, since package.json names it as packageManager.`,
  ]);
  expect(why({ marks: ['yarn'] })).toEqual([
    'yarn install --frozen-lockfile',
    `${all}: yarn is taken, since it made node_modules.`,
  ]);
});

test('what cannot be taken over is installed, and what cannot be installed is said', () => {
  const linked = { texts: uses, names: ['package-lock.json'], installed: ['node_modules'] };
  const unfit = { node_modules: 'is a symbolic link' };
  expect(found({ ...linked, unfit })).toMatchObject({
    setup: 'npm ci',
    warnings: ['node_modules is not taken over: it is a symbolic link.'],
  });
  expect(found({ names: ['poetry.lock', 'pyproject.toml'], tools: [] })).toMatchObject({
    setup: 'nothing',
    warnings: ['poetry is not in PATH, so nothing makes the virtual environment (there is a poetry.lock).'],
  });
  expect(found({ names: ['Cargo.toml'], tools: [] }).warnings).toEqual([
    'cargo is not in PATH: the gates that run it are red until it is.',
  ]);
  expect(found({ texts: { 'package.json': '{ not json' } })).toEqual({
    setup: 'nothing',
    gates: [],
    warnings: ['package.json is not valid JSON: its scripts were not read.'],
  });
});

test('an editable environment is made again: it would judge every worktree by the source of the checkout', () => {
  const why = 'imports the source of this checkout (an editable installation)';
  const { setup, gates } = found({
    names: ['uv.lock', 'conftest.py'],
    texts: { 'pyproject.toml': '' },
    installed: ['.venv'],
    unfit: { '.venv': why },
  });
  expect([setup, ...gates]).toEqual(['uv sync --frozen', 'tests: uv run python -m pytest']);
});

test('packages of a workspace get a gate each, asked when they or what they use changes', () => {
  const texts = {
    ...packageJson({ workspaces: ['packages/*'] }),
    'packages/a/package.json': JSON.stringify({ name: '@x/a', scripts: { test: 'x' } }),
    'packages/b/package.json': JSON.stringify({
      name: '@x/b',
      scripts: { test: 'x' },
      dependencies: { '@x/c': '*' },
    }),
    'packages/c/package.json': JSON.stringify({ name: '@x/c', dependencies: { '@x/a': '*' } }),
    'examples/d/package.json': JSON.stringify({ name: 'd', scripts: { test: 'x' } }),
  };
  const { gates } = detectProject(facts({ texts, names: ['package-lock.json'] }));
  expect(gates.map(({ gate }) => [gate.name, gate.command.join(' '), gate.paths])).toEqual([
    ['tests-a', 'npm test --workspace=packages/a', ['packages/a', 'package.json', 'package-lock.json']],
    [
      'tests-b',
      'npm test --workspace=packages/b',
      ['packages/b', 'packages/c', 'packages/a', 'package.json', 'package-lock.json'],
    ],
  ]);
  const own = { ...texts, ...packageJson({ workspaces: ['packages/*'], scripts: { test: 'all' } }) };
  expect(found({ texts: own }).gates).toEqual(['tests: npm test']);
});
