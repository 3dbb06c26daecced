import { expectsPanic } from './harmless.ts';
import type { Language } from './language.ts';

/** Go's own tests, also with testify. */
export const go: Language = {
  name: 'Go',
  files: /\.go$/,
  syntax: { line: ['//'], block: [['/*', '*/']], quotes: `"'`, long: ['`'] },
  found: /_test\.go$/,
  lost: /(?:^|\/)[_.][^/]*$|(?:^|\/)(?:testdata|vendor|_[^/]*)\/|_(?:aix|android|darwin|dragonfly|freebsd|illumos|ios|js|netbsd|openbsd|plan9|solaris|wasip1|wasm|windows|arm|mips\w*|ppc64\w*|riscv64|s390x)_test\.go$/,
  cases: /^\s*func\s+(?:Test|Benchmark|Fuzz|Example)(?:[A-Z_0-9]\w*)?\s*\(/g,
  tables: /\[\]struct\s*\{|^\s*\}\{\s*$|\[\]\w+\s*\{|\bmap\[\w+\]|\brange\b/,
  assertions:
    /\b[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|(?<![.\w])(?:assert|require|is|g|qt)\.[A-Z]\w*\s*\(|\bpanic\s*\(|\.Assert(?:Expectations|Called|NotCalled|NumberOfCalls)\s*\(/g,
  exact:
    /[!=]=|\berrors\.Is\s*\(|\.(?:Equal\w*|EqualValues|EqualError|ErrorIs|Len|Exactly|JSONEq|Nil|NoError|NotEqual)\s*\(|DeepEqual|cmp\.Diff/,
  partial:
    /[<>]=?|\.(?:Contains|ElementsMatch|Error|ErrorContains|InDelta|Greater\w*|Less\w*|Regexp)\s*\(|strings\.\w+\(/,
  forgets:
    /\(\s*\w+\s*[!=]=\s*nil\s*\)\s*[!=]=|\bcmpopts\.(?:Ignore\w+|EquateApprox\w*|EquateEmpty|Sort\w+)\b/,
  guard: /^\s*(?:\}\s*else\s+)?if\b.*\{\s*$/,
  hollow: [
    /^if\s+(\S+)\s*=\s*(\S+);\s*(?:\2\s*!=\s*\1|\1\s*!=\s*\2)(?=\s|$)/,
    /^(?:assert|require)\.True\s*\(\s*(?:t\s*,\s*)?true\b/,
    /^(?:assert|require)\.\w*Equal\w*\s*\(\s*(?:t\s*,\s*)?([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*[,)]/,
    /^if\s+(?:false|true\s*==\s*false)\b/,
    /^if\b.*&&\s*false\b/,
    /^if\s+(?:.*;\s*)?(\w+(?:\([^()]*\))?)\s*!=\s*\1\s*\{/,
  ],
  skips: [
    { pattern: /\b[tbf]\.(?:Skip|Skipf|SkipNow)\s*\(/ },
    { pattern: /\bif\s+false\s*\{/ },
    { pattern: /\btesting\.Short\s*\(\s*\)|\bruntime\.GOOS\b/, fineIfNew: true },
    { pattern: /\bfunc\s+TestMain\s*\(/, unless: /\.Run\s*\(\s*\)/ },
    {
      pattern:
        /^\s*(?:go:build|\+build)\s+(?:!?(?:linux|darwin|windows|unix|freebsd|amd64|arm64|cgo|race|integration|e2e|go1\.\d+)\b[\s&|,]*)+$/,
      inComments: true,
      fineIfNew: true,
    },
    {
      pattern:
        /^\s*(?:go:build|\+build)\s+(?!(?:!?(?:linux|darwin|windows|unix|freebsd|amd64|arm64|cgo|race|integration|e2e|go1\.\d+)\b[\s&|,]*)+$)/,
      inComments: true,
    },
  ],
  swallows: [
    { pattern: /\bos\.Exit\s*\(\s*0\s*\)/ },
    { pattern: /\brecover\s*\(\s*\)/, fineIn: expectsPanic },
  ],
  redefines: [
    /\bfunc\s*\(\s*\w*\s*\*?\w+\s*\)\s*(?:Errorf?|Fatalf?|Fail|FailNow)\s*\(/,
    /\bt\s*(?::=|=)\s*(?:&|new\s*\()\s*testing\.T\b/,
    /\bvar\s+(?:assert|require)\b|\b(?:assert|require)\.\w+\s*\(\s*(?:new\s*\(\s*testing\.T\b|&testing\.T\s*\{)/,
  ],
  mocks: [/^\s*(?:\w+\.)*(\w+)\s*=\s*func\s*\(/],
  notices: [
    /\btesting\.Testing\s*\(\s*\)|\bflag\.Lookup\s*\(\s*"test\.v"/,
    /\bos\.Args\b.*(?:\.test|-test\.)|HasSuffix\s*\(\s*os\.Args\s*\[\s*0/,
    /\bos\.(?:Getenv|LookupEnv)\s*\(\s*"(?:CI|TESTING|TEST|GO_TEST\w*|GITHUB_ACTIONS|BATON\w*)"/,
    /runtime\.Caller\b.*_test\.go|"_test\.go"/,
  ],
  suppressions: [
    { pattern: /^\s*(?:nolint|lint:ignore|lint:file-ignore|#nosec|nosec)\b|^\s*#nosec/, inComments: true },
  ],
};
