import type { Language } from './language.ts';

/** Ruby with rspec, minitest and test-unit. */
export const ruby: Language = {
  name: 'Ruby',
  files: /\.(rb|rake)$/,
  syntax: { line: ['#'], block: [['\n=begin', '\n=end']], quotes: `"'`, end: /^__END__$/ },
  found: /(_spec|_test)\.rb$|(^|\/)test_[^/]*\.rb$/,
  cases:
    /^\s*(?:it|specify|example|scenario|test|should|xit|fit|pending|skip)\s*(?:\(|["'{]|do\b)|^\s*def\s+test_\w*/g,
  tables: /\.each\b|=\s*[[{]\s*$/,
  assertions:
    /(?<![.\w])expect\b\s*[({]|(?<![.\w])(?:assert|refute)(?:_\w+)?[ (]|\bmust_\w+|\bwont_\w+|\bis_expected\b|\.should\b|(?<![.\w])flunk\b/g,
  exact:
    /\b(?:eq|eql|equal|be|be_nil|contain_exactly|match_array)\b[ (]|assert_(?:equal|nil|same)|refute_(?:equal|nil|same)|must_(?:equal|be_nil)|==|\bbe_nil\b/,
  partial:
    /\b(?:include|match|raise_error|start_with|be_(?:a|an|within|between|instance_of)|have_attributes|change)\b|assert_(?:raises|includes|match|in_delta|kind_of|instance_of|operator)|[<>]=?|must_(?:include|raise|match)/,
  same: [
    [/\bchange\s*\{\s*(\w+)\.(\w+)\s*\}/g, 'change($1, :$2)'],
    [
      /%[iI][[(][^\])]*[\])]/g,
      (found) =>
        `[${found
          .slice(3, -1)
          .trim()
          .split(/\s+/)
          .map((one) => `:${one}`)
          .join(', ')}]`,
    ],
    [/\\Z(?=\/[a-z]*\))/, String.raw`\z`],
  ],
  hollow: [
    /^expect\s*\(\s*(true|1|nil|"[^"]*"|\d+)\s*\)\.to\s+(?:eql?|be|equal)\s*[( ]\s*\1\b/,
    /^expect\s*\(\s*true\s*\)\.to\s+be_(?:truthy|true)|^expect\s*\(\s*(.+?)\s*\)\.to\s+eql?\s*[( ]\s*\1\s*\)?\s*$/,
    /^assert[ (]\s*(?:true|1)\b|^refute[ (]\s*(?:false|nil)\b/,
    /^assert_equal[ (]\s*([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*(?:[,)]|$)/,
    /\|\|\s*true\b|\bbe_truthy\.or\b|\bto\s+be\(anything\)|\beq\(anything\)/,
    /^expect\s*\([^()]*(?:\([^()]*\))?[^()]*\)$/,
  ],
  skips: [
    { pattern: /^\s*(?:xit|xdescribe|xcontext|xspecify|xexample|fit|fdescribe|fcontext|fspecify|focus)\b/ },
    { pattern: /^\s*(?:skip|pending|omit|pend)\b(?!\s*=)/ },
    { pattern: /(?:,\s*|\()(?::skip|:pending|:focus|:disabled|skip:|pending:|focus:)/ },
    { pattern: /^\s*(?:if|unless|while)\s+(?:false|nil|true)\s*$|\bif\s+false\s*$|\bunless\s+true\s*$/ },
    { pattern: /\bretry:\s*[1-9]|\bfilter_run\w*\b/ },
  ],
  swallows: [
    {
      pattern:
        /\bexit!?\s*(?:\(\s*)?(?:0|true)\b|^\s*exit!?\s*$|\bat_exit\b(?!\s*\{\s*(?:FileUtils|File|Dir|\w+\.(?:stop|close|quit|shutdown))\b[^;{}]*\}\s*$)/,
    },
    {
      pattern:
        /\brescue\b.*\b(?:Exception|ExpectationNotMetError|Minitest::Assertion)\b|\brescue\s+(?:nil|true)\b/,
    },
    { pattern: /^\s*def\s+(?:run|run_one_method|passed\?|failures|skipped\?)(?![\w?])/ },
    {
      pattern:
        /\.(?:around|around_example)\b.*rescue|\bset_exception\b|:@exceptions?\b|\b(?:failure|error_outside_of_examples|error)_exit_code\s*=/,
    },
  ],
  redefines: [
    /^\s*def\s+(?:self\.)?(?:assert(?:_equal|_nil|_raises|_same|_includes|_match|_in_delta|_in_epsilon|_empty|_operator|_predicate|_kind_of|_instance_of|_respond_to|_throws|_output)?|refute(?:_equal|_nil|_empty|_includes|_match|_same)?|expect|flunk)\b/,
    /\bMinitest::Assertions\b(?!\s*$)|(?<!\binclude )\bRSpec::(?:Expectations|Matchers)\b(?!\.define\s*\(?\s*:(?!(?:eq|eql|equal|be|be_\w+|include|match|raise_error|contain_exactly|match_array)\b))|\bmodule\s+Assertions\b/,
    /\b(?:alias|alias_method|define_method)\b.*\b(?:assert\w*|expect|to|not_to)\b/,
    /\bclass\s+(?:Minitest::Test|Integer|String|Array|Float|Object|BasicObject)\b(?!\s*::)/,
  ],
  mocks: [
    /\ballow(?:_any_instance_of)?\s*\(.*\)\.to\s+receive\s*\(\s*:(\w+)/,
    /\ballow(?:_any_instance_of)?\s*\(.*\)\.to\s+receive_messages\s*\(\s*:?(\w+)/,
    /\.stubs?\s*\(?\s*:(\w+)/,
    /\bdef\s+(?!self\b)[a-z_]\w*\.(\w+)/,
    /\bdefine_singleton_method\s*\(?\s*:(\w+)/,
  ],
  notices: [
    /\bdefined\?\s*\(?\s*(?:::)?(?:RSpec|Minitest|Test::Unit|MiniTest)\b/,
    /\bENV(?:\.fetch\s*\(\s*|\s*\[\s*)["'](?:CI|TESTING|TEST|GITHUB_ACTIONS|BATON\w*)["']|\bENV\b.*\b(?:RAILS|RACK)_ENV\b.*["']test["']|\bRails\.env\.test\?/,
    /\$(?:PROGRAM_NAME|0)\b.*(?:rspec|test|minitest)|\bcaller(?:_locations)?\b.*(?:spec|test)/,
  ],
  suppressions: [
    {
      pattern: /\brubocop:(?:disable|todo)\b|:nocov:|\bsteep:ignore\b|\btyped:\s*(?:false|ignore)\b/,
      inComments: true,
    },
  ],
};
