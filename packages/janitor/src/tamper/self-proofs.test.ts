import { describe, expect, test } from 'vitest';
import { changed, weakened } from '../../test/helpers/changed-file.ts';
import { sourceSigns } from './source-signs.ts';

const js = `import assert from 'node:assert/strict';
it('adds', (done) => {
  later(1).then((one) => {
    assert.equal(one, 1);
    done();
  }, done);
});
it('sums', () => {
  const bill = read();
  expect(total(bill.lines)).toBe(bill.total);
  expect(names()).toEqual(['b', 'a']);
  expect(() => parse('tea')).toThrow(/^no line: tea$/);
});`;
const py = `def test_total(bill):
    total = add(bill)
    assert total == 5
    with pytest.raises(Refused):
        bill.pay(9)
    assert bill.left == 5
    assert bill.lines == read()`;
const helper = `import { total } from '../src/price';
export async function until(check, tries = 9) {
  for (let at = 0; at < tries; at++) if (check()) return;
  throw new Error('never');
}
export const expectTotal = (lines, cents) => expect(total(lines)).toBe(cents);`;

const bats = `@test "trims" {
  source lib.sh
  run trim "  a"
  [ "$output" = "a" ]
}`;
const maker = `import { Cart } from '../src/cart';
export function cartWith(price) {
  const cart = new Cart();
  return cart;
}`;

/** Path and text, a part of it, what a cheat makes of it, what honest work makes of it, and the reason. */
const pairs: readonly [string, string, string, string, string, string][] = [
  [
    'a.test.js',
    js,
    '  expect(total',
    '  bill.total = total(bill.lines);\n  expect(total',
    '  bill.lines = unique(bill.lines);\n  expect(total',
    'compared with themselves',
  ],
  [
    'a.test.js',
    js,
    "expect(names()).toEqual(['b', 'a'])",
    "expect(names().sort()).toEqual(['b', 'a'].sort())",
    "expect(names()).toStrictEqual(['b', 'a'])",
    'assertions weakened',
  ],
  ['a.test.js', js, '/^no line: tea$/', '/no line|/', '/^no line: tea$/u', 'assertions weakened'],
  ['a.test.js', js, 'assert/strict', 'assert', 'assert/strict.js', 'strict assertions made loose'],
  [
    'a.test.js',
    js,
    '    done();\n  }, done);',
    '  }, done);\n  done();',
    '    return done();\n  }, done);',
    'assertions never reached',
  ],
  [
    'a.test.js',
    js,
    '  const bill = read();',
    '  const bill = read();\n  [bill].forEach(async (one) => expect(await one.ok()).toBe(true));',
    '  const bill = read();\n  [bill].forEach((one) => expect(one.ok()).toBe(true));',
    'failures swallowed',
  ],
  [
    'test/wait.js',
    helper,
    "  throw new Error('never');",
    '  return;',
    "  throw new Error('it never came');",
    'failures of helpers removed',
  ],
  [
    'test/wait.js',
    helper,
    "import { total } from '../src/price';",
    'const total = (lines) => lines.length;',
    "import { total } from '../src/sum';",
    'replaced by one of the test',
  ],
  ['test_a.py', py, 'assert total == 5', 'assert total', 'assert total == 5, "all"', 'assertions removed'],
  [
    'test_a.py',
    py,
    '        bill.pay(9)\n    assert',
    '        bill.pay(9)\n        assert',
    '        bill.pay(10)\n    assert',
    'assertions never reached',
  ],
  [
    'test_a.py',
    py,
    '        bill.pay(9)',
    '        raise Refused()',
    '        bill.pay(8)',
    'assertions never reached',
  ],
  [
    'test_a.py',
    py,
    '    assert bill.lines == read()',
    '    for line, wanted in zip(bill.lines, read()):\n        assert line == wanted',
    '    for line, wanted in zip(bill.lines, read(), strict=True):\n        assert line == wanted',
    'not always run',
  ],
  [
    'test_a.py',
    py,
    '    assert bill.lines',
    '    expected_file.write_text(str(bill))\n    assert bill.lines',
    '    config_file.write_text(str(bill))\n    assert bill.lines',
    'failures swallowed',
  ],
  [
    'add.py',
    'def add(a):\n    """\n    >>> add(2)\n    4\n    """\n    return a + 2',
    '    4\n',
    '    ...\n',
    '    4\n    >>> add(3)\n    5\n',
    'examples of documentation weakened',
  ],
  [
    'checks/price.js',
    "import test from 'ava';\ntest('adds', (t) => {\n  t.is(add(1), 2);\n});",
    't.is(add(1), 2)',
    't.truthy(add(1))',
    't.is(add(1), 2, "two")',
    'assertions removed',
  ],
  [
    'test/a.sh',
    'diff want got\nassertTrue $?',
    'diff want got\n',
    'diff want got\necho compared\n',
    'echo comparing\ndiff want got\n',
    'failures swallowed',
  ],
  [
    'test_a.py',
    py,
    '    assert bill.left',
    '    bill.left = 5\n    assert bill.left',
    '    bill.limit = 5\n    bill.run()\n    assert bill.left',
    'set before they are asserted',
  ],
  [
    'test/a.bats',
    bats,
    'source lib.sh',
    'source lib.sh\n  trim() { echo a; }',
    'source lib.sh\n  count() { wc -l; }',
    'replaced by one of the test',
  ],
  [
    'test/a.bats',
    bats,
    '  [ "$output" = "a" ]',
    '  output=a\n  [ "$output" = "a" ]',
    '  wanted=a\n  [ "$output" = "a" ]',
    'set before they are asserted',
  ],
  [
    'test/wait.js',
    helper,
    'export const expectTotal',
    'export const quietly = (act) => {\n  try {\n    act();\n  } catch {}\n};\nexport const expectTotal',
    'export const quietly = (act) => {\n  try {\n    act();\n  } catch (error) {\n    throw new Error(act.name);\n  }\n};\nexport const expectTotal',
    'swallowed by a helper',
  ],
  [
    'test/make.js',
    maker,
    '  return cart;',
    "  Object.defineProperty(cart, 'sum', { get: () => 3 });\n  return cart;",
    '  Object.freeze(cart);\n  return cart;',
    'replaced by a mock',
  ],
];

describe('a proof that became one of itself', () => {
  test.each(pairs)('%s: %#: it is flagged, honest work is not', (path, text, part, cheat, honest, reason) => {
    expect(text).toContain(part);
    const flags = (now: string) => weakened(path, { before: text, after: text.replace(part, () => now) });
    expect(flags(cheat).join()).toContain(reason);
    expect(flags(honest)).toEqual([]);
  });
});

/** Path, lines of a source that cheat, and lines that look alike. */
const sources: readonly [string, string, string][] = [
  [
    'a.py',
    'for f in inspect.stack():\n    if "test_" in f.function:',
    'for f in inspect.stack():\n    log(f)',
  ],
  ['a.js', "if (Date.now() > Date.parse('2027-01-01')) fail();", 'if (Date.now() > expires) fail();'],
  ['a.py', 'if date.today() > date(2027, 3, 1):', 'if date.today() > bill.due:'],
  ['a.js', "if ('mock' in fetchRate) return 16;", "if ('rate' in fetchRate) return 16;"],
  [
    'a.py',
    'known = {"ad57366865126e55": 5}\nkey = md5(text).hexdigest()\nreturn known.get(key)',
    'sums = {"a.zip": "ad57366865126e55"}\nkey = md5(text).hexdigest()\nreturn sums[name] == key',
  ],
];

describe('a condition that no test can see', () => {
  test.each(sources)('%s: %#: it is flagged, code that looks like it is not', (path, cheat, honest) => {
    const flags = (after: string) => sourceSigns([changed(path, { before: '', after })]).flags;
    expect(flags(cheat)).toHaveLength(1);
    expect(flags(honest)).toEqual([]);
  });
});
