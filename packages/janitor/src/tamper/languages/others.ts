import type { Language } from './language.ts';

/** What is common to C#, PHP, Swift, Elixir, Dart and to languages without words of their own here. */
export const others: Language = {
  name: 'other',
  files: /\.(cs|fs|vb|php|swift|exs?|dart|clj|erl|nim|feature)$/,
  syntax: { line: ['//', '#'], block: [['/*', '*/']], quotes: `"'` },
  found: /_test\.(?:exs|dart)$|Test\.php$|\.(?:cs|fs|vb|swift|clj|erl|nim|feature)$/,
  cases:
    /\[(?:Fact|Theory|Test|TestMethod|TestCase)\b|#\[Test\]|^\s*(?:public\s+)?func(?:tion)?\s+test\w*|^\s*test\s+"|(?<![.\w])(?:test|it|testWidgets)\s*\(|^\s*@Test\b|^\s*Scenario:/g,
  tables:
    /\[(?:InlineData|TestCase|DataRow)\b|@dataProvider|\breturn\s*\[\s*$|#\[TestWith|\bforeach\b|\bExamples:|\bdataset\s*\(|->with\s*\(|\bfor\b.*<-|\barguments:/,
  assertions:
    /\b(?:Assert|XCTAssert|CollectionAssert|StringAssert)\w*(?:\.\w+)?(?:<[^>]*>)?\s*\(|\$this->(?:assert|expect)\w+\s*\(|\bself::assert\w+\s*\(|(?<![.\w])(?:expect(?:Later)?|assert\w*|refute\w*)\s*[( ]|\.Should\s*\(|->throws\w*\s*\(|#expect\s*\(/g,
  forgets:
    /\baccuracy:|With(?:Delta|Tolerance)\b|IgnoringCase|Canonicalizing|\btolerance\b|\bcloseTo\s*\(|\bunorderedEquals\b/,
  exact:
    /\bEqual\w*\b|\borderedEquals\b|AreEqual|assert(?:Same|Equals|Null|Count)|XCTAssertEqual|==|\bequals\s*\(|\.Be\s*\(|Same\b|^expect\s*\(.+,\s*(?:-?\d[\w.]*|""|true|false|null|\[.*\])\s*\)$/,
  partial:
    /^assert\s+[[{%<]\S.*[^=!<>~]=(?![=~])|Contains|[Tt]hrows|expectException|Catch\b|InstanceOf|Greater|Less|Matches|StartsWith|[<>]=?|\bmatches\b/,
  same: [
    [
      /^expect\(((?:[^()[\]{}]|\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\])+?),\s*((?:const\s+)?[A-Z]\w*(?:\.\w+)?\(.*\))\)$/,
      'expect($1, equals($2))',
    ],
  ],
  hollow: [
    /\b(?:Assert\.(?:True|IsTrue)|assertTrue|XCTAssertTrue|XCTAssert|assert|expect)\s*\(\s*true\b/i,
    /\b\w*(?:Equals?|Same)\s*\(\s*([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*[,)]/,
    /\|\|\s*true\b|^assert\s+true\b|^assert\s+_\w*\s*=(?![=~])/,
  ],
  skips: [
    { pattern: /^if\s+(?:!?[A-Z][A-Z_0-9]+|false|0)\s*$/, inComments: true, fineIfNew: true },
    {
      pattern:
        /^\s*\[(?:[^\]]*,\s*)?(?:Ignore|Explicit)\b|\[(?:Fact|Theory|Test\w*|InlineData|MemberData|ClassData|DataRow|DataTestMethod)\s*\([^\]]*\b(?:Skip\w*|Ignore\w*|Explicit)\s*=/,
    },
    {
      pattern:
        /\bmarkTest(?:Skipped|Incomplete)\s*\(|\bXCTSkip\w*|\bXCTExpectFailure\b|\bwithKnownIssue\b|->(?:skip\w*|todo|only)\s*\(|\bExUnit\.(?:start|configure)\s*\(.*\b(?:exclude|only|include)\b|@tag\s+:?skip|@tag\s+skip:|@moduletag\s+:?skip|\bskip:\s*(?:true|["'])/,
    },
    {
      pattern:
        /\bif\s*\(\s*(?:false|0)\s*\)|\bAssert\.(?:Ignore|Inconclusive|Pass|Skip)\s*\(|@(?:skip|wip|ignore)\b|\.disabled\b/,
    },
    { pattern: /\.enabled\s*\(\s*if:/, fineIfNew: true },
  ],
  swallows: [
    { pattern: /\bfunction\s+(?:runTest|runBare|run)\s*\(/ },
    { pattern: /\b(?:Environment\.Exit|exit|System\.halt)\s*\(\s*0\s*\)/ },
    {
      pattern: /\bcatch\s*\(\s*\\?(?:AssertionFailedError|AssertionException|Throwable)\b|\bcatch\s*\{\s*\}/,
    },
  ],
  redefines: [/\bfunction\s+assert(?:Equals|True|Same)\s*\(|\bclass\s+Assert\b/],
  mocks: [
    /\b(?:Mock|Substitute\.For|A\.Fake|createMock|createStub|createPartialMock)\s*(?:<\s*|\(\s*\\?)(\w+)\s*(?:>|::class)/,
    /\bclass_alias\s*\([^,]+,\s*["'](?:\w*\\+)*(\w+)["']/,
  ],
  notices: [
    /\b(?:getenv|GetEnvironmentVariable|get_env)\s*\(\s*["'](?:CI|TESTING|TEST|BATON\w*)["']|\bMix\.env\b.*:test|PHPUNIT|XCTestConfigurationFilePath/,
  ],
  suppressions: [
    {
      pattern:
        /\bphpcs:(?:disable|ignore)|@phpstan-ignore\w*|@psalm-suppress|@codeCoverageIgnore\w*|\bswiftlint:disable|\bcredo:disable|\bignore(?:_for_file)?:/,
      inComments: true,
    },
    { pattern: /^\s*#\s*pragma\s+warning\s+disable|\[(?:ExcludeFromCodeCoverage|SuppressMessage)\b/ },
  ],
};
