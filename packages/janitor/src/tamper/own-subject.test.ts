import { describe, expect, test } from 'vitest';
import { weakened } from '../../test/helpers/changed-file.ts';

const go = `func TestSum(t *testing.T) {
	for _, tc := range []struct {
		in   []int
		want int
	}{
		{[]int{1, 2}, 3},
	} {
		got := Sum(tc.in)
		if got != tc.want {
			t.Errorf("got %d, want %d", got, tc.want)
		}
	}
}

func TestPrint(t *testing.T) {
	want, err := os.ReadFile("testdata/sum.golden")
	if err != nil {
		t.Fatal(err)
	}
	if got := Print(1); got != string(want) {
		t.Fatal(got)
	}
}`;
const write = '	os.WriteFile("testdata/sum.golden", []byte(Print(1)), 0o644)\n';
const kotlin = `class ParserTest {
    private val parser = Parser()

    @Test
    fun reads() {
        assertEquals(1, parser.parse("1"))
    }
}`;
const java = `class RatesTest {
    private final Rates rates = new Rates(source);

    static Stream<Arguments> rows() {
        return Stream.of(Arguments.of(1, 2), Arguments.of(3, 4));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void doubles(int given, int wanted) {
        assertEquals(wanted, rates.twice(given));
    }
}`;
const ruby = `require 'cart'
RSpec.describe Cart do
  it 'sums' do
    expect(Cart.new.total).to eq(0)
  end
end`;
const rust = `fn check(title: &str, want: &str) {
    let got = slug(title).expect("a slug");
    assert_eq!(got, want);
}

#[test]
fn joins() {
    check("A b", "a-b");
}`;
const spock = `class SumSpec extends Specification {
    def "sums #text"() {
        expect:
        Sum.of(text) == sum

        where:
        text  || sum
        "1,2" || 3
        "2,2" || 4
    }
}`;

/** Path and text of a test, a part of it, what a cheat and what honest work makes of it, and the reason. */
const pairs: readonly [string, string, string, string, string, string][] = [
  [
    's_test.go',
    go,
    'if got != tc.want',
    'if again := Sum(tc.in); got != again',
    'if want := tc.want; got != want',
    'never read',
  ],
  [
    's_test.go',
    go,
    '	want, err',
    `${write}	want, err`,
    `	if *update {\n	${write}	}\n	want, err`,
    'written by their test',
  ],
  [
    's_test.go',
    `${go}\n`,
    'Sum(tc.in)',
    'sum(tc.in)\n		func sum(all []int) int {\n			return len(all) + 1\n		}',
    'sumOf(t, tc.in)\n		func sumOf(t *testing.T, all []int) int {\n			return Sum(all)\n		}',
    'one of the test',
  ],
  [
    'ParserTest.kt',
    kotlin,
    'Parser()\n',
    'object : Parser() {\n        override fun parse(text: String) = 1\n    }\n',
    'Parser().also {\n        it.start()\n    }\n',
    'one of the test',
  ],
  [
    'RatesTest.java',
    java,
    'new Rates(source)',
    'mock(Rates.class)',
    'new Rates(mock(Source.class))',
    'one of the test',
  ],
  [
    'RatesTest.java',
    java,
    '(3, 4));',
    '(3, 4)).filter(one -> false);',
    '(3, 4),\n            Arguments.of(5, 10));',
    'left out',
  ],
  [
    'RatesTest.java',
    java,
    'wanted, rates',
    'rates.twice(given), rates',
    '(long) wanted, rates',
    'never read',
  ],
  [
    'cart_spec.rb',
    ruby,
    'RSpec',
    'class Cart\n  def total\n    0\n  end\nend\nRSpec',
    'class FakeStore\n  def all = []\nend\nRSpec',
    'one of the test',
  ],
  [
    'tests/a.rs',
    rust,
    'let got = slug(title).expect("a slug");\n    assert_eq!(got, want);',
    'if let Ok(got) = slug(title) {\n        assert_eq!(got, want);\n    }',
    'let got = slug(title).unwrap();\n    assert_eq!(got, want);',
    'not always run',
  ],
  ['SumSpec.groovy', spock, '"2,2" || 4', '"2,2" || 2', '"2,2"   || 4', 'examples removed'],
  [
    'SumSpec.groovy',
    spock,
    'Sum.of(text) == sum',
    'Sum.of(text) != null',
    'new Sum().of(text) == sum',
    'assertions',
  ],
  ['t/a.t', "is(sum(1, 2), 3, 'sum');", 'is(', 'local $TODO = 1;\nis(', 'note(1);\nis(', 'skipped'],
  [
    'test/SumSpec.hs',
    '  it "sums" $ sum [1, 2] `shouldBe` 3',
    '`shouldBe` 3',
    '`shouldSatisfy` const True',
    '`shouldBe` (3 :: Int)',
    'assertions',
  ],
  [
    'spec/a_spec.lua',
    "it('sums', function()\n  assert.same(3, sum(1, 2))\nend)",
    'assert.same(3, sum(1, 2))',
    'pcall(function() assert.same(3, sum(1, 2)) end)',
    'local got = sum(1, 2)\n  assert.same(3, got)',
    'swallowed',
  ],
  [
    'a_test.dart',
    "test('loads', () async {\n  await expectLater(load(), completion(3));\n});",
    'await expectLater(load(), completion(3))',
    'load().then((got) => expect(got, 3))',
    'expect(await load(), completion(3))',
    'not always run',
  ],
  [
    'tests/a_test.cpp',
    'TEST(A, B) {\n  EXPECT_NEAR(mean(), 2.5, 1e-9);\n}',
    'EXPECT_NEAR(mean(), 2.5, 1e-9)',
    'EXPECT_NEAR(mean(), 2.5, 1e9)',
    'EXPECT_DOUBLE_EQ(mean(), 2.5)',
    '',
  ],
];

describe('what a test is about, and what it compares it with', () => {
  test.each(pairs)(
    '%s: %#: its own stand-in is flagged, honest work is not',
    (path, text, part, cheat, honest, reason) => {
      expect(text).toContain(part);
      const flags = (now: string) => weakened(path, { before: text, after: text.replace(part, () => now) });
      expect(flags(cheat)).not.toEqual([]);
      expect(flags(cheat).join()).toContain(reason);
      expect(flags(honest)).toEqual([]);
    },
  );
});
