import { isAsked, isOfNoTests, looksOn } from './harmless.ts';
import type { Language } from './language.ts';

/** Python with pytest and unittest. */
export const python: Language = {
  name: 'Python',
  files: /\.pyi?$/,
  syntax: { line: ['#'], block: [], quotes: `'"`, long: ['"""', "'''"] },
  found: /(^|\/)(test_[^/]*|[^/]*_test|tests?|conftest)\.py$/,
  cases: /^\s*(?:async\s+)?def\s+test\w*/g,
  tables: /\bparametrize\b|^\s*for\s|\bsubTest\b|=\s*[[({]\s*$/,
  assertions:
    /^\s*assert\b(?!\s*\w+\s*=(?!=))|\b(?:self|cls|case|tc)\.(?:assert\w+|fail)\s*\(|\bpytest\.(?:raises|warns|approx\s*==|fail)\s*\(|\b(?:np|numpy|pd|torch)\.testing\.assert\w+\s*\(|\.assert_\w+\s*\(/g,
  exact:
    /==|!=|\bis\b|\bassert(?:Equal|Equals|Is|IsNone|DictEqual|ListEqual|SetEqual|TupleEqual|CountEqual|MultiLineEqual|NotEqual|SequenceEqual|Query[sS]etEqual|JSONEqual|XMLEqual|HTMLEqual)\b|\bassert_called_(?:once_)?with\b|assert_(?:array_)?equal/,
  partial:
    /\bin\b|[<>]=?|\b(?:pytest\.)?(?:raises|warns)\s*\(\s*(?!(?:Base)?Exception\b)|\bassert(?:In|Raises\w*|AlmostEqual|Regex|Greater\w*|Less\w*|IsInstance)\b|\bisinstance\b|assert_allclose/,
  forgets:
    /\bsorted\s*\(|\bset\s*\(|\bCounter\s*\(|\bapprox\s*\(|\bassertCountEqual\b|\bordered\s*=\s*False\b|\bcheck_like\s*=\s*True\b|\bcheck_(?:dtype|exact|names)\s*=\s*False\b/,
  // Of several exceptions the widest counts.
  same: [[/(\b(?:raises|assertRaises\w*)\()\([^()]*\b((?:Base)?Exception)\b[^()]*\)/, '$1$2']],
  hollow: [
    /^assert\s+(?:True|1|not\s+False|not\s+None|not\s+0|"[^"]+")\s*$/,
    /^assert\s+(.+?)\s*(?:==|is)\s*\1\s*$/,
    /^assert\s+\([^()]*(?:\([^()]*\)[^()]*)*,\s*"[^"]*"\s*\)\s*$/,
    /\bassertTrue\s*\(\s*(?:True|1)\s*[,)]|\bassertFalse\s*\(\s*(?:False|0)\s*[,)]/,
    /\bassert(?:Equals?|Is)\s*\(\s*([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*[,)]/,
    /^assert\s*[([].*\bfor\b.*\bin\b.*[)\]]\s*$/,
    /\bor\s+(?:True|1)\b|\bmock\.ANY\b|==\s*ANY\b/,
  ],
  skips: [
    {
      pattern:
        /@(?:\w+\.)*(?:skip(?:[iI]f|Unless|Test)?|xfail|expectedFailure)\b|@skip\w*\b|\bmark\.(?:skip|skipif|xfail)\b|\bfrom\s+(?:pytest|unittest)\b.*\bimport\b.*\b(?:skip|xfail|importorskip|SkipTest)\b/,
    },
    {
      pattern:
        /\bparametrize\s*\(\s*(["'])\s*\1\s*,\s*(?:\[\s*\]|\(\s*\)|\{\s*\}|(?:list|tuple|set|dict)\s*\(\s*\)|range\s*\(\s*0\s*\))/,
    },
    {
      pattern:
        /\bpytest\.(?:skip|xfail|exit)\s*\(|\bself\.skipTest\s*\(|\braise\s+(?:\w+\.)*(?:SkipTest|Skipped|skip\.Exception)\b|\bpytestmark\s*=.*(?:skip|xfail)/,
    },
    { pattern: /\bpytest\.importorskip\s*\(/, fineIfNew: true },
    { pattern: /__test__\s*=\s*False|\bcollect_ignore\w*\b|\bload_tests\b/ },
    { pattern: /^\s+def\s+__init__\s*\(/, fineIn: isOfNoTests },
    { pattern: /@(?:pytest\.mark\.)?flaky\b|\breruns\s*=/ },
    { pattern: /^\s*(?:hypothesis\.)?assume\s*\(/, fineIfNew: true },
    { pattern: /^\s*(?:if|elif|while)\s+(?:False|0|None|not\s+True)\s*:/ },
    {
      pattern:
        /@(?:hypothesis\.)?given\s*\(.*\b(?:just|nothing)\s*\(|@(?:hypothesis\.)?given\s*\(\s*(?:\w+\s*=\s*)?(?:\w+\.)?none\s*\(/,
      fineIfNew: true,
    },
  ],
  swallows: [
    { pattern: /\bunittest\.main\s*\(.*\bexit\s*=\s*False\b/ },
    { pattern: /\bos\._exit\s*\(\s*0|\bsys\.exit\s*\(\s*0?\s*\)|(?<![.\w])(?:quit|exit)\s*\(\s*0?\s*\)/ },
    { pattern: /\bexcept\s+\(?\s*(?:\w+\s*,\s*)*AssertionError\b/ },
    { pattern: /\bsuppress\s*\(\s*(?:AssertionError|Exception|BaseException)/ },
    {
      pattern:
        /\bdef\s+pytest_(?!addoption|configure|generate_tests|report_header|assertrepr_compare|addhooks|unconfigure)\w+/,
      fineIn: looksOn,
    },
    {
      pattern: /\bconfig\.(?:option\.\w+|args)\s*=|\.outcome\s*=(?!=)|\batexit\.register\b/,
    },
    {
      pattern:
        /^\s*pytest_(?!addoption|configure|generate_tests|report_header|assertrepr_compare|addhooks|unconfigure|plugins)\w+\s*(?::[^=]*)?=(?!=)|^\s*(?:from|import)\b.*\bpytest_(?:runtest|collection|pyfunc|collect|sessionfinish|itemcollected|pycollect|ignore|deselected|exception)\w*/,
    },
    { pattern: /^\s*def\s+(?:run|__call__|defaultTestResult)\s*\(\s*self\b/, fineIn: isOfNoTests },
    {
      pattern:
        /\b\w*(?:golden|expected|snapshot|approved|baseline)\w*(?:\.write_(?:text|bytes)\s*\(|\.open\s*\(\s*["']w)/i,
      inStrings: true,
      fineIn: isAsked,
    },
    { pattern: /\bsession\.exitstatus\s*=|\bforce_result\s*\(|\bwasSuccessful\b/ },
  ],
  redefines: [
    /\b(?:unittest\.)?TestCase\.\w+\s*=(?!=)|\bsetattr\s*\(\s*(?:unittest\.)?TestCase\b/,
    /\bbuiltins\.\w+\s*=|\bAssertionError\s*=(?!=)|\bclass\s+AssertionError\b/,
    /\bdef\s+assert(?:Equals?|True|False|In|Is|Raises|DictEqual|ListEqual|AlmostEqual)\s*\(/,
    /\b(?:pytest|np\.testing|numpy\.testing)\.\w+\s*=(?!=)/,
    /\bdef\s+__eq__\s*\(/,
    /\bsys\.modules\s*\[/,
  ],
  mocks: [
    /\bMock\s*\(\s*spec(?:_set)?\s*=\s*(\w+)|\bcreate_autospec\s*\(\s*(\w+)/,
    /\bpatch\s*\(\s*["']([\w.]+)["']/,
    /\bpatch\.object\s*\(\s*\w+(?:\.\w+)*\s*,\s*["'](\w+)["']/,
    /\bmonkeypatch\.setattr\s*\(\s*["']([\w.]+)["']/,
    /\b(?:monkeypatch\.)?setattr\s*\(\s*\w+(?:\.\w+)*\s*,\s*["'](\w+)["']/,
    /^\s*(?:\w+\.)+(\w+)\s*=\s*(?:lambda\b|(?:Magic)?Mock\b|mock\.)/,
  ],
  notices: [
    /\b__qualname__\b.*(?:[tT]est|<locals>)|\b__module__\b.*["'](?:conftest|tests?)\b|\b__file__\b.*["'](?:conftest|test_)/,
    /["'](?:pytest|_pytest|unittest|nose)["']\s+(?:not\s+)?in\s+sys\.modules|\bsys\.modules\.get\s*\(\s*["'](?:_?pytest|unittest)/,
    /\bhasattr\s*\(\s*mail\s*,\s*["']outbox|["']testserver["']|\bsettings\.(?:TESTING|TEST_RUNNER|IN_TESTS?)\b|\b(?:settings_dict|DATABASES)\b.*["']test_?["']/,
    /\bhasattr\s*\([^,]+,\s*["']assert_called\w*["']|\bisinstance\s*\([^)]*\b(?:Magic|NonCallable|Async)?Mock\b/,
    /PYTEST_CURRENT_TEST|PYTEST_XDIST|["']PYTEST\w*["']/,
    /\bos\.(?:environ(?:\.get\s*\(\s*|\s*\[\s*)|getenv\s*\(\s*)["'](?:CI|TESTING|TEST|GITHUB_ACTIONS|TOX\w*|BATON\w*)["']/,
    /\bsys\.argv\b.*(?:pytest|unittest|test)|\binspect\.stack\s*\(\s*\).*test|\bhasattr\s*\(\s*sys\s*,\s*["']_called_from_test/,
  ],
  suppressions: [
    {
      pattern: /\btype:\s*ignore\b|\bpyright:\s*ignore|\bmypy:\s*ignore|\bpyre-(?:ignore|fixme)/,
      inComments: true,
    },
    {
      pattern: /\bnoqa\b|\bpylint:\s*(?:disable|skip-file)|\bflake8:\s*noqa|\bruff:\s*noqa|\bnosec\b/,
      inComments: true,
    },
    { pattern: /\bpragma:\s*no\s*(?:cover|branch)|\bfmt:\s*(?:off|skip)\b/, inComments: true },
    { pattern: /@(?:typing\.)?no_type_check\b/ },
  ],
};
