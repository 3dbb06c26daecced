import { expect, test } from 'vitest';
import { gate as gateSchema } from '@baton/contracts';
import { gatesOf } from './gates-of.ts';

const packageJson = (scripts: unknown): Record<string, string> => ({
  'package.json': JSON.stringify({ scripts }),
});
const commands = (repo: Parameters<typeof gatesOf>[0]): string[] =>
  gatesOf(repo).map(({ gate }) => `${gate.name}: ${gate.command.join(' ')}`);

test('scripts of package.json become gates, quick ones first, by the package manager whose lock file is there', () => {
  const texts = packageJson({
    test: 'vitest run',
    lint: 'eslint .',
    typecheck: 'tsc',
    build: 'tsup',
    dev: 'vite',
  });
  const all = ['lint: npm run lint', 'types: npm run typecheck', 'build: npm run build', 'tests: npm test'];
  expect(commands({ names: ['package.json'], texts })).toEqual(all);
  expect(commands({ names: ['package.json', 'pnpm-lock.yaml'], texts })).toEqual(
    all.map((line) => line.replace('npm', 'pnpm')),
  );
  expect(commands({ names: ['package.json', 'bun.lock'], texts }).at(-1)).toBe('tests: bun run test');
});

test("npm's placeholder is no test", () => {
  const texts = packageJson({ test: 'echo "Error: no test specified" && exit 1' });
  expect(gatesOf({ names: ['package.json'], texts })).toEqual([]);
});

test.each([
  [['pytest.ini'], {}, 'tests: python3 -m pytest'],
  [['pyproject.toml', 'uv.lock'], { 'pyproject.toml': '[tool.pytest.ini_options]' }, 'tests: uv run pytest'],
  [['go.mod'], {}, 'tests: go test ./...'],
  [['Cargo.toml'], {}, 'tests: cargo test'],
  [['pom.xml', 'mvnw'], {}, 'tests: ./mvnw --batch-mode test'],
  [['Makefile'], { Makefile: 'all:\n\ttrue\ntest: all\n\ttrue\n' }, 'tests: make test'],
])('a repository with %j has its usual test command', (names, texts, expected) => {
  expect(commands({ names, texts })).toContain(expected);
});

test.each([
  [['pyproject.toml'], { 'pyproject.toml': '[project]' }],
  [['Makefile'], { Makefile: 'TESTS := a\ntest := 1\n' }],
  [['package.json'], { 'package.json': '{ not json' }],
  [['package.json'], { 'package.json': 'null' }],
  [['README.md'], {}],
])('a repository with %j has none', (names, texts) => {
  expect(gatesOf({ names, texts })).toEqual([]);
});

test('make is asked only where nothing else tests, and two languages get two names', () => {
  const texts = { ...packageJson({ test: 'vitest run' }), Makefile: 'test:\n\ttrue\n' };
  expect(commands({ names: ['package.json', 'Makefile', 'go.mod'], texts })).toEqual([
    'tests: npm test',
    'lint: go vet ./...',
    'tests-go: go test ./...',
  ]);
});

test('every detected gate is valid in a plan and says what speaks for it', () => {
  for (const { gate, reason } of gatesOf({
    names: ['go.mod', 'pom.xml'],
    texts: packageJson({ test: 'x' }),
  })) {
    expect(gateSchema.parse(gate)).toMatchObject({ name: gate.name, required: true });
    expect(reason).toMatch(/go\.mod|pom\.xml|package\.json/);
  }
});
