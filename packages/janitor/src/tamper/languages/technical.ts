import type { ReadLine } from './body.ts';
import type { Language } from './language.ts';
import { others } from './others.ts';

/** R with testthat, RUnit and tinytest. */
export const r: Language = {
  ...others,
  name: 'R',
  files: /\.r$/i,
  syntax: { line: ['#'], block: [], quotes: `"'` },
  found: /(^|\/)test\w*[-_.]?[^/]*\.r$|\.r$/i,
  cases: /\btest_that\s*\(|(?<![.\w])it\s*\(/g,
  tables: /\bfor\s*\(|\b[lsmv]?apply\s*\(|\bpurrr::|\b(?:data\.frame|tribble|list)\s*\(\s*$/,
  assertions:
    /(?<![.\w])(?:expect_\w+|stopifnot|check(?:Equals\w*|True|Identical|Exception)|assert_that)\s*\(/g,
  exact:
    /^expect_(?:equal|identical|null|length|named|setequal|mapequal|equivalent)\b|^check(?:Equals|Identical)|==/,
  partial:
    /^expect_(?:error|warning|message|condition|match|gte?|lte?|s[34]_class|type|no_error|output|vector)\b|[<>]=?/,
  forgets: /\btolerance\b|\bignore_attr\b|\bcheck\.attributes\b|\bexpect_(?:setequal|equivalent)\b/,
  same: [],
  hollow: [
    /^(?:expect_true|stopifnot|checkTrue)\s*\(\s*T(?:RUE)?\s*\)|\|\|?\s*TRUE\b/,
    /^\w+\s*\(\s*([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*[,)]/,
  ],
  skips: [
    { pattern: /(?<![.\w])skip(?:_\w+)?\s*\(|\bif\s*\(\s*(?:F|FALSE|0)\s*\)/ },
    { pattern: /(?<![.\w])return\s*\(\s*(?:invisible\s*\(.*\)|NULL)?\s*\)/, fineIfNew: true },
  ],
  swallows: [
    { pattern: /\b(?:try|tryCatch|suppressWarnings)\s*\(\s*\{?\s*expect_/ },
    { pattern: /(?<![.\w])(?:quit|q)\s*\(/ },
  ],
  redefines: [/(?:^|\s)expect_\w+\s*(?:<-|=)\s*function|\bassign(?:InNamespace)?\s*\(\s*["']expect_/],
  mocks: [
    /\b(?:local_mocked_bindings|with_mocked_bindings|with_mock|local_mock)\s*\(\s*`?([\w.]+)/,
    /\bstub\s*\(\s*[\w.]+\s*,\s*["']([\w.]+)/,
  ],
  notices: [/\bSys\.getenv\s*\(\s*["'](?:TESTTHAT|CI|NOT_CRAN)|\bis_testing\s*\(|\btesting_package\s*\(/],
  suppressions: [{ pattern: /\bno(?:lint|cov)\b/, inComments: true }],
};

/** Julia with its own Test. */
export const julia: Language = {
  ...others,
  name: 'Julia',
  files: /\.jl$/,
  syntax: { line: ['#'], block: [['#=', '=#']], quotes: '"', long: ['"""'] },
  cases: /@(?:testset|testitem)\b/g,
  tables: /\bfor\b|[[(]\s*$/,
  assertions: /@test(?:_(?!broken|skip)\w+)?(?=\s*[\s(])/g,
  exact: /===?|≡|\bisequal\b/,
  partial: /^@test_\w+|≈|\bisapprox\b|\boccursin\b|\b(?:starts|ends)with\b|[<>]=?|\bisa\b/,
  forgets: /\b[ar]tol\b|≈|\bisapprox\b/,
  same: [],
  hollow: [/^@test\s+true\b|\|\|\s*true\b/, /^@test\s+(.+?)\s*===?\s*\1\s*$/],
  skips: [{ pattern: /@test_(?:broken|skip)\b|\b(?:skip|broken)\s*=\s*(?!false\b)|\bif\s+false\b/ }],
  swallows: [{ pattern: /(?<![.\w])exit\s*\(\s*0?\s*\)/ }, { pattern: /\btry\b.*@test/ }],
  redefines: [/\bmacro\s+test\w*\s*\(/],
  mocks: [],
  notices: [
    /\bENV\s*\[\s*"(?:CI|TEST\w*|JULIA_\w*TEST\w*)"|\bget\s*\(\s*ENV\s*,\s*"(?:CI|TEST)|@isdefined\s*\(?\s*Test\b|isdefined\s*\(\s*Main\s*,\s*:Test/,
  ],
  suppressions: [{ pattern: /\bCOV_EXCL_\w+/, inComments: true }],
};

/** Whether a line of Zig is one of a function, which may follow the first test of its file. */
function isInFunction(code: readonly ReadLine[], line: ReadLine): boolean {
  const owner = code.findLast(
    ({ at, text }) => at <= line.at && /^(?:test\b|(?:pub\s+|inline\s+)*fn\b)/.test(text),
  );
  return owner !== undefined && !owner.text.startsWith('test');
}

/** Zig, whose tests lie beside the code. */
export const zig: Language = {
  ...others,
  name: 'Zig',
  files: /\.zig$/,
  syntax: { line: ['//'], block: [], quotes: `"'` },
  found: /\.zig$/,
  inline: /^\s*test\s*["\w{]/,
  cases: /^\s*test(?=\s*["{]|\s+\w+\s*\{)/g,
  tables: /\bfor\s*\(|\[_\]|\.\{\s*$/,
  assertions: /\b(?:\w+\.)*expect(?:Equal\w*|Error|ApproxEq\w+|String\w+|Fmt)?\s*\(/g,
  exact: /expectEqual|expectFmt|==/,
  partial: /expectError|ApproxEq|StartsWith|EndsWith|[<>]=?/,
  forgets: /ApproxEq/,
  same: [],
  hollow: [
    /expect\s*\(\s*true\b|\bor\s+true\b/,
    /expectEqual\w*\s*\(\s*([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*\)/,
  ],
  skips: [
    { pattern: /\berror\.SkipZigTest\b|\bif\s*\(\s*false\s*\)/ },
    { pattern: /\breturn\s*(?:;|else\b)/, fineIfNew: true, fineIn: isInFunction },
  ],
  swallows: [
    { pattern: /\bexpect\w*\s*\(.*\bcatch\b/ },
    { pattern: /\b(?:process|posix|os)\.exit\s*\(\s*0\s*\)/ },
  ],
  redefines: [/\bfn\s+expect(?:Equal\w*|Error)?\s*\(/],
  mocks: [],
  notices: [/\.is_test\b/],
  suppressions: [{ pattern: /@setRuntimeSafety\s*\(\s*false/ }],
};

/** OCaml with Alcotest, OUnit and inline tests. */
export const ocaml: Language = {
  ...others,
  name: 'OCaml',
  files: /\.mli?$/,
  syntax: { line: [], block: [['(*', '*)']], quotes: '"' },
  found: /\.ml$/,
  cases: /\btest_case\b|>::|\blet%(?:test\w*|expect_test)\b|\bTest\.make\b/g,
  tables: /\bList\.(?:iter|map)i?\b|\[\s*$/,
  assertions:
    /(?<![.\w])(?:Alcotest\.)?check(?:_raises|')?\s|(?<![.\w])assert(?:_\w+)?\s|\[%(?:expect|test_\w+)|\blet%test\b/g,
  exact: /^(?:Alcotest\.)?check\b(?!_)|assert_equal|(?<![<>!])=|\[%(?:expect|test_(?:eq|result))/,
  partial: /check_raises|assert_raises|[<>]=?/,
  forgets: /~(?:cmp|eps)\b|\bslist\b/,
  // The text is what is printed when it fails.
  same: [[/^((?:Alcotest\.)?check\s+(?:\([^)]*\)|[\w.]+))\s+"[^"]*"/, '$1']],
  hollow: [
    /\bassert\s+true\b|\|\|\s*true\b/,
    /\bassert_equal(?:\s+~\w+:(?:\([^()]*\)|\S+))*\s+(\((?:[^()]|\([^()]*\))*\)|[^\s()]+)\s+\1\s*(?:;|\)|$)/,
    /\bcheck\s+\S+\s+"[^"]*"\s+(\((?:[^()]|\([^()]*\))*\)|[^\s()]+)\s+\1\s*(?:;|\)|in\b|$)/,
  ],
  skips: [
    { pattern: /`Slow\b/, fineIfNew: true },
    { pattern: /\bAlcotest\.skip\b|(?<![.\w])skip_if\b|(?<![.\w])(?:skip|todo)\s+(?:\(\)|")|\bif\s+false\b/ },
  ],
  swallows: [
    { pattern: /\btry\b.*\b(?:check|assert)\w*\b|\bwith\s+_\s*->\s*\(\)/ },
    { pattern: /(?<![.\w])exit\s+0\b/ },
  ],
  redefines: [/\blet\s+(?:check|check_raises|assert_equal|test_case)\s+[\w_(~]/],
  mocks: [],
  notices: [/\bSys\.getenv\w*\s+"(?:CI|ALCOTEST\w*|INSIDE_DUNE)"|\bam_testing\b/i],
  suppressions: [{ pattern: /\[@{1,3}(?:ocaml\.)?warning\b|\[@{1,3}coverage\s+off/ }],
};
