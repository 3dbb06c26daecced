import type { Language } from './language.ts';

const runner = '(?:it|test|describe|suite|context|specify|bench)';

/** JavaScript and TypeScript with vitest, jest, mocha, ava, tap, playwright and node:test. */
export const javascript: Language = {
  name: 'JavaScript',
  files: /\.([cm]?[jt]sx?|vue|svelte)$/,
  syntax: { line: ['//'], block: [['/*', '*/']], quotes: `'"`, long: ['`'] },
  found: /(^|[/._-])(test|spec|cy|e2e)\.[cm]?[jt]sx?$|(^|\/)__tests__\//,
  cases:
    /(?<![.\w])(?:it|test|specify|scenario|xit|xtest|fit|ftest)(?:\.(?!describe\b|before|after|use\b|extend\b|step\b|info\b|setTimeout\b|slow\b|macro\b|configure\b|expect\b)\w+)*\s*(?:\(|`|<)/g,
  tables: /\.(?:each|for)\b|\bfor\s*\(|\.forEach\s*\(|=\s*\[\s*$/,
  assertions:
    /(?<![.\w])expect(?:\.soft|\.poll)?\s*\(|(?<![.\w])assert(?:\.\w+)*\s*\(|(?<![.\w])t\.(?:assert\.\w+|is|equal|equals|same|strictSame|deepEqual|not|ok|true|false|throws|rejects|like|match|snapshot)\s*\(|\.should\b(?=[.(])|(?<![.\w])cy\.(?:contains)\s*\(|\bif\s*\([^{}]*[!=]==?[^{}]*\)\s*\{?\s*(?:throw|process\.exit\s*\(\s*[1-9])/g,
  exact:
    /\.(?:toBe|toEqual|toStrictEqual|toHaveBeenCalledWith|toHaveBeenCalledTimes|toHaveBeenNthCalledWith|toHaveLength|toBeNull|toBeUndefined|toHaveText|toHaveValue|toMatchInlineSnapshot|toMatchSnapshot|equal|equals|eql|eq|is|same|strictSame|deepEqual|strictEqual|deepStrictEqual|notStrictEqual|notEqual|notDeepStrictEqual)\s*\(|[!=]==/,
  partial:
    /\.(?:toBeCloseTo|toMatchObject|toContain|toContainEqual|toMatch|toThrow|toThrowError|toBeGreaterThan\w*|toBeLessThan\w*|toBeInstanceOf|toHaveProperty|throws|throw|rejects|doesNotMatch|match|include|contain|property|instanceOf|like)\s*\(/,
  hollow: [
    /^expect\s*\(\s*(true|1|!0|"[^"]*"|\d+)\s*\)\s*\.(?:toBe|toEqual|toStrictEqual)\s*\(\s*\1\s*\)/,
    /^expect\s*\(\s*(?:true|1|!0|"[^"]+")\s*\)\s*\.(?:toBeTruthy|toBeDefined|to\.be\.(?:true|ok))/,
    /^(?:assert|t)(?:\.\w+)*\s*\(\s*(?:true|1|!0|!false)\s*[,)]/,
    /^(?:assert|t)\.\w*(?:[eE]qual|is|same)\w*\s*\(\s*([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*[,)]/,
    /^expect\s*\(\s*(.+?)\s*\)\s*\.(?:to\.)?(?:toBe|toEqual|toStrictEqual|equal|eql|deep\.equal)\s*\(\s*\1\s*\)/,
    /\|\|\s*(?:true|1)\b|\bexpect\.anything\s*\(\s*\)\s*\)\s*$/,
    /^expect\s*\([^()]*(?:\([^()]*\))?[^()]*\)$/,
    /\.(?:toBe|toEqual)\s*\(\s*expect\.anything\s*\(\s*\)/,
  ],
  skips: [
    {
      pattern: new RegExp(
        `(?<![.\\w])${runner}(?:\\.\\w+)*\\.(?:skip|only|todo|skipIf|runIf|fixme|failing|fails)\\b`,
      ),
    },
    { pattern: /(?<![.\w])(?:xit|xtest|xdescribe|xcontext|xspecify|fit|fdescribe|ftest|fcontext)\s*\(/ },
    { pattern: /\{[^}]*\b(?:skip|todo|only|fails)\s*:\s*(?!false)/ },
    {
      pattern:
        /\b(?:this|t|ctx|context)\.(?:skip|todo|pending)\s*\(|(?<![.\w])pending\s*\(\s*\)|\btest\.skip\s*\(/,
    },
    {
      pattern:
        /\bjest\.retryTimes\s*\(|\bthis\.retries\s*\(|\{[^}]*\bretr(?:y|ies)\s*:\s*[1-9]|\.configure\s*\([^)]*retries/,
    },
    {
      pattern:
        /\b(?:skip|todo|xit|xtest|xdescribe)\s+as\s+\w|\brequire\s*\([^)]*\)\s*\.\s*(?:skip|todo)\b|\bimport\s*\{[^}]*\b(?:skip|todo)\b[^}]*\}\s*from/,
    },
    { pattern: /\.each\s*\(\s*\[\s*\]\s*\)|\bof\s+\[\s*\]|\[\s*\]\s*\.forEach\b/ },
    { pattern: /\bfc\.pre\s*\(/, fineIfNew: true },
    { pattern: /\bif\s*\(\s*(?:false|0|!1|!true)\s*\)|\bwhile\s*\(\s*(?:false|0)\s*\)|(?<![\w.])false\s*&&/ },
  ],
  swallows: [
    {
      pattern:
        /\bprocess\s*\??\.\s*(?:exit|reallyExit)\s*(?:\?\.)?\(\s*(?:0|)\s*\)|\bprocess\.exitCode\s*=\s*(?:0|undefined)\b|\bDeno\.exit\s*\(\s*0?\s*\)/,
    },
    {
      pattern:
        /\bprocess\s*(?:\?\.)?\[[^\]]*\]\s*(?:\?\.)?\(|\{[^}]*\bexit\b[^}]*\}\s*(?:=\s*(?:process\b|require\b)|from\b)|\bprocess\.kill\s*\(\s*process\.pid/,
    },
    { pattern: /\.(?:suites|tests)(?:\.(?:length\s*=(?!=)|splice|pop|shift)|\s*=(?!=))/ },
    { pattern: /\bfinally\s*\{[^}]*\b(?:return|break|continue)\b/ },
    { pattern: /\bprocess\.(?:exit|reallyExit)\s*=|\bprocess\.on\s*\(\s*"\s*"\s*,.*exitCode/ },
    { pattern: /\.catch\s*\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{\s*\}|undefined|null|true)\s*\)/ },
  ],
  redefines: [
    /\b(?:assert|expect|chai|should|t)(?:\.\w+)*\.(?:equal|strictEqual|deepEqual|deepStrictEqual|ok|throws|rejects|is|not|prototype\.\w+|assert)\s*=(?!=)/,
    /\bexpect\.extend\s*\(\s*\{[^}]*\b(?:toBe|toEqual|toStrictEqual|toContain|toMatch|toThrow)\s*[(:]/,
    /\b(?:const|let|var)\s+(?:expect|assert)\s*=\s*(?!.*\b(?:require|import|chai)\b)/,
    /^\s*(?:(?:const|let|var)\s+)?(?:test|it|describe|suite)\s*=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|\w+\s*=>|noop\b|Function\b|Object\b|class\b)/,
    /^\s*(?:expect|assert)\s*=(?!=)/,
    /\bfunction\s+(?:expect|assert)\s*\(/,
    /[\w)\]]\.(?:expect|it|test|describe|assert)\s*=(?!=|>)/,
    /\bstubGlobal\s*\(\s*["'](?:expect|it|test|describe|assert)["']/,
    /\bObject\.(?:defineProperty|assign)\s*\(\s*(?:assert|expect|chai|globalThis|global)\b/,
    /\bAssertion\.(?:prototype|overwrite\w+|addMethod)|\bAssertionError\s*=/,
  ],
  mocks: [
    /\b(?:jest|vi|td|mock)\.(?:mock|doMock|unstable_mockModule|replace|module)\s*\(\s*(?:import\s*\(\s*)?["'`]([^"'`]+)/,
    /\b(?:jest|vi|sinon|mock|t\.mock)\.(?:spyOn|stub|method|replace)\s*\(\s*\w+\s*,\s*["'`](\w+)["'`]\s*(?:\)|,).*(?:mock\w*\(|returns|resolves|=>|callsFake)/,
    /^\s*(?:\w+\.)+(\w+)\s*=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*=>/,
    /^\s*(?:\w+\.)+(\w+)\s*=\s*(?:(?:jest|vi)\.fn|function|sinon\.stub)/,
  ],
  notices: [
    /\bprocess\.env(?:\.|\[\s*["'])(?:CI|VITEST\w*|JEST_WORKER_ID|MOCHA\w*|NODE_TEST_CONTEXT|TEST|TESTING|GITHUB_ACTIONS|PLAYWRIGHT\w*|npm_lifecycle_event)\b/,
    /\bNODE_ENV\b["'\]]*\s*[!=]==?\s*["']test["']|["']test["']\s*[!=]==?\s*process\.env/,
    /\btypeof\s+(?:jest|vi|describe|it|expect|mocha|test|global(?:This)?\.(?:jest|vi|describe|it|expect|mocha|test|suite|before\w*|after\w*|__\w+))\s*[!=]==?/,
    /\bimport\.meta\.(?:env\.(?:VITEST|TEST|MODE)|vitest)\b|\bglobal(?:This)?\.(?:jest|vi|describe|it|expect|__vitest\w*)\b/,
    /\bprocess\.(?:argv|execArgv)\b.*(?:--test|jest|vitest|mocha)|\bnew Error\s*\(\s*\)\.stack\b.*(?:test|spec|jest|vitest|mocha)/,
    /\bprocess\.env\.BATON\w*/,
  ],
  suppressions: [
    { pattern: /\b(?:eslint|oxlint|tslint|stylelint)[-:]disable|\bbiome-ignore\b/, inComments: true },
    { pattern: /@ts-(?:ignore|nocheck|expect-error)\b|\$FlowFixMe|@flow\s+strict-local/, inComments: true },
    { pattern: /\b(?:istanbul|c8|v8)\s+ignore\b|\bprettier-ignore\b/, inComments: true },
  ],
};
