import type { Language } from './language.ts';

/** C and C++ with assert.h, GoogleTest, Catch2, doctest, Check, cmocka and Unity. */
export const c: Language = {
  name: 'C',
  files: /\.(c|cc|cpp|cxx|h|hh|hpp|m|mm)$/,
  syntax: {
    line: ['//'],
    block: [
      ['/*', '*/'],
      ['\n#if 0', '\n#endif'],
    ],
    quotes: `"'`,
  },
  found: /(^|[/_.-])[tT]ests?[^/]*\.(c|cc|cpp|cxx)$|[tT]ests?\.(c|cc|cpp|cxx)$/,
  cases:
    /^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TEST_CASE|TEST_CASE_METHOD|SCENARIO|BOOST_AUTO_TEST_CASE|START_TEST)\s*\(|\b(?:RUN_TEST|cmocka_unit_test\w*|tcase_add_test)\s*\(|^\s*(?:static\s+)?(?:void|int)\s+test\w*\s*\(/g,
  tables: /=\s*\{\s*$|\bfor\s*\(|INSTANTIATE_TEST_SUITE_P|\bGENERATE\s*\(/,
  assertions:
    /\b(?:ASSERT|EXPECT)_\w+\s*\(|\b(?:REQUIRE|CHECK)(?:_\w+)?\s*\(|(?<![.\w])(?:static_)?assert(?:_\w+)?\s*\(|\bck_assert\w*\s*\(|\bTEST_ASSERT\w*\s*\(|\bBOOST_(?:CHECK|REQUIRE|TEST)\w*\s*\(|\bif\s*\([^{}]*(?:[!=]=|strcmp)[^{}]*\)\s*\{?\s*(?:return\s+[1-9]|exit\s*\(\s*[1-9]|abort)/g,
  exact:
    /^(?!.*\bstrncmp\b).*(?:_(?:EQ|STREQ|NE|STRNE|FLOAT_EQ|DOUBLE_EQ|equal|not_equal|eq|ne)\b|_EQUAL\w*\b|==|!=|strcmp|memcmp)/,
  partial: /_(?:GT|GE|LT|LE|NEAR|THROW\w*|THROWS\w*|range)\b|[<>]=?|strstr|strncmp/,
  hollow: [
    /^(?:ASSERT|EXPECT)_TRUE\s*\(\s*(?:true|1)\s*\)|^(?:ASSERT|EXPECT)_FALSE\s*\(\s*(?:false|0)\s*\)/,
    /^(?:REQUIRE|CHECK|assert|ck_assert|TEST_ASSERT|assert_true)\s*\(\s*(?:true|1)\s*\)/,
    /^\w+_(?:EQ|STREQ|equal|eq|EQUAL\w*)\s*\(\s*([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*\)/,
    /^\w+\s*\(\s*(.+?)\s*==\s*\1\s*\)/,
    /\|\|\s*(?:true|1)\b/,
    /^(?:CHECK|REQUIRE)_NOFAIL\b/,
  ],
  skips: [
    { pattern: /\bGTEST_SKIP\s*\(|\bDISABLED_\w+|\bTEST_IGNORE\w*\s*\(|\bskip\s*\(\s*\)|\bSKIP\s*\(/ },
    {
      pattern:
        /^\s*(?:TEST_CASE|TEST_CASE_METHOD|SCENARIO|TEMPLATE_TEST_CASE)\s*\(.*\[(?:\.|!(?:hide|mayfail|shouldfail)\b)/,
      inStrings: true,
    },
    { pattern: /\bdoctest::(?:skip|may_fail|should_fail)/ },
    {
      pattern:
        /^\s*#\s*if\s+(?:0|false)\b|^\s*#\s*ifdef\s+(?:NEVER|DISABLED\w*|SKIP\w*)\b|\bif\s*\(\s*(?:0|false)\s*\)/,
    },
  ],
  swallows: [
    { pattern: /(?<![.\w])_?[eE]xit\s*\(\s*(?:0|EXIT_SUCCESS)\s*\)|\bquick_exit\s*\(\s*0/ },
    { pattern: /\bcatch\s*\(\s*\.\.\.\s*\)|\bsignal\s*\(\s*SIGABRT|\batexit\s*\(/ },
  ],
  redefines: [
    /^\s*#\s*(?:define\s+NDEBUG|(?:define|undef)\s+(?:assert|(?:ASSERT|EXPECT)_(?:EQ|NE|LT|LE|GT|GE|TRUE|FALSE|STR\w+|NEAR|FLOAT_EQ|DOUBLE_EQ|\w*THROW|\w*DEATH\w*|THAT|EXIT|PRED\w*)|REQUIRE|CHECK|ck_assert\w*|TEST_ASSERT\w*|BOOST_\w+))\b/,
  ],
  mocks: [/^\s*#\s*define\s+(?!(?:ASSERT|EXPECT|CHECK|REQUIRE)_)(\w+)\s*\(/],
  notices: [
    /\bgetenv\s*\(\s*"(?:CI|TESTING|TEST|GTEST\w*|GITHUB_ACTIONS|BATON\w*)"/,
    /^\s*#\s*if(?:n?def)?\b.*\b(?:UNIT_TEST\w*|TESTING|TEST_BUILD|GTEST\w*|IS_TEST)\b/,
    /program_invocation\w*.*test|\bargv\s*\[\s*0\s*\].*test/,
  ],
  suppressions: [
    {
      pattern: /\bNOLINT\w*|\bclang-format\s+off|\bcppcheck-suppress\b|\b(?:LCOV|GCOV|GCOVR)_EXCL\w*/,
      inComments: true,
    },
    {
      pattern:
        /^\s*#\s*pragma\s+(?:GCC|clang)\s+(?:diagnostic\s+ignored|system_header)|^\s*#\s*pragma\s+warning\s*\(\s*disable/,
    },
  ],
};
