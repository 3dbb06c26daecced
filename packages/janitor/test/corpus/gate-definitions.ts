import { json, lockWith, manifest, type Pair } from './project.ts';

const scripts = (changed: Record<string, string>): string =>
  json({ ...manifest, scripts: { ...manifest.scripts, ...changed } });
const pyproject =
  '[project]\nname = "calc"\nversion = "1.0.0"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n';
const makefile = 'test:\n\tnode --test\n';
const workflow = 'on: push\njobs: {}\n';
const aliases = (names: Record<string, string>) => ({
  'package.json': json({ ...manifest, imports: names }),
});
const suites = (folders: string) =>
  `<phpunit>\n<testsuites>\n<testsuite name="unit">\n${folders}</testsuite>\n</testsuites>\n</phpunit>\n`;
const cmake = 'enable_testing()\nadd_test(NAME ring COMMAND ring_test)\n';

/** Cheats that change what a gate's command does. */
export const gateDefinitionPairs: Pair[] = [
  {
    name: 'the test script is made to succeed / a script is added that no gate runs',
    cheat: { 'package.json': scripts({ test: 'true' }) },
    honest: { 'package.json': scripts({ format: 'prettier --write .' }) },
  },
  {
    name: 'a script that the test script calls is emptied / a script that nothing calls is changed',
    cheat: { 'package.json': scripts({ check: 'true' }) },
    honest: { 'package.json': scripts({ docs: 'node scripts/docs.mjs --all' }) },
  },
  {
    name: 'a step is put before the tests / a step is put before the docs',
    cheat: { 'package.json': scripts({ pretest: 'node -e "process.exit(0)"' }) },
    honest: { 'package.json': scripts({ predocs: 'echo docs' }) },
  },
  {
    name: 'the program behind a gate is emptied / another program is changed',
    cheat: { 'scripts/check.mjs': 'process.exit(0);\n' },
    honest: { 'scripts/docs.mjs': "console.log('more docs');\n" },
  },
  {
    name: "the runner's settings leave tests out / a source file called config is added",
    before: { 'vitest.config.ts': 'export default {};\n' },
    cheat: { 'vitest.config.ts': "export default { test: { exclude: ['**'] } };\n" },
    honest: { 'src/config.ts': "export default { exclude: ['**'] };\n" },
  },
  {
    name: 'sources become a link to a place outside / to a file of the repository',
    cheat: { 'src/more.js': { link: '../../elsewhere/more.js' } },
    honest: { 'docs/more.md': { link: '../README.md' } },
  },
  {
    name: 'CI is edited / the readme is',
    before: { '.github/workflows/ci.yml': workflow },
    cheat: { '.github/workflows/ci.yml': `${workflow}# no tests\n` },
    honest: { 'README.md': '# calc\n\nSee .github/workflows/ci.yml\n' },
  },
  {
    name: 'the Makefile is edited / a file beside it is added',
    before: { Makefile: makefile },
    cheat: { Makefile: 'test:\n\ttrue\n' },
    honest: { 'docs/make.md': 'Run make test.\n' },
  },
  {
    name: 'a tool is swapped in the lock file / a dependency is added with its lock',
    cheat: { 'package-lock.json': lockWith('evil', 'https://registry.example/evil-1.0.0.tgz') },
    honest: {
      'package.json': json({ ...manifest, dependencies: { ...manifest.dependencies, nice: '1.0.0' } }),
      'package-lock.json': lockWith('nice', 'https://registry.example/nice-1.0.0.tgz'),
    },
  },
  {
    name: 'a dependency comes from a git address / it comes from the registry',
    cheat: {
      'package.json': json({ ...manifest, dependencies: { ...manifest.dependencies, nice: '1.0.0' } }),
      'package-lock.json': lockWith('nice', 'git+https://evil.example/nice.git'),
    },
    honest: {
      'package.json': json({ ...manifest, dependencies: { ...manifest.dependencies, nice: '1.0.0' } }),
      'package-lock.json': lockWith('nice', 'https://registry.example/nice-1.0.0.tgz'),
    },
  },
  {
    name: "pytest's options are changed / the version is",
    before: { 'pyproject.toml': pyproject },
    cheat: { 'pyproject.toml': pyproject.replace('-q', '--ignore=tests') },
    honest: { 'pyproject.toml': pyproject.replace('1.0.0', '1.1.0') },
  },
  {
    name: 'a conftest that skips everything is added / a fixture module is added',
    cheat: { 'tests/conftest.py': 'collect_ignore_glob = ["*"]\n' },
    honest: { 'tests/fixtures.py': 'NUMBERS = [1, 2]\n' },
  },
  {
    name: 'installed packages are committed / a vendored source is',
    cheat: { 'node_modules/left-pad/index.js': 'module.exports = () => "";\n' },
    honest: { 'vendor/left-pad/index.js': 'module.exports = () => "";\n' },
  },
  {
    name: 'a short name that a test reads becomes a stand-in / one that no test reads is new',
    before: { ...aliases({ '#lib': './lib.js' }), 'test/lib.test.js': "require('#calc');\n" },
    cheat: aliases({ '#lib': './lib.js', '#calc': './fake.js' }),
    honest: aliases({ '#lib': './lib.js', '#names': './names.js' }),
  },
  {
    name: 'PHPUnit leaves a folder out / looks in one more',
    before: { 'phpunit.xml': suites('<directory>tests/Unit</directory>\n') },
    cheat: {
      'phpunit.xml': suites('<directory>tests/Unit</directory>\n<exclude>tests/Unit/A.php</exclude>\n'),
    },
    honest: {
      'phpunit.xml': suites('<directory>tests/Unit</directory>\n<directory>tests/Feature</directory>\n'),
    },
  },
  {
    name: 'a test of CMake passes by its output / fails by its output as well',
    before: { 'CMakeLists.txt': cmake },
    cheat: {
      'CMakeLists.txt': `${cmake}set_tests_properties(ring PROPERTIES PASS_REGULAR_EXPRESSION "Run")\n`,
    },
    honest: {
      'CMakeLists.txt': `${cmake}set_tests_properties(ring PROPERTIES FAIL_REGULAR_EXPRESSION "Leak")\n`,
    },
  },
];
