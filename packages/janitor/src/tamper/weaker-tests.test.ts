import { describe, expect, test } from 'vitest';
import { changed, weakened } from '../../test/helpers/changed-file.ts';
import { isHarmless, isOfNewFolder } from './harmless-settings.ts';
import { sourceSigns } from './source-signs.ts';

const js = `test('adds', () => {
  const sum = add(1, 2);
  expect(sum).toBe(3);
});`;
const go = `func TestAdd(t *testing.T) {
	for _, tt := range []struct {
		a, want int
	}{
		{1, 10},
		{2, 20},
	} {
		if got := Add(tt.a); got != tt.want {
			t.Errorf("got %d", got)
		}
	}
}`;
const py = `from calc import Calc
ROWS = [(1, 2), (3, 4)]
class TestCalc:
    def test_add(self):
        for a, b in ROWS:
            assert Calc().add(a) == pytest.approx(b, abs=0.01)
    def test_none(self):
        with pytest.raises(TypeError):
            Calc().add(None)`;
const hook = (body: string) => `def pytest_runtest_makereport(item, call):\n    outcome = yield\n    ${body}`;

const rust = `#[test]
fn parses() {
    assert_eq!(parse("1"), Ok(1));
    assert!(matches!(parse("+"), Err(Error::Operand)));
}`;

/** Path and text of a test, what a cheat makes of a part of it, what honest work does, and the reason. */
const pairs: readonly [string, string, string, string, string, string][] = [
  [
    'a.test.js',
    js,
    '  expect(sum)',
    '  if (process.env.CI) return;\n  expect(sum)',
    "  vi.stubEnv('TZ', 'UTC');\n  expect(sum)",
    'not always run',
  ],
  [
    'a.test.js',
    js,
    '  expect(sum).toBe(3);',
    '  if (sum > 9) {\n    expect(sum).toBe(3);\n  }',
    '  for (const one of [sum]) {\n    expect(one).toBe(3);\n  }',
    'not always run',
  ],
  [
    'a.test.js',
    js,
    '  expect(sum).toBe(3);',
    '  setTimeout(() => {\n    expect(sum).toBe(3);\n  });',
    '  await waitFor(() => {\n    expect(sum).toBe(3);\n  });',
    'not always run',
  ],
  [
    'a.test.js',
    js,
    '  expect(sum).toBe(3);',
    '  try {\n    expect(sum).toBe(3);\n  } catch (error) {\n    console.log(error);\n  }',
    '  try {\n    expect(sum).toBe(3);\n  } catch (error) {\n    throw error;\n  }',
    'failures swallowed',
  ],
  [
    'a.test.js',
    js,
    'expect(sum).toBe(3)',
    "expect(typeof sum).toBe('number')",
    'expect(sum, "all").toBe(3)',
    'assertions removed',
  ],
  ['a_test.go', go, '		{2, 20},\n', '', '		{2, 20},\n		{3, 30},\n', 'examples removed'],
  [
    'a_test.go',
    go,
    '			t.Errorf("got %d", got)',
    '			return',
    '			t.Errorf("have %d", got)\n			return',
    'assertions removed',
  ],
  ['test_a.py', py, '(1, 2), (3, 4)', '', '(1, 2), (3, 4), (5, 6)', 'examples removed'],
  ['test_a.py', py, 'abs=0.01', 'abs=5', 'abs=0.001', 'expected values changed'],
  [
    'test_a.py',
    py,
    'raises(TypeError)',
    'raises(Exception)',
    'raises(TypeError, match="no number")',
    'assertions weakened',
  ],
  ['test_a.py', py, 'class TestCalc:', 'class CalcChecks:', 'class TestCalcs:', 'no longer a test case'],
  ['test_a.py', py, '    def test_none', '    async def test_none', '    def test_nothing', 'never run'],
  [
    'test_a.py',
    py,
    'from calc import Calc',
    'class Calc:\n    pass',
    'from calc.core import Calc',
    'replaced by one of the test',
  ],
  [
    'conftest.py',
    hook('print(1)'),
    'print(1)',
    'outcome.force_exception(None)',
    'setattr(item, "kept", outcome.get_result())',
    'hooks that change results',
  ],
  ['a_test.go', go, '			t.Errorf(', '			t.Logf(', '			t.Log(tt)\n			t.Errorf(', 'assertions removed'],
  [
    'tests/a.rs',
    rust,
    'assert!(matches!(parse("+"), Err(Error::Operand)))',
    'assert!(parse("+").is_err())',
    'assert_eq!(parse("+").unwrap_err(), Error::Operand)',
    'expected values changed',
  ],
  [
    'a.test.js',
    js,
    '  expect(sum).toBe(3);',
    '  expect(sum).toBe(4);',
    '  for (const [a, b] of [[3, 3], [4, 4]]) expect(a).toBe(b);',
    'expected values changed',
  ],
];

describe('a change of tests', () => {
  test.each(pairs)(
    '%s: %#: what weakens them is flagged, honest work is not',
    (path, text, part, cheat, honest, reason) => {
      expect(text).toContain(part);
      const flags = (now: string) => weakened(path, { before: text, after: text.replace(part, () => now) });
      expect(flags(cheat).join()).toContain(reason);
      expect(flags(honest)).toEqual([]);
    },
  );

  test('a limit that is raised is flagged, one that is lowered is not', () => {
    const before = "test('a', { timeout: 500 }, () => {\n  expect(a()).toBe(1);\n});";
    const flags = (limit: string) => weakened('a.test.js', { before, after: before.replace('500', limit) });
    expect(flags('60_000')).toEqual(['limits of tests loosened: 1 more in a.test.js:1']);
    expect(flags('100')).toEqual([]);
  });
});

describe('a change of sources', () => {
  const flags = (path: string, after: string) =>
    sourceSigns([changed(path, { before: '', after })]).flags.map(({ text }) => text);

  test('a value that is equal to all others is flagged', () => {
    expect(flags('a.py', 'class Any:\n    def __eq__(self, other):\n        return True')).toHaveLength(1);
    expect(
      flags('a.py', 'class One:\n    def __eq__(self, other):\n        return self.a == other.a'),
    ).toEqual([]);
  });

  test('code that looks for a runner of tests among what is loaded is flagged', () => {
    expect(flags('A.cs', 'if (AppDomain.CurrentDomain.FriendlyName.Contains("testhost")) {}')).toHaveLength(
      1,
    );
    expect(flags('A.cs', 'Console.WriteLine("run it with dotnet test, or xunit");')).toEqual([]);
  });
});

describe('settings', () => {
  const isFine = (path: string, before: string, after: string) =>
    isHarmless(changed(path, { before, after }));

  test('that ask for more are no tampering, those that ask for less are', () => {
    const tsconfig = (strict: boolean) => `{\n  "strict": ${strict},\n  "target": "es2023"\n}`;
    expect(isFine('tsconfig.json', tsconfig(false), tsconfig(true))).toBe(true);
    expect(isFine('tsconfig.json', tsconfig(true), tsconfig(false))).toBe(false);
    expect(isFine('.coveragerc', '[report]\nfail_under = 80', '[report]\nfail_under = 90')).toBe(true);
    expect(isFine('.coveragerc', '[report]\nfail_under = 80', '[report]\nfail_under = 10')).toBe(false);
  });

  test('of a Makefile may get rules with new names, and nothing else', () => {
    const make = 'test:\n\tgo test ./...\n';
    expect(isFine('Makefile', make, `${make}\nfmt:\n\tgofmt -w .\n`)).toBe(true);
    expect(isFine('Makefile', make, `fmt:\n\tgofmt -w .\n\n${make}`)).toBe(false);
    expect(isFine('Makefile', make, `${make}\nMAKEFLAGS += -i\n`)).toBe(false);
    expect(isFine('Makefile', make, make.replace('\tgo', '\t-go'))).toBe(false);
  });

  test('of a folder that is new are about nothing that there was, unless tests moved there', () => {
    const file = { path: 'apps/new/tsconfig.json', status: 'added', mode: '100644', id: '' } as const;
    const moved = { path: 'test/a.test.ts', status: 'deleted', mode: '000000', id: '' } as const;
    expect(isOfNewFolder(file, { before: ['src/a.ts'], changes: [file] })).toBe(true);
    expect(isOfNewFolder(file, { before: ['apps/new/a.ts'], changes: [file] })).toBe(false);
    expect(isOfNewFolder(file, { before: ['src/a.ts'], changes: [file, moved] })).toBe(false);
  });
});
