import { describe, expect, test } from 'vitest';
import { weakened } from '../../test/helpers/changed-file.ts';

const moq = `public class PriceTests
{
    [Fact]
    public void Logs()
    {
        log.Verify(l => l.Write("price 1"), Times.Once);
    }
}`;
const mail = `final class PriceTest extends TestCase
{
    public function testMails(): void
    {
        $mailer->expects($this->once())->method('send')->with('price 10');
    }
}`;
const doctest =
  'defmodule PriceTest do\n  doctest Price\n\n  test "a" do\n    assert_raise ArgumentError, ~r/negative/, fn -> Price.new(-1) end\n  end\nend';
const awaited = `async def test_runs(plan):
    done = []
    await plan.run(done.append)
    assert (done[0], done[1]) == ('a', 'b')`;
const sends = `import { send } from './send.ts';

test('sends', async () => {
  await expect(send([])).rejects.toThrow('no lines');
  expect(send.length).toBeCloseTo(one, 5);
  expect(send(1)).toBe(2);
});`;

describe('what is asked of mocks, promises and imports is flagged where it is given up, and is not where it is kept', () => {
  test.each<[path: string, text: string, from: string, weaker: string, kept: string]>([
    [
      'PriceTests.cs',
      moq,
      'l.Write("price 1")',
      'l.Write(It.IsAny<string>())',
      'l.Write("price 1")); log.Verify(l => l.Write("price 1")',
    ],
    [
      'tests/PriceTest.php',
      mail,
      "->method('send')->with('price 10')",
      "->method('send')",
      "->method('send')->with($this->identicalTo('price 10'))",
    ],
    ['price_test.exs', doctest, '  doctest Price\n', '', '  doctest Price, import: true\n'],
    ['price_test.exs', doctest, '~r/negative/', '~r/./', '~r/negative price/'],
    ['tests/test_a.py', awaited, '    await plan', '    plan', '    assert plan\n    await plan'],
    [
      'tests/test_a.py',
      awaited,
      "(done[0], done[1]) == ('a', 'b')",
      "(done, 'b')",
      "(done[0], done[1]) == ('a', 'b'), done",
    ],
    [
      'a.test.ts',
      sends,
      "await expect(send([])).rejects.toThrow('no lines');",
      "await send([]).catch((error) => expect(error.message).toMatch('no lines'));",
      "expect.assertions(3);\n  await send([]).catch((error) => expect(error.message).toMatch('no lines'));",
    ],
    [
      'a.test.ts',
      sends,
      "await expect(send([])).rejects.toThrow('no lines');",
      "await send([]).catch((error) => {\n    expect(error.message).toMatch('no lines');\n  });",
      "await expect(send([])).rejects.toThrow('there are no lines');",
    ],
    ['a.test.ts', sends, 'one, 5', 'one, 1', 'one, 8'],
    [
      'a.test.ts',
      sends,
      '  expect(send(1))',
      '  const send = (n: number) => n + 1;\n  expect(send(1))',
      '  const one = 1;\n  expect(send(one))',
    ],
  ])('%s: %s', (path, text, from, weaker, kept) => {
    expect(weakened(path, { before: text, after: text.replace(from, () => weaker) })).not.toEqual([]);
    expect(weakened(path, { before: text, after: text.replace(from, () => kept) })).toEqual([]);
  });
});
