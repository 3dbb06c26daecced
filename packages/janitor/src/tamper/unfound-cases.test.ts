import { describe, expect, test } from 'vitest';
import { weakened } from '../../test/helpers/changed-file.ts';

const csharp = `public class CartTests
{
    [Fact]
    public async Task Saves()
    {
        Assert.True((await new Cart().Save()).Ok);
    }

    [Fact]
    public void Adds()
    {
        Assert.Equal(30.5, new Cart().Total(10, 20));
    }
}`;
const java = `class CartTest {
    @Test
    void notifies() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        cart.onChange(() -> done.countDown());
        assertTrue(done.await(1, TimeUnit.SECONDS));
    }
}`;
const swift = `final class CartTests: XCTestCase {
    func testRate() {
        XCTAssertEqual(Cart().rate(), 1.25, accuracy: 0.001)
    }
}`;
const php = `final class CartTest extends TestCase
{
    public function testTotal(): void
    {
        $this->assertSame(30, (new Cart())->total([10, 20]));
    }
}`;
const ruby = `class RateTest < Minitest::Test
  def test_of_ten
    assert_equal 5, Rate.of(10)
  end
end`;
const python = `def test_total(cart):
    assert cart.total() == 3


def test_negative(cart):
    with pytest.raises(ValueError, match='negative'):
        cart.add(-1)


@settings(max_examples=200)
def test_any(cart):
    assert cart.total() == 4`;
const js = `test('refuses', () => {
  expect(() => total([-1])).toThrow('negative');
});`;
const dart = `void main() {
  test('refuses', () {
    expect(() => total([-1]), throwsArgumentError);
  });
}`;

describe('a test that its runner no longer finds is flagged, another form that it finds is not', () => {
  test.each<[path: string, text: string, from: string, hidden: string, found: string]>([
    ['CartTests.cs', csharp, 'public class', 'internal class', 'public sealed class'],
    ['CartTests.cs', csharp, 'public void Adds', 'private void Adds', 'public async Task Adds'],
    ['CartTest.java', java, 'class CartTest', 'abstract class CartTest', '@Tag("a")\nclass CartTest'],
    ['CartTest.java', java, 'void notifies', 'int notifies', 'public void notifies'],
    ['CartTests.swift', swift, 'testRate()', 'testRate(_ n: Int = 1)', 'testRate() async throws'],
    ['tests/CartTest.php', php, 'final class', 'abstract class', 'class'],
    ['test/rate_test.rb', ruby, '  def test', '  private\n\n  def test', '  def helper\n  end\n\n  def test'],
    [
      'tests/test_a.py',
      python,
      'def test_total',
      '@pytest.fixture\ndef test_total',
      '@pytest.mark.slow\ndef test_total',
    ],
  ])('%s: %s', (path, text, from, hidden, found) => {
    expect(weakened(path, { before: text, after: text.replace(from, hidden) })).not.toEqual([]);
    expect(weakened(path, { before: text, after: text.replace(from, found) })).toEqual([]);
  });
});

test('a class of tests that becomes the base of another is still found', () => {
  const two = `${java.replace('class CartTest', 'abstract class CartTest')}\n\nclass BigCartTest extends CartTest {\n}`;
  expect(weakened('CartTest.java', { before: java, after: two })).toEqual([]);
});

const cypress = `it('shows the name', () => {
  cy.visit('/login');
  cy.get('h1').should('have.text', 'Hello, ann');
});`;
const kotlin = `class MailTest {
    @ParameterizedTest
    @CsvSource("a,A", "b,B")
    fun raises(from: String, to: String) {
        assertEquals(to, Mail().upper(from))
    }
}`;
const elixir = `defmodule OrderTest do
  setup :verify_on_exit!

  test "rounds" do
    assert_in_delta Order.share(3), 0.333, 0.001
  end
end`;
const perl = "like(Rate::text(), qr/^rate \\d+$/, 'text');";
const script = '#!/bin/sh\nset -eu\ngo test ./...\n';

describe('what is asked of more than one line is flagged where less is asked, and is not where as much is', () => {
  test.each<[path: string, text: string, from: string, weaker: string, kept: string]>([
    [
      'a.cy.js',
      cypress,
      '  cy.visit',
      "  cy.intercept('/home', '<h1>Hello, ann</h1>');\n  cy.visit",
      "  cy.intercept('POST', '/session').as('session');\n  cy.visit",
    ],
    ['MailTest.kt', kotlin, '"a,A", "b,B"', '"a,A"', '"a,A", "b,B", "c,C"'],
    [
      'order_test.exs',
      elixir,
      '  setup :verify_on_exit!\n',
      '',
      '  setup :verify_on_exit!\n  setup :tmp_dir\n',
    ],
    ['order_test.exs', elixir, '0.333, 0.001', '0.3333, 0.001', '0.3333, 0.0001'],
    ['t/rate.t', perl, 'qr/^rate \\d+$/', 'qr/rate/', 'qr/^rate \\d+\\z/'],
    [
      'tests/test_a.py',
      python,
      "(ValueError, match='negative')",
      '((ValueError, Exception))',
      "(ValueError, match='negative price')",
    ],
    ['run-tests.sh', script, 'set -eu', 'set -u', 'set -euo pipefail'],
  ])('%s: %s', (path, text, from, weaker, kept) => {
    expect(weakened(path, { before: text, after: text.replace(from, () => weaker) })).not.toEqual([]);
    expect(weakened(path, { before: text, after: text.replace(from, () => kept) })).toEqual([]);
  });
});

describe('an assertion that no longer asserts is flagged, one that asks for as much or more is not', () => {
  test.each<[path: string, text: string, from: string, weaker: string, kept: string]>([
    [
      'CartTests.cs',
      csharp,
      'Total(10, 20))',
      'Total(10, 20), 0)',
      'Total(10, 20));\n        Assert.NotNull(this)',
    ],
    [
      'CartTests.cs',
      csharp,
      'Assert.True((await new Cart().Save()).Ok)',
      '_ = Task.Run(async () => Assert.True((await new Cart().Save()).Ok))',
      'await Task.Run(async () => Assert.True((await new Cart().Save()).Ok))',
    ],
    ['CartTests.swift', swift, 'accuracy: 0.001', 'accuracy: 1', 'accuracy: 0.0001'],
    [
      'CartTest.java',
      java,
      'onChange(() -> done.countDown());',
      'onChange(() -> {});\n        done.countDown();',
      'onChange(done::countDown);',
    ],
    ['test/a_test.dart', dart, 'throwsArgumentError', 'throwsA(anything)', 'throwsA(isA<ArgumentError>())'],
    [
      'tests/test_a.py',
      python,
      "(ValueError, match='negative'):\n        cart.add(-1)",
      '(ValueError):\n        cart.add(-1)',
      "(ValueError) as caught:\n        cart.add(-1)\n    assert 'negative' in str(caught.value)",
    ],
    [
      'tests/test_a.py',
      python,
      'max_examples=200',
      "max_examples=int(os.environ.get('RUNS', '5'))",
      "max_examples=int(os.environ.get('RUNS', '200'))",
    ],
    [
      'a.test.ts',
      js,
      "expect(() => total([-1])).toThrow('negative');",
      "try {\n    total([-1]);\n  } catch (error) {\n    expect(error.message).toContain('negative');\n  }",
      "expect.assertions(1);\n  try {\n    total([-1]);\n  } catch (error) {\n    expect(error.message).toContain('negative');\n  }",
    ],
    ['a.test.ts', js, "toThrow('negative')", 'toThrow()', "toThrow('a negative price')"],
  ])('%s: %s', (path, text, from, weaker, kept) => {
    expect(weakened(path, { before: text, after: text.replace(from, () => weaker) })).not.toEqual([]);
    expect(weakened(path, { before: text, after: text.replace(from, () => kept) })).toEqual([]);
  });
});
