import { expect, test } from 'vitest';
import { commandsOf, commandsOfArguments, type Command } from './command-words.ts';

/** Whether a file decides what commands do, where nothing is known of folders of tools. */
function decides(commands: readonly Command[], file: string): boolean {
  return commands.some(
    ({ words, isObserved }) =>
      !isObserved && words.some(({ text, isLoose, isInline }) => text === file && !isLoose && !isInline),
  );
}

test.each<[script: string, file: string]>([
  ['make test RUNNER=run.sh', 'run.sh'],
  ['go test -exec ./wrap.sh ./...', './wrap.sh'],
  ['bun test --preload ./boot.ts', './boot.ts'],
  ['mvn test -s settings.xml', 'settings.xml'],
  ['python3 verify.py --test cases.txt', 'cases.txt'],
  ['node v.js --check rules.json', 'rules.json'],
  ['sh ci.sh test steps.txt', 'steps.txt'],
  ['mocha --file ./boot.js', './boot.js'],
  ['jest --reporters=./rep.js', './rep.js'],
  ['node --test --test-reporter=./rep.mjs', './rep.mjs'],
  ['node -r./setup.js --test', './setup.js'],
  ['npx eslint --parser ./p.js src', './p.js'],
  ['pytest -p strictness', 'strictness'],
  ['pytest @args.txt', 'args.txt'],
  ['make -frules test', 'rules'],
  ['NODE_OPTIONS="--require ./hook.js" npx jest', './hook.js'],
  ['bash -lc "timeout 9 sh a.sh"', 'a.sh'],
  ['env A=1 nice -n 5 poetry run python -W error a.py', 'a.py'],
  ['find . -name "*.sh" -exec sh a.sh {} +', 'a.sh'],
  ['concurrently "node a.js" "jest"', 'a.js'],
  ['f=a.sh; sh "$f"', 'a.sh'],
  ['for n in lint unit; do sh $n.sh || exit 1; done', 'unit.sh'],
  ['for t in $(cat tests.txt); do sh $t; done', 'tests.txt'],
  ['pytest $(cat list.txt)', 'list.txt'],
  ['cat steps.txt | sort | bash', 'steps.txt'],
  ['cat steps.txt | grep -v "^#" |\n  sh', 'steps.txt'],
  ['grep -v "#" cmds.txt | xargs -I{} sh -c "{}"', 'cmds.txt'],
  ['cat cmds.txt | while read t; do sh "$t" || exit 1; done', 'cmds.txt'],
  ['while read t; do $t || exit 1; done < cmds.txt', 'cmds.txt'],
  ['sh a.sh | tee log | tail -1', 'a.sh'],
  ['set -o pipefail; sh a.sh | grep -v DEBUG', 'a.sh'],
  ['out=$(sh a.sh) || exit 1', 'a.sh'],
  ['s=$(cat a.txt); eval "$s"', 'a.txt'],
  ['cat a.txt > b.sh && sh b.sh', 'a.txt'],
  ['diff out.txt expected.txt', 'expected.txt'],
])('a gate is decided by it: %s', (script, file) => {
  expect(decides(commandsOf(script), file)).toBe(true);
});

test.each<[script: string, file: string]>([
  ["bash -c 'uv run python -m mypy calc.py'", 'calc.py'],
  ['timeout 60 python3 -m py_compile calc.py', 'calc.py'],
  ['A=1 B=2 C=3 grep -q a notes.txt', 'notes.txt'],
  ['env PYTHONPATH=. CI=1 python3 -m ruff check calc.py', 'calc.py'],
  ['gcc-12 -Wall -c main.c', 'main.c'],
  ['CC=gcc; $CC -o app main.c', 'main.c'],
  ['zig build-exe main.zig', 'main.zig'],
  ['cppcheck main.c', 'main.c'],
  ['clang-format --dry-run main.c', 'main.c'],
  ['npx html-validate index.html', 'index.html'],
  ['python3 -m json.tool < data.json', 'data.json'],
  ['chmod +x a.sh && ./a.sh | grep -q a', 'a.sh'],
  ['chmod +x a.sh && ./a.sh | grep -q a', './a.sh'],
  ['cp index.html dist/', 'index.html'],
  ['echo "checking calc.js"', 'calc.js'],
  ['# runs calc.js\nnode --check calc.js', 'calc.js'],
  ['ruby -wc calc.rb', 'calc.rb'],
  ['eslint --no-eslintrc calc.js', 'calc.js'],
  ['f=calc.py; python3 -m py_compile $f', 'calc.py'],
  ['ruby -r ./calc.rb -e "exit half(4) == 2"', './calc.rb'],
  ['sh a.sh 2>&1 | head -1 | grep -q a', 'a.sh'],
  ['sh a.sh |& tee log | grep -q a', 'a.sh'],
  ['sh a.sh "a;b" | grep -q a', 'a.sh'],
  ['out="$(sh a.sh)" && test "$out" = a', 'a.sh'],
  ['[ "$(echo 1 | sh a.sh 2>/dev/null)" = 1 ]', 'a.sh'],
  ['sh a.sh > out && grep -q a out', 'a.sh'],
  ['sh a.sh > out; [ "$(cat out)" = a ]', 'a.sh'],
  ['(cd sub && sh a.sh) | grep -q a', 'a.sh'],
  ['{ sh a.sh; } | grep -q a', 'a.sh'],
  ['sh a.sh | python3 -m json.tool', 'a.sh'],
  ['sh a.sh | node -e "process.stdin.resume()"', 'a.sh'],
  ['if sh a.sh | grep -q a; then exit 0; fi', 'a.sh'],
  ['git diff --exit-code notes.txt', 'notes.txt'],
  ['diff out.txt expected.txt', 'out.txt'],
])('a gate only looks at it: %s', (script, file) => {
  expect(decides(commandsOf(script), file)).toBe(false);
});

test('the arguments of a program are no script of a shell', () => {
  expect(decides(commandsOfArguments(['sh', 'ci/my check.sh', 'a;b']), 'ci/my check.sh')).toBe(true);
  expect(decides(commandsOfArguments(['grep', '-q', 'sh a.sh', 'b.txt']), 'a.sh')).toBe(false);
});

test('code in a line is read as its program gets it', () => {
  const codes = (script: string) => commandsOf(script).flatMap(({ code }) => code);
  expect(codes(`node -e 'require('"'"'./a.js'"'"')'`)).toEqual(["require('./a.js')"]);
  expect(codes(`sh -c "node --eval=\\"require('./a.js')\\""`)).toEqual(["require('./a.js')"]);
  expect(codes("python3 - <<'EOF'\nimport a\nEOF\n")).toEqual(['import a']);
});

test('only managers of packages name scripts', () => {
  const names = (script: string) => commandsOf(script).flatMap((command) => command.names);
  expect(names('grep -q start README.md')).toEqual([]);
  expect(names('npx run-s "verify:*"')).toEqual(['verify:*']);
  expect(names('npm t')).toContain('test');
  expect(names('concurrently "npm:verify"')).toContain('npm:verify');
});

test.each([
  "sh 'a",
  'a $(',
  'a `b',
  'case x in',
  'for',
  '((',
  ')',
  '<<',
  '${',
  '"$(',
  '{',
  '|',
  '> ',
  '\\',
  "$'",
])('what is no script of a shell is read to its end: %s', (script) => {
  expect(commandsOf(script)).toBeInstanceOf(Array);
  expect(commandsOf(`${script}\n${script} a.sh`)).toBeInstanceOf(Array);
});
