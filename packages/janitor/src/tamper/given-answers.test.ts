import { describe, expect, test } from 'vitest';
import { changed, weakened } from '../../test/helpers/changed-file.ts';
import { sourceSigns } from './source-signs.ts';

const js = `import { pay, sum } from '../src/cart';
test('adds', async () => {
  const result = await pay([250, 250]);
  expect(result).toEqual({ receipt: 'paid', cents: 500 });
  expect(result.status).toBe(Status.Open);
});
test('refuses', () => {
  expect(() => sum('tea')).toThrow(/no number/);
});`;
const py = `def test_fetch(client):
    found = fetch(client)
    assert found == [{"amount": 5}]

def test_refuses():
    with pytest.raises(ValueError, match="no amount"):
        parse("tea")`;
const ruby = `RSpec.describe Door do
  it 'opens' do
    expect(door.state).to eq(:open)
  end
end`;
const rust = `#[test]
#[should_panic(expected = "negative")]
fn refuses() {
    clamp(-1);
}`;

/** What is said of one text of a test in place of another. */
function said(path: string, before: string, [old, now]: readonly [string, string]): string {
  expect(before).toContain(old);
  return weakened(path, { before, after: before.replace(old, () => now) }).join('; ');
}

const awaited = 'const result = await pay([250, 250]);\n';

describe('a test that gives itself what it expects', () => {
  test.each([
    [
      'a handler gives',
      'failures swallowed',
      `const result = await pay([250, 250]).catch(() => ({ receipt: 'paid', cents: 500 }));\n`,
    ],
    [
      'a later step gives',
      'failures swallowed',
      `const result = await pay([250, 250]).then(() => ({ receipt: 'paid', cents: 500 }));\n`,
    ],
    [
      'a race gives',
      'values that the test gives itself',
      `const result = await Promise.race([Promise.resolve({ receipt: 'paid', cents: 500 }), pay([250, 250])]);\n`,
    ],
    [
      'a condition gives',
      'values that the test gives itself',
      `${awaited}  result.cents = result.cents === 250 ? 500 : result.cents;\n`,
    ],
    [
      'a fallback gives',
      'values that the test gives itself',
      `${awaited}  const cents = result.cents || 500;\n`,
    ],
    [
      'a part of the result gets',
      'values that the test gives itself',
      `${awaited}  Object.assign(result, { cents: 500 });\n`,
    ],
  ])('%s the expected value: it is flagged', (_, what, now) => {
    expect(said('test/cart.test.ts', js, [awaited, now])).toContain(what);
  });

  test.each([
    [
      'a value that depends on the platform',
      `${awaited}  const kind = process.platform === 'win32' ? 'paid' : result.receipt;\n`,
    ],
    [
      'a default of an input',
      `const given = { ...defaults, cents: 500 };\n  const result = await pay(given ?? [250, 250]);\n`,
    ],
    [
      'a handler that fails',
      `const result = await pay([250, 250]).catch((error) => {\n    throw new Error('paid', { cause: error });\n  });\n`,
    ],
  ])('%s is none', (_, now) => {
    expect(said('test/cart.test.ts', js, [awaited, now])).toBe('');
  });

  test('in Python a handler, a fallback and a default of a helper are seen', () => {
    const found = 'found = fetch(client)\n';
    const tried = `try:\n        found = fetch(client)\n    except KeyError:\n        found = [{"amount": 5}]\n`;
    expect(said('tests/test_core.py', py, [found, tried])).toContain('failures swallowed');
    expect(said('tests/test_core.py', py, [found, `found = fetch(client) or [{"amount": 5}]\n`])).toContain(
      'values that',
    );
    const helper = `def calmly(call, value):\n    try:\n        return call()\n    except Exception:\n        return value\n\ndef test_fetch`;
    expect(said('tests/test_core.py', py, ['def test_fetch', helper])).toContain('swallowed by a helper');
    const told = helper
      .replace('Exception:', 'Exception as error:')
      .replace('return value', 'return str(error)');
    expect(said('tests/test_core.py', py, ['def test_fetch', told])).toBe('');
  });
});

describe('a test that fails by itself where the code must fail', () => {
  test.each([
    [
      'test/cart.test.ts',
      js,
      "() => sum('tea')",
      "() => {\n    if (sum('tea') === 0) throw new Error('no number');\n  }",
    ],
    [
      'tests/test_core.py',
      py,
      '        parse("tea")',
      '        if parse("tea"):\n            raise ValueError("no amount")',
    ],
    ['tests/clamp.rs', rust, 'clamp(-1);', 'let value = clamp(-1);\n    panic!("negative {value}");'],
    ['tests/clamp.rs', rust, 'clamp(-1);', 'assert!(clamp(-1) > 9, "negative");'],
  ])('%s: it is flagged', (path, before, old, now) => {
    expect(said(path, before, [old, now])).toContain('failures that the test makes itself');
  });

  test('a failure that moves within the test is none', () => {
    const before = js.replace("() => sum('tea')", "() => sum(() => { throw new Error('no number'); })");
    const now = [
      "expect(() => sum(() => { throw new Error('no number'); }))",
      "const fail = () => { throw new Error('no number'); };\n  expect(() => sum(fail))",
    ] as const;
    expect(said('test/cart.test.ts', before, now)).toBe('');
  });
});

describe('values that are no text and no number', () => {
  test('another symbol or member of an enumeration is another expected value', () => {
    expect(said('spec/door_spec.rb', ruby, ['eq(:open)', 'eq(:closed)'])).toContain(
      'expected values changed',
    );
    expect(said('test/cart.test.ts', js, ['Status.Open', 'Status.Closed'])).toContain(
      'expected values changed',
    );
  });

  test('an enumeration with another name and a symbol that gets a name are the same', () => {
    expect(said('test/cart.test.ts', js, ['Status.Open', 'OrderStatus.Open'])).toBe('');
    expect(
      said('spec/door_spec.rb', ruby, [
        'expect(door.state).to eq(:open)',
        'wanted = :open\n    expect(door.state).to eq(wanted)',
      ]),
    ).toBe('');
  });

  test('a part of a page may be found in another way where its words are asked for, and not where it must be absent', () => {
    const page = `test('logs in', async ({ page }) => {
  await expect(page.locator('.welcome')).toHaveText('Welcome, Ann');
  await expect(page.locator('.error')).toHaveCount(0);
});`;
    expect(said('e2e/login.spec.ts', page, ["locator('.welcome')", "getByRole('status')"])).toBe('');
    expect(said('e2e/login.spec.ts', page, ["locator('.error')", "locator('.none')"])).toContain(
      'expected values changed',
    );
  });

  test('a part of which any value will do may be new, and may not take the place of one', () => {
    const more = ['cents: 500 }', 'cents: 500, id: expect.any(String) }'] as const;
    expect(said('test/cart.test.ts', js, more)).toBe('');
    expect(said('test/cart.test.ts', js, ['cents: 500 }', 'cents: expect.any(Number) }'])).not.toBe('');
  });
});

describe('code that tests are run against', () => {
  const signs = (path: string, after: string) =>
    sourceSigns([changed(path, { before: 'x', after })])
      .flags.map(({ text }) => text)
      .join('; ');

  test('another answer in the build that tests run is flagged, a check or a line of a log is not', () => {
    expect(
      signs('src/lib.rs', 'fn f(n: u8) -> u8 {\n    if cfg!(debug_assertions) { return 3; }\n    n\n}'),
    ).toContain('build that tests run');
    expect(signs('src/lib.rs', '#[cfg(debug_assertions)]\npub fn f(n: u8) -> u8 {\n    3\n}')).toContain(
      'build that tests run',
    );
    expect(
      signs(
        'build.rs',
        'if std::env::var("PROFILE") == Ok("debug") {\n    println!("cargo:rustc-cfg=fast");\n}',
      ),
    ).toContain('build that tests run');
    expect(
      signs('src/lib.rs', 'if cfg!(debug_assertions) {\n    eprintln!("{n}");\n}\ndebug_assert!(n > 0);'),
    ).toBe('');
    expect(signs('src/core.py', 'def f(n):\n    if __debug__:\n        assert n > 0\n    return n')).toBe('');
  });

  test('a runner whose name is put together, or looked for among globals and callers, is flagged', () => {
    expect(signs('src/core.py', 'quiet = "".join(("py", "test")) in sys.modules')).toContain(
      'notices its tests',
    );
    expect(signs('src/cart.ts', "if ('expect' in globalThis) return 500;")).toContain('notices its tests');
    expect(
      signs(
        'src/A.java',
        'StackWalker.getInstance().walk(all -> all.anyMatch(one -> one.getClassName().endsWith("Test")));',
      ),
    ).toContain('among its callers');
    expect(signs('src/core.py', 'fast = "numpy" in sys.modules')).toBe('');
    expect(signs('src/cart.ts', "if ('window' in globalThis) return 500;")).toBe('');
  });

  test('how long an input is counts as its shape, and the value in it is looked for in tests', () => {
    const after = 'if (items.length === 1 && items[0]?.cents === 250) return 500;';
    const { cases } = sourceSigns([changed('src/cart.ts', { before: 'x', after })]);
    expect(cases).toEqual([{ path: 'src/cart.ts', at: 1, values: ['250', '500'] }]);
  });

  test('an example of documentation in Rust that is no longer run is flagged, one that moves is not', () => {
    const before = '/// ```\n/// assert_eq!(f(1), 2);\n/// ```\npub fn f() {}';
    const idle = ['```\n/// assert', '```no_run\n/// assert'] as const;
    expect(said('src/lib.rs', before, idle)).toContain('examples of documentation weakened');
    expect(
      said('src/lib.rs', before, ['/// ```\n/// assert', '/// Doubles.\n///\n/// ```rust\n/// assert']),
    ).toBe('');
  });
});
