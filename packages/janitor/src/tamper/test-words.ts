/** One test case begins here, in the languages of the usual runners. */
const cases = [
  /(?<![.\w])(?:it|test|specify|scenario)(?:\.(?:each|concurrent|failing|sequential))?\s*(?:\(|`|<)/g,
  /^\s*(?:async\s+)?def\s+test_?\w*/g,
  /^\s*func\s+(?:Test|Benchmark|Fuzz|Example)\w*\s*\(/g,
  /#\[(?:\w+::)?test\b/g,
  /@(?:Test|ParameterizedTest)\b/g,
  /^\s*@test\s+"/g,
];

/** Something is asserted here. */
const assertions = [
  /\bexpect(?:\.soft)?\s*\(/g,
  /\bassert(?:\.\w+|_\w+!?|[A-Z]\w*|!|That)?\s*\(/g,
  /^\s*assert\s+[^(\s]/g,
  /\bself\.(?:fail|assert\w+)\s*\(/g,
  /\b(?:t|b)\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow|is|equal|deepEqual|same|not|ok|true|false|throws)\s*\(/g,
  /\brequire\.[A-Z]\w*\s*\(/g,
  /\.should(?:\.|\()/g,
];

/** It is compared with one exact value or error; a looser check in its place proves less. */
const strict = [
  /\.(?:toBe|toEqual|toStrictEqual|toMatchObject|toContainEqual|toHaveBeenCalledWith|toThrow|toThrowError|toHaveLength|toBeCloseTo)\s*\(/g,
  /\b(?:strictEqual|deepStrictEqual|deepEqual|notStrictEqual|rejects|throws|assertEquals?|assertRaises|assertDictEqual|assertListEqual|assert_eq|assertThrows|assertSame)\b/g,
  /^\s*assert\s+[^#]*(?:==|\bis\b|\bin\b)/g,
  /\b(?:assert|require)\.(?:Equal|EqualValues|EqualError|ErrorIs|Len)\s*\(/g,
  /\bpytest\.raises\s*\(/g,
];

/** It asserts nothing: true whatever the code does. */
const hollow =
  /expect\s*\(\s*(true|1|!0)\s*\)|assert(?:\.ok|\.equal|True|!)?\s*\(\s*(true|True|1)\s*[,)]|^\s*assert\s+(True|1)\s*$|assert(?:_eq!|\.equal|\.strictEqual)\s*\(\s*(\w+)\s*,\s*\4\s*\)/;

/** Tests that are not run, or keep others from running. */
const skips = [
  /\b(?:it|test|describe|suite|context|specify)(?:\.\w+)*\.(?:skip|only|todo|skipIf|fixme)\b/g,
  /\b(?:xit|xtest|xdescribe|xcontext|fit|fdescribe|ftest)\s*\(/g,
  /\{[^}]*\b(?:skip|todo|only)\s*:\s*(?!false)/g,
  /@(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.(?:skip\w*|expectedFailure)|Disabled|Ignore)\b/g,
  /\bpytest\.skip\s*\(|\bself\.skipTest\s*\(|__test__\s*=\s*False|collect_ignore/g,
  /\b[tb]\.(?:Skip|Skipf|SkipNow|skip)\s*\(|\bthis\.skip\s*\(/g,
  /#\[ignore\b|\bprocess\.exit\s*\(\s*0?\s*\)|\bos\._exit\s*\(\s*0\s*\)|\bsys\.exit\s*\(\s*0?\s*\)/g,
];

/** How much a few lines of test code prove. */
export interface TestWords {
  cases: number;
  assertions: number;
  strict: number;
  skips: number;
}

/** Counts by words, not by parsing: the same counts are made of what a change adds and removes, and only the difference is used. */
export function countTestWords(lines: readonly string[]): TestWords {
  const live = lines.filter((line) => !/^\s*(\/\/|\*|#(?!\[))/.test(line));
  const asserting = live.filter((line) => !hollow.test(line));
  return {
    cases: count(live, cases),
    assertions: count(asserting, assertions),
    strict: count(asserting, strict),
    skips: count(live, skips),
  };
}

function count(lines: readonly string[], patterns: readonly RegExp[]): number {
  return lines.reduce(
    (sum, line) =>
      sum + patterns.reduce((inner, pattern) => inner + Array.from(line.matchAll(pattern)).length, 0),
    0,
  );
}
