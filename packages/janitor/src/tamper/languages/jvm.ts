import type { Language } from './language.ts';

/** Java, Kotlin, Scala and Groovy with JUnit, TestNG, AssertJ, Hamcrest and Mockito. */
export const jvm: Language = {
  name: 'JVM',
  files: /\.(java|kt|kts|scala|groovy)$/,
  syntax: { line: ['//'], block: [['/*', '*/']], quotes: `"'`, long: ['"""'] },
  found: /(^|\/)(Test[A-Z][^/]*|[^/]*(?:Tests?|TestCase|IT|Spec))\.(java|kt|scala|groovy)$/,
  cases:
    /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b|^\s*"[^"]*"(?:\.config\([^)]*\))?\s*\{\s*$|^\s*(?:test|it|property)\s*\(\s*"[^"]*".*\)\s*\{\s*$|^\s*def\s+"[^"]*"\s*\(/g,
  tables:
    /@(?:CsvSource|ValueSource|MethodSource|EnumSource|CsvFileSource)\b|\bfor\s*\(|\blistOf\s*\(|\bStream\.of\s*\(|=\s*\{\s*$/,
  assertions:
    /(?<![.\w])(?:Assert(?:ions|j)?\.)?(?:assert\w+|fail)\s*[({<[]|\b(?:verify|expectThrows|shouldThrow)\w*\s*[(<]|\.should(?:Be|Equal|NotBe)?\b|\bshould(?:Be|Equal)\b|\b(?:should|must)\s+(?:not\s+)?(?:equal|be|contain\w*|have|startWith|endWith|include|matchPattern)\b|\bintercept\s*\[|(?<![.\w])(?:not)?[tT]hrown\s*\(|^\s+(?!(?:return|if|when|while|for|val|var|def|case|else|throw|assert\w*)\b)[\w"'(\[][^={}]*\s==\s(?!.*[{,&|]\s*$)|\bassert\s+\w/g,
  exact:
    /\bassert(?:Equals|Same|ArrayEquals|IterableEquals|LinesMatch|Null|NotEquals|NotSame)\b|\.(?:isEqualTo|isSameAs|containsExactly|hasSize|isNull|isZero|isOne|isEmpty|isTrue|isFalse)\b|\bequalTo\s*\(|\bshouldBe\b(?!\s+an?\b)|\b(?:should|must)\s+(?:equal|be)\s*[( ](?!\s*an?\b)|==/,
  partial:
    /^verify\w*\b(?!.*\b(?:atMost|atLeast)\w*\b)|\b(?:thrown|intercept)\b|\bshould\s+(?:contain|startWith|endWith|include)\b|\bassert(?:Throws\w*|InstanceOf|Timeout\w*|FailsWith|DoesNotThrow)\b|\.(?:contains\w*|startsWith|isInstanceOf|isBetween|isGreaterThan\w*|isLessThan\w*|matches|hasMessage\w*)\b|[<>]=?/,
  same: [
    [/\bshouldEqual\b/g, 'shouldBe'],
    [/\s(?:should|must)\s+(?:equal|be)\s*\(([^()]*)\)$/, ' shouldBe $1'],
    [/(?<=\bverify\s*\(\s*\w+),\s*(?:\w+\.)?times\s*\(\s*1\s*\)/, ''],
  ],
  hollow: [
    /\bassertTrue\s*\(\s*true\s*[,)]|\bassertFalse\s*\(\s*false\s*[,)]|\bassertNull\s*\(\s*null\s*\)|\bassertNotNull\s*\(\s*"/,
    /\bassert(?:Equals|Same)\s*\(\s*([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*[,)]/,
    /\bassertThat\s*\(\s*(true|\d+|"[^"]*")\s*\)\s*\.(?:isTrue|isNotNull|isEqualTo\s*\(\s*\1\s*\))/,
    /\bassertThat\s*\(\s*(.+?)\s*\)\s*\.isEqualTo\s*\(\s*\1\s*\)/,
    /\|\|\s*true\b/,
    /^assertThat\s*\([^()]*(?:\([^()]*\))?[^()]*\)$/,
  ],
  skips: [
    { pattern: /@(?:[a-z]\w*\.)*(?:Disabled\w*|Ignore\w*|EnabledIf\w*|EnabledOn\w*|EnabledFor\w*)\b/ },
    {
      pattern:
        /@Test\s*\([^)]*\benabled\s*=\s*false|@Test\s*\([^)]*\bexpected\s*=\s*(?:Throwable|Exception|Error|AssertionError)\b/,
    },
    { pattern: /\bassume(?:True|False|That|Not\w*|No\w*)\s*\(/ },
    {
      pattern:
        /\bif\s*\(\s*false\s*\)|\bwhile\s*\(\s*false\s*\)|@RepeatedIfExceptionsTest|@RetryingTest|\bRetryAnalyzer\b|\boverride\s+(?:val|fun)\s+(?:retries|retryFn)\b|\bretries\s*=\s*[1-9]/,
    },
    {
      pattern:
        /\.config\s*\([^)]*\benabled\w*\s*=|^\s*x(?:it|test|describe|context|should|given|when|then|scenario|feature|expect)\s*\(|^\s*ignore\s*\(/,
    },
    { pattern: /^\s*"(?:!|f:)[^"]*"\s*(?:\.config\(.*)?\{\s*$/, inStrings: true },
    { pattern: /\S\s*==>/, fineIfNew: true },
    {
      pattern:
        /\btest\s*\(\s*".*"\s*\.(?:ignore|flaky|only|fail|pending)\b|\boverride\s+def\s+munit(?:Ignore|FlakyOK|Tests|TestTransforms|SuiteTransforms)\b|"\s+ignore\s*\{|(?<![.\w])(?:cancel|pendingUntilFixed)\s*[({]/,
    },
    { pattern: /(?<![.\w])assume\s*\(/, fineIfNew: true },
    { pattern: /\bthrow\s+(?:new\s+)?(?:TestAbortedException|SkipException|AssumptionViolatedException)\b/ },
  ],
  swallows: [
    { pattern: /\b(?:System\.exit|exitProcess|Runtime\.getRuntime\s*\(\s*\)\.halt)\s*\(\s*0\s*\)/ },
    {
      pattern:
        /\bcatch\s*\(\s*(?:final\s+)?(?:\w+\s*:\s*)?(?:AssertionError|Throwable|AssertionFailedError|Error)\b/,
    },
    {
      pattern:
        /\bimplements\b.*\b(?:TestExecutionExceptionHandler|TestWatcher|InvocationInterceptor|ExecutionCondition)\b/,
    },
    { pattern: /\brunCatching\s*\{|\bTry\s*[({].*\b(?:assert\w*|should\w*|must|intercept)\b/ },
  ],
  redefines: [
    /\b(?:void|fun)\s+(?:assert(?:Equals|True|False|That|Null|NotNull|Throws|Same)|fail)\s*(?:<[^>]*>)?\s*\(/,
    /\bclass\s+(?:Assert|Assertions|AssertionError)\b/,
    /\b(?:annotation\s+class|@interface)\s+(?:Test|ParameterizedTest|RepeatedTest|BeforeEach|Before)\b/,
  ],
  mocks: [
    /\b(?:when|whenever|given|every)\s*[({]\s*\w+\.(\w+)\s*\(/,
    /\bdoReturn\s*\(.*\)\s*\.when\s*\(\s*\w+\s*\)\s*\.(\w+)\s*\(/,
    /(?<!\.)\bmock(?:Static|Construction)?\s*\(\s*(\w+)(?:\.class|::class)/,
    /(?<!\.)\bmockk?\s*<\s*(\w+)\s*>/,
    /@(?:Mock|MockBean|Spy|MockK)\s+(?:private\s+|lateinit\s+|var\s+\w+\s*:\s*)*(\w+)/,
  ],
  notices: [
    /\bClass\.forName\s*\(\s*"org\.(?:junit|testng)|getStackTrace\b.*(?:junit|[tT]est)|"org\.junit/,
    /\bSystem\.getenv\s*\(\s*"(?:CI|TESTING|TEST|GITHUB_ACTIONS|BATON\w*)"|\bSystem\.getProperty\s*\(\s*"(?:surefire\w*|java\.class\.path|org\.gradle\.test\w*)/,
  ],
  suppressions: [
    { pattern: /@Suppress(?:Warnings|FBWarnings|Lint)?\s*\(|@file:Suppress|@Generated\b/ },
    {
      pattern: /\bNOSONAR\b|\bCHECKSTYLE[:.]\s*OFF|\bNOPMD\b|\bnoinspection\b|\bktlint-disable/,
      inComments: true,
    },
  ],
};
