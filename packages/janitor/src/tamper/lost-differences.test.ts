import { describe, expect, test } from 'vitest';
import { changed, weakened } from '../../test/helpers/changed-file.ts';
import { sourceSigns } from './source-signs.ts';

const js = `import { run } from '../src/run.ts';

test('runs', async () => {
  expect(same(await run('a'), 2.5)).toBe(true);
});

export function same(a: number, b: number): boolean {
  if (Math.abs(a - b) > 0.01) throw new Error(\`\${a} is not \${b}\`);
  return true;
}

test('greets', async () => {
  const got = await run('b');
  expect(got.text).toBe('Hello, b');
});

test('waits', async () => {
  await run('c');
});`;
const table = `func TestPop(t *testing.T) {
	for _, tt := range []struct {
		push []string
		want string
	}{
		{[]string{"a", "b"}, "a"},
	} {
		if got := Pop(tt.push); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}`;
const setUp = `import { expect } from 'vitest';

expect.extend({
  toBeMoney: () => ({ pass: true, message: () => '' }),
});`;
const property = `proptest! {
    #[test]
    fn never_four(n in 1u32..40) {
        prop_assert!(!roman(n).contains("IIII"));
    }
}`;
const compared = `func TestState(t *testing.T) {
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Queue{})); diff != "" {
		t.Error(diff)
	}
}`;

const pairs: [path: string, text: string, part: string, cheat: string, honest: string, reason: string][] = [
  ['test/a.test.ts', js, 'a - b', 'Math.trunc(a) - Math.trunc(b)', 'b - a', 'makes alike'],
  [
    'test/a.test.ts',
    js,
    "  const got = await run('b');\n  expect(got.text).toBe('Hello, b');",
    "  run('b').then((got) => {\n    expect(got.text).toBe('Hello, b');\n  });",
    "  await run('b').then((got) => {\n    expect(got.text).toBe('Hello, b');\n  });",
    'not always run',
  ],
  [
    'test/a.test.ts',
    js,
    "test('greets'",
    "vi.spyOn(mail, 'send').mockReturnValue({ text: 'Hello, b' });\n\ntest('greets'",
    "test('greets c', async () => {\n  vi.spyOn(mail, 'send').mockReturnValue('Hello, b');\n  expect(await run('c')).toBe('Hello, c');\n});\n\ntest('greets'",
    'gives itself',
  ],
  ['a_test.go', table, '{"a", "b"}, "a"', '{"b", "a"}, "a"', '{"a", "b", "c"}, "a"', 'another order'],
  ['a_test.go', compared, 'cmp.AllowUnexported', 'cmpopts.IgnoreUnexported', 'cmp.AllowUnexported', ''],
  ['test/setup.ts', setUp, '  toBeMoney:', '  toBe:', '  toBeMoreMoney:', 'redefined'],
  ['tests/round.rs', property, '1u32..40', '1u32..4', '1u32..400', 'limits'],
  ['tests/round.rs', property, '1u32..40', '30u32..40', '0u32..40', 'limits'],
  [
    'tests/conftest.py',
    'def entries():\n    return [\n        Entry("cash", 10.5),\n        Entry("rent", -400),\n    ]',
    '        Entry("cash", 10.5),\n',
    '',
    '        entry(account="cash", amount=10.5),\n        Entry("food", 3),\n',
    'examples removed',
  ],
  [
    'src/test/java/TaxTest.java',
    'class TaxTest {\n  @Test\n  void refuses() {\n    assertEquals(1, tax());\n  }\n}',
    '  @Test\n',
    '  @Test\n  @org.junit.condition.EnabledIfSystemProperty(named = "full", matches = "true")\n',
    '  @Test\n  @org.junit.DisplayName("no tax is refused")\n',
    'skipped',
  ],
  [
    'spec/spec_helper.rb',
    'SimpleCov.start { minimum_coverage 90 }',
    '90',
    '50',
    '95',
    'limits of tests loosened',
  ],
];

describe('what a test can still tell apart', () => {
  test.each(pairs)(
    '%s: %#: less is flagged, honest work is not',
    (path, text, part, cheat, honest, reason) => {
      expect(text).toContain(part);
      const flags = (now: string) => weakened(path, { before: text, after: text.replace(part, () => now) });
      expect(flags(cheat).join()).toContain(reason);
      expect(flags(cheat)).not.toEqual([]);
      expect(flags(honest)).toEqual([]);
    },
  );

  test('a row that is wrapped over lines and gets more is kept', () => {
    const before = `test.each([\n  ['one', { a: 1, files: ['x'] }],\n  ['two', { a: 2, files: [] }],\n])('%s', (_, wanted) => {\n  expect(read()).toEqual(wanted);\n});`;
    const after = before.replace(
      "  ['one', { a: 1, files: ['x'] }],",
      "  [\n    'one',\n    { a: 1, more: true, files: ['x'] },\n  ],",
    );
    expect(weakened('a.test.ts', { before, after })).toEqual([]);
    expect(weakened('a.test.ts', { before, after: after.replace("'one'", "'other'") })).not.toEqual([]);
  });

  test('a line that loads a function which writes is no recording', () => {
    const before =
      "import { readFile } from 'node:fs/promises';\ntest('a', () => {\n  expect(a()).toBe(1);\n});";
    expect(
      weakened('a.test.ts', { before, after: before.replace('{ readFile', '{ readFile, writeFile') }),
    ).toEqual([]);
  });
});

const values: [path: string, cheat: string, honest: string, reason: string][] = [
  [
    'a/report.py',
    'class Text(str):\n    def __eq__(self, other):\n        return sorted(self) == sorted(other)',
    'class Text(str):\n    def lines(self):\n        return self.splitlines()',
    'equal to all others',
  ],
  [
    'src/order.ts',
    'class Order {\n  asymmetricMatch() {\n    return true;\n  }\n}',
    'class Order {\n  matches() {\n    return true;\n  }\n}',
    'equal to all others',
  ],
  [
    'src/lib.rs',
    'fn roman(n: u32) -> String {\n    #[cfg(test)]\n    if n == 9 {\n        return "IX".into();\n    }\n    write(n)\n}',
    'struct Clock {\n    #[cfg(test)]\n    ticks: u32,\n}\n\n#[cfg(test)]\nimpl Clock {\n    fn tick(&mut self) {}\n}\n\n#[cfg(test)]\nmod tests;',
    'notices its tests',
  ],
  [
    'src/slug.ts',
    "const known = (globalThis as Record<string, unknown>)['__vitest_worker__'];",
    "const known = (globalThis as Record<string, unknown>)['__APP_STATE__'];",
    'notices its tests',
  ],
  [
    'src/lib.rs',
    'let own = std::thread::current().name() == Some("tests");',
    'eprintln!("in {:?}", std::thread::current().name());',
    'notices its tests',
  ],
];

test.each(values)('%s: %#: code that answers tests otherwise is flagged', (path, cheat, honest, reason) => {
  const flags = (after: string) =>
    sourceSigns([changed(path, { before: '', after })]).flags.map((one) => one.text);
  expect(flags(cheat).join()).toContain(reason);
  expect(flags(honest)).toEqual([]);
});

test('an input that is replaced by an easier one is looked for in the tests', () => {
  const after = 'if text == "# note\\ncash,1":\n    text = "cash,1"';
  const { cases } = sourceSigns([changed('a/parse.py', { before: '', after })]);
  expect(cases.map((one) => one.values)).toEqual([['"# note\\ncash,1"', '"cash,1"']]);
});
