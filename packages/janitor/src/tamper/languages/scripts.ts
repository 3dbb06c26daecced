import type { Language } from './language.ts';
import { others } from './others.ts';

/** Perl with Test::More and its relatives. */
export const perl: Language = {
  ...others,
  name: 'Perl',
  files: /\.(pl|pm|t)$/,
  syntax: { line: ['#'], block: [['\n=', '\n=cut']], quotes: `"'`, end: /^__(?:END|DATA)__$/ },
  found: /\.t$/,
  cases: /\bsubtest\s+/g,
  tables: /\bfor(?:each)?\b|=\s*\(\s*$|\[\s*$/,
  assertions:
    /(?<![\w$@%&>:-])(?:ok|is|isnt|like|unlike|is_deeply|cmp_ok|cmp_deeply|isa_ok|can_ok|new_ok|throws_ok|dies_ok|lives_ok|lives_and|eq_or_diff)\b\s*[( ]/g,
  exact: /^(?:is|is_deeply|cmp_deeply|eq_or_diff)\b|==|\beq\b/,
  same: [
    [/(?<=,\s?)qr\//g, '/'],
    [/\\[zZ](?=\/)/g, '$'],
  ],
  partial: /^(?:like|isa_ok|can_ok|throws_ok|dies_ok|lives_ok)\b|[<>]=?/,
  hollow: [/^ok\s*\(\s*1\b/, /\|\|\s*1\b/, /^is(?:_deeply)?\s*\(\s*([^,]+?)\s*,\s*\1\s*[,)]/],
  skips: [
    { pattern: /\bskip_all\b|(?<![\w$>:])(?:skip|todo_skip)\s*[( ]|\$TODO\s*=|\bBAIL_OUT\b/ },
    { pattern: /\bif\s*\(?\s*0\s*\)?/ },
  ],
  swallows: [{ pattern: /(?<![\w$>])exit(?:\s*\(?\s*0\s*\)?)?\s*;|\$\?\s*=\s*0\b/ }],
  redefines: [
    /\bsub\s+(?:ok|is|isnt|like|is_deeply|cmp_ok)\b|\*(?:\w+::)*(?:ok|is|like|is_deeply)\s*=|\$INC\{[^}]*\}\s*=/,
  ],
};

/** Lua with busted and luaunit. */
export const lua: Language = {
  ...others,
  name: 'Lua',
  files: /\.lua$/,
  syntax: { line: ['--'], block: [['--[[', ']]']], quotes: `"'` },
  found: /_(?:spec|test)\.lua$|(^|\/)test_[^/]*\.lua$/,
  cases: /^\s*(?:it|test|pending)\s*\(|\bfunction\s+(?:\w+[.:])*test\w*/g,
  tables: /\bi?pairs\s*\(|=\s*\{\s*$/,
  assertions:
    /(?<![.\w])assert(?:\.\w+)*\s*\(|\bassert[A-Z]\w*\s*\(|\blu\.assert\w+\s*\(|(?<![.\w])error\s*\(/g,
  exact: /^assert(?:\.\w+)*\.(?:same|equals?|are|Equal\w*|is_nil|is_true|is_false)|[aA]ssert(?:Equals|Is)|==/,
  partial: /has_error|\berror_?matches|matches|is_|has_|[<>~]=?/,
  hollow: [
    /^assert(?:\.\w+)*\s*\(\s*true\s*\)|\bor\s+true\b/,
    /^\w+(?:\.\w+)*\s*\(\s*([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*[,)]/,
  ],
  skips: [{ pattern: /(?<![.\w])pending\s*\(|\b(?:lu|luaunit)\.skip\w*\s*\(|\bif\s+false\s+then/ }],
  swallows: [{ pattern: /\bx?pcall\s*\(.*\bassert\b/ }, { pattern: /\bos\.exit\s*\(\s*(?:0|true)?\s*[,)]/ }],
  mocks: [/\bpackage\.(?:loaded|preload)\s*(?:\[\s*["']|\.)([\w./]+)(?:["']\s*\])?\s*=(?!=)(?!\s*nil\b)/],
  redefines: [/(?:^|\s)(?:_G\.)?assert(?:\.\w+)*\s*=(?!=)|\bfunction\s+assert\b/],
};

/** Haskell with Hspec, HUnit, Tasty and QuickCheck. */
export const haskell: Language = {
  ...others,
  name: 'Haskell',
  files: /\.hs$/,
  syntax: { line: ['--'], block: [['{-', '-}']], quotes: '"' },
  found: /(?:Spec|Test\w*)\.hs$/,
  cases: /(?<![\w.'])(?:it|prop|specify|testCase|testProperty)\s+"/g,
  tables: /\bforM?_?\b|\bmapM_\b|=\s*\[?\s*$|^\s*\[/,
  assertions: /(?<=\S.*)`should\w+`|\S+.*?(?:@\?=|@=\?|===)|\bassert\w+\s|\bshould[A-Z]\w*\s/g,
  exact: /`shouldBe`|`shouldReturn`|@\?=|@=\?|===|assertEqual|==/,
  partial: /`should(?:Contain|StartWith|EndWith|Throw|Satisfy|MatchList|NotBe)`|[<>]=?/,
  hollow: [
    /`shouldSatisfy`\s*\(?\s*(?:const\s+True|\\_\s*->\s*True)/,
    /\|\|\s*True\b/,
    /^(.+?)\s*`shouldBe`\s*\1$/,
    /\bassertBool\s+"[^"]*"\s+True\b/,
  ],
  skips: [
    {
      pattern:
        /(?<![\w.'])(?:xit|xspecify|xdescribe|xcontext|fit|fdescribe|focus|pending|pendingWith|ignoreTest\w*|expectFail\w*)\b/,
    },
    { pattern: /\S\s*==>/, fineIfNew: true },
    {
      pattern:
        /\bwithMaxSuccess\s+\(?\d{1,2}\b|\bmodifyMaxSuccess\s*\(?\s*\(?(?:const\s+\d{1,2}\b|`div`)|\bQuickCheckTests\s+\d{1,2}\b|(?<![\w.'])once\s*[$(]/,
      fineIfNew: true,
    },
  ],
  swallows: [
    {
      pattern: /\bexitSuccess\b|\bcatch\s*`?\s*\\?\s*\(?\s*(?:\(?_\w*\s*::\s*)?SomeException|\bhspecResult\b/,
    },
  ],
  redefines: [/^\s*(?:shouldBe|shouldReturn|shouldSatisfy|assertEqual|\(@\?=\))\s+(?:::|\w+.*=)/],
};
