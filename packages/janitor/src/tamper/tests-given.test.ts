import { describe, expect, test } from 'vitest';
import { changed, weakened } from '../../test/helpers/changed-file.ts';
import { otherSettings } from './given-world.ts';
import { sourceSigns } from './source-signs.ts';

const py = `import random
from bank import rate, sample

def setup_function():
    random.seed(41)

@freeze_time("2024-02-29")
def test_rate():
    assert rate("de") == 19

def test_keys():
    assert key() != key()`;
const ruby = `RSpec.describe Price do
  subject(:price) { described_class.new(-350) }

  it "prints" do
    expect(price.to_s).to eq("-3.50")
  end
end`;
const java = `class PriceTest {
    @Test
    void isFast() {
        assertTimeout(Duration.ofMillis(100), () -> price.of("tea"));
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/prices.csv")
    void all(String item, long cents) {
        assertThat(price.of(item)).usingRecursiveComparison().isEqualTo(cents);
    }

    @Test
    void saves() {
        await().atMost(Duration.ofSeconds(1)).untilAsserted(() -> assertThat(row.isSaved()).isTrue());
    }
}`;
const js = `import { Account } from '../src/account.js';

it('adds', () => {
  const account = new Account();
  expect(account.sum()).toBe(6);
  expect(post).toHaveBeenCalledTimes(1);
  expect(post).toHaveBeenCalledWith('a');
}).timeout(200);`;
const once = `  expect(post).toHaveBeenCalledExactlyOnceWith('a');`;

const pairs: [path: string, text: string, part: string, cheat: string, honest: string, reason: string][] = [
  ['tests/test_a.py', py, 'random.seed(41)', 'random.seed(7)', 'random.seed(41, version=2)', 'another day'],
  ['tests/test_a.py', py, '2024-02-29', '2024-03-02', '2024-02-29", tz_offset="0', 'another day'],
  [
    'tests/test_a.py',
    py,
    'key() != key()',
    'key() is not key()',
    'key() != key(), "keys"',
    'assertions weakened',
  ],
  [
    'spec/price_spec.rb',
    ruby,
    '{ described_class.new(-350) }',
    '{ instance_double(described_class, to_s: "-3.50") }',
    '{ described_class.new(-350, log: instance_double(Log)) }',
    'subject replaced by a mock',
  ],
  [
    'src/test/java/PriceTest.java',
    java,
    'ofMillis(100)',
    'ofMinutes(100)',
    'ofNanos(100_000_000)',
    'values changed',
  ],
  ['src/test/java/PriceTest.java', java, 'ofSeconds(1)', 'ofHours(1)', 'ofMillis(1000)', 'limits of tests'],
  [
    'src/test/java/PriceTest.java',
    java,
    '"/prices.csv"',
    '"/prices.csv", numLinesToSkip = 2',
    '"/prices.csv", encoding = "UTF-8"',
    'left out',
  ],
  [
    'src/test/java/PriceTest.java',
    java,
    'Comparison()',
    'Comparison().ignoringFields("cents")',
    'Comparison().withStrictTypeChecking()',
    'weakened',
  ],
  [
    'test/a.test.js',
    js,
    'new Account();',
    'sinon.createStubInstance(Account, { sum: 6 });',
    'new Account({ now: sinon.stub().returns(1) });',
    'subject replaced by a mock',
  ],
  ['test/a.test.js', js, 'timeout(200)', 'timeout(0)', 'timeout(100)', 'limits of tests'],
  [
    'test/a.test.js',
    js,
    js.split('\n').slice(5, 7).join('\n'),
    once.replace('Exactly', '').replace("OnceWith('a')", '()'),
    once,
    'assertions',
  ],
];

describe('what tests are given, and what they leave out', () => {
  test.each(pairs)(
    'in %s %# the cheat is flagged and its twin is not',
    (path, text, part, cheat, honest, reason) => {
      expect(text).toContain(part);
      const flags = (now: string) => weakened(path, { before: text, after: text.replace(part, () => now) });
      expect(flags(cheat).join('; ')).toContain(reason);
      expect(flags(honest)).toEqual([]);
    },
  );

  test.each([
    ['tests/rows.csv', 'tea,350\ncard,-100', 'tea,350\ncard,100', 1],
    ['tests/rows.csv', 'tea,350\ncard,-100', 'card,-100\ntea,350\nmilk,120', 0],
    ['tests/rows.json', '[\n  { "name": "two", "sum": -4 }\n]', '[\n  { "name": "two", "sum": 6 }\n]', 1],
    ['tests/rows.json', '[\n  { "name": "two", "sum": -4 }\n]', '[{ "name": "two", "sum": -4 }]', 0],
    ['tests/package.json', '{ "version": 1 }', '{ "version": 2 }', 0],
    ['data/rows.csv', 'tea,350', 'tea,351', 0],
  ])(
    'in %s %# a value in place of another is named, and no row that is moved or new',
    (path, before, after, count) => {
      const said = weakened(path, { before, after }).filter((text) => text.startsWith('values of examples'));
      expect(said).toHaveLength(count);
    },
  );

  test('settings of tests may get more, and no other value', () => {
    const before = 'STRICT=1\nLOCALE=de';
    const at = (path: string, after: string) => otherSettings(changed(path, { before, after }));
    expect(at('.env.test', 'STRICT=1\nLOCALE=C')).toBe(2);
    expect(at('.env.test', `${before}\nREGION=eu`)).toBeNull();
    expect(at('.env', 'STRICT=0\nLOCALE=de')).toBeNull();
  });

  test.each([
    ['src/a.py', 'if sys.gettrace() is not None:'],
    ['lib/a.rb', 'return 1 if defined?(SimpleCov)'],
    ['src/A.cs', 'if (Debugger.IsAttached) return 1;'],
    ['src/a.js', 'if (globalThis.__coverage__) return 1;'],
  ])('%s notices that it is measured by %s', (path, line) => {
    const { flags } = sourceSigns([changed(path, { before: 'a = 1', after: `a = 1\n${line}` })]);
    expect(flags.map(({ text }) => text)).toEqual([`code that notices its tests: 1 more in ${path}:2`]);
  });
});
