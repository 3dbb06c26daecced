import type { ReadLine } from './body.ts';
import { isAsked } from './harmless.ts';
import type { Language } from './language.ts';

/** Whether no test of the file is one of Deno, which takes such settings. */
const isOfNoDeno = (code: readonly ReadLine[]) => !code.some(({ bare }) => /\bDeno\.test\b/.test(bare));

const runner = '(?:it|test|describe|suite|context|specify|bench)';

/** JavaScript and TypeScript with vitest, jest, mocha, ava, tap, playwright and node:test. */
export const javascript: Language = {
  name: 'JavaScript',
  files: /\.([cm]?[jt]sx?|vue|svelte)$/,
  syntax: { line: ['//'], block: [['/*', '*/']], quotes: `'"`, long: ['`'] },
  found: /(^|[/._-])(test|spec|cy|e2e)\.[cm]?[jt]sx?$|(^|\/)__tests__\//,
  cases:
    /(?<![.\w])(?:it|test|Deno\.test|specify|scenario|xit|xtest|fit|ftest)(?:\.(?!describe\b|before|after|use\b|extend\b|step\b|info\b|setTimeout\b|slow\b|macro\b|configure\b|expect\b)\w+)*\s*(?:\(|`|<)/g,
  tables: /\.(?:each|for)\b|\bfor\s*\(|\.forEach\s*\(|=\s*\[\s*$/,
  assertions:
    /(?<![.\w])expect(?:\.soft|\.poll)?\s*\(|(?<![.\w])(?:(?:sinon|chai)\.)?assert(?:\.\w+)*\s*\(|(?<![.\w])t\.(?:assert\.\w+|is|equal|equals|same|strictSame|deepEqual|not|ok|true|false|throws|rejects|like|match|snapshot)\s*\(|(?<![.\w])assert(?:(?:Strict|Not|Almost)?Equals|Throws|Rejects|Match|StringIncludes|ArrayIncludes|ObjectMatch|Exists|InstanceOf|False|Greater\w*|Less\w*)\s*\(|\.should\b(?=[.(])|(?<![.\w])cy\.(?:contains)\s*\(|\bif\s*\([^{}]*[!=]==?[^{}]*\)\s*\{?\s*(?:throw|process\.exit\s*\(\s*[1-9])/g,
  exact:
    /\.(?:toBe|toEqual|toStrictEqual|toHaveBeenCalledWith|toHaveBeenCalledExactlyOnceWith|toHaveBeenCalledTimes|toHaveBeenNthCalledWith|toHaveLength|toBeNull|toBeUndefined|toHaveText|toHaveValue|toHaveCount|toHaveTextContent|toMatchInlineSnapshot|toMatchSnapshot|equal|equals|eql|eq|is|same|strictSame|deepEqual|strictEqual|deepStrictEqual|notStrictEqual|notEqual|notDeepStrictEqual|calledOnceWithExactly|calledOnceWith|alwaysCalledWithExactly|calledWithExactly|calledWith|callCount|calledOnce|callOrder)\s*\(|\bassert(?:Strict|Not)?Equals\s*\(|[!=]==/,
  partial:
    /\.(?:toBeCloseTo|toMatchObject|toContain|toContainEqual|toMatch|toThrow|toThrowError|toBeGreaterThan\w*|toBeLessThan\w*|toBeInstanceOf|toHaveProperty|throws|throw|rejects|doesNotMatch|match|include|contain|property|instanceOf|like)\s*\(|\bassert(?:AlmostEquals|Throws|Rejects|Match|\w+Includes|ObjectMatch|InstanceOf|Greater\w*|Less\w*)\s*\(/,
  forgets:
    /\bexpect\.(?:objectContaining|arrayContaining|stringContaining|stringMatching|any|anything|closeTo)\b|\.(?:sort|toSorted)\s*\(|^expect\s*\(\s*(?:\[\.\.\.)?new Set\b/,
  same: [[/\.toMatchInlineSnapshot\("”([^”]*)”"\)/g, '.toBe("$1")']],
  hollow: [
    /^expect\s*\(\s*(true|1|!0|"[^"]*"|\d+)\s*\)\s*\.(?:toBe|toEqual|toStrictEqual)\s*\(\s*\1\s*\)/,
    /^expect\s*\(\s*(?:true|1|!0|"[^"]+")\s*\)\s*\.(?:toBeTruthy|toBeDefined|to\.be\.(?:true|ok))/,
    /^(?:assert|t)(?:\.\w+)*\s*\(\s*(?:true|1|!0|!false)\s*[,)]/,
    /^(?:assert|t)\.\w*(?:[eE]qual|is|same)\w*\s*\(\s*([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*[,)]/,
    /^expect\s*\(\s*(.+?)\s*\)\s*\.(?:to\.)?(?:toBe|toEqual|toStrictEqual|equal|eql|deep\.equal)\s*\(\s*\1\s*\)/,
    /\|\|\s*(?:true|1)\b|\bexpect\.anything\s*\(\s*\)\s*\)\s*$/,
    /^expect\s*\([^()]*(?:\([^()]*\))?[^()]*\)$/,
    /\.(?:toBe|toEqual)\s*\(\s*expect\.anything\s*\(\s*\)/,
    /\.(?:toEqual|toStrictEqual|toMatchObject)\s*\(\s*(?:expect\.(?:objectContaining\s*\(\s*\{\s*\}|arrayContaining\s*\(\s*\[\s*\]|any\s*\(\s*Object\s*\))|\{\s*\}\s*\)\s*$(?<=toMatchObject\s*\(\s*\{\s*\}\s*\)\s*))/,
    /\.(?:toMatch|toThrow\w*|toContain|match|include|contain)\s*\(\s*(?:""|\/(?:\.\*|\^|\$|\(\?:\)|\|[^/]*|[^/]*\|)\/[a-z]*)\s*[),]/,
    /(?:\.length|\.size|\.count\s*\(\s*\))\s*\)\s*\.(?:toBeGreaterThanOrEqual\s*\(\s*0\s*\)|toBeGreaterThan\s*\(\s*-1|to\.be\.at\.least\s*\(\s*0\s*\))/,
    /\bquery(?:All)?By\w+\s*\(.*\)\s*\.(?:toBeDefined\s*\(|not\.toBeUndefined\s*\()/,
    /^expect\s*\(\s*(?:Promise\.(?:resolve|reject)\s*\(|(?:async\s*)?\(\s*\)\s*=>\s*\{?\s*throw\b)/,
  ],
  skips: [
    {
      pattern: new RegExp(
        `(?<![.\\w])${runner}(?:\\.\\w+)*\\.(?:skip|only|todo|skipIf|runIf|fixme|failing|fails)\\b`,
      ),
    },
    { pattern: /(?<![.\w])(?:xit|xtest|xdescribe|xcontext|xspecify|fit|fdescribe|ftest|fcontext)\s*\(/ },
    { pattern: /\{[^}]*\b(?:skip|todo|only|fails)\s*:\s*(?!false)|\{[^}]*\bignore\s*:\s*true\b/ },
    { pattern: /^\s*(?:ignore|only)\s*:\s*true\b/, fineIn: isOfNoDeno },
    {
      pattern:
        /\bsanitize(?:Ops|Resources|Exit)\s*:(?!\s*true\b)|\bignore\s*:\s*[!(\s]*(?:Deno|process|os)\b\.?/,
      fineIfNew: true,
    },
    { pattern: /(?<![.\w])test\.(?:fail|fixme)\s*\(|\bDeno\.test\.(?:ignore|only)\s*\(/ },
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
    { pattern: /\bfc\.pre\s*\(|\bfc\.(?:p|asyncP)roperty\s*\(\s*fc\.constant\s*\(/, fineIfNew: true },
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
    { pattern: /\.forEach\s*\(\s*async\b/ },
    { pattern: /(?:[<>]=?|[!=]==?)\s*[\w.()[\]]+\s*\|\|\s*true\b/ },
    {
      pattern:
        /\b(?:currentTest|task\.result|testInfo)\??\.(?:state|err|errors|status|expectedStatus)(?:\.length)?\s*=(?!=)|\bdelete\b.*\bcurrentTest\.err/,
    },
    {
      pattern:
        /\b(?:process|Cypress|window|page)\.(?:on|once|addListener)\s*\(\s*["'](?:uncaught\w*|uncaught:exception|unhandled\w*|fail)["']\s*,\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{\s*\}|false|true|undefined|null)/,
      inStrings: true,
    },
    {
      pattern: /\bwriteFile(?:Sync)?\s*\(\s*[^,]*(?:golden|expected|snapshot|approved|baseline)/i,
      inStrings: true,
      fineIn: isAsked,
    },
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
    /\bexpect\.addEqualityTesters\s*\(|\baddSnapshotSerializer\s*\(\s*\{[^}]*\btest\s*:?\s*\(?[^)]*\)?\s*=>\s*true\b/,
    /\b(?:Array|Object|String|Number|Boolean|Map|Set|Promise|RegExp|Error)\.prototype\.\w+\s*=(?!=)|\b(?:JSON|Object)\.(?:stringify|parse|is|keys|entries)\s*=(?!=)/,
    /\bCypress\.Commands\.overwrite\s*\(\s*["'](?:should|and|expect|assert|contains|get)["']/,
    /\brequire\.cache\s*\[.*\]\s*=(?!=)|\bModule\.(?:_load|_resolveFilename|prototype\.require)\s*=(?!=)/,
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
    /\bNODE_ENV\b["'\]]*\s*[!=]==?\s*["']test["']|["']test["']\s*[!=]==?\s*process\.env|\b\w*(?:[eE]nv|[mM]ode|ENV)\s*[!=]==?\s*["']test["']/,
    /\btypeof\s+(?:jest|vi|describe|it|expect|mocha|test|global(?:This)?\.(?:jest|vi|describe|it|expect|mocha|test|suite|before\w*|after\w*|__\w+))\s*[!=]==?/,
    /\bimport\.meta\.(?:env\.(?:VITEST|TEST|MODE)|vitest)\b|\bglobal(?:This)?\.(?:jest|vi|describe|it|expect|__vitest\w*)\b/,
    /\bprocess\.(?:argv|execArgv)\b.*(?:--test|jest|vitest|mocha)|\bnew Error\s*\(\s*\)\.stack\b.*(?:test|spec|jest|vitest|mocha)/,
    /["']clock["']\s+in\s+setTimeout|\bsetTimeout\.clock\b|\bDate\b[^;]*\.isFake\b/,
    /\bprocess\.env\.BATON\w*/,
    /["'`](?:expect|describe|jest|vi|vitest|mocha|it|test|__vitest\w*|__jest\w*)["'`]\s+in\s+(?:globalThis|global|window|self)\b|\b(?:globalThis|global)\s*(?:\?\.)?\[\s*["'`](?:expect|describe|jest|vi|it|test)["'`]/,
    /["'`]__(?:vitest|jest|mocha|karma|coverage|playwright)\w*["'`]/,
    /["'`](?:JEST_WORKER_ID|VITEST\w*|NODE_TEST_CONTEXT|MOCHA\w*)["'`]/,
    /["'](?:mock|_isMockFunction|isSinonProxy|mockClear|mockReturnValue)["']\s+in\b|\._isMockFunction\b|\bisSinonProxy\b|\bisMockFunction\s*\(|\.mock\??\.calls\b/,
    /\bprocess\.env\s*\[\s*["'`][^\]]*["'`]\s*\+/,
  ],
  suppressions: [
    { pattern: /\b(?:eslint|oxlint|tslint|stylelint)[-:]disable|\bbiome-ignore\b/, inComments: true },
    { pattern: /@ts-(?:ignore|nocheck|expect-error)\b|\$FlowFixMe|@flow\s+strict-local/, inComments: true },
    { pattern: /\b(?:istanbul|c8|v8)\s+ignore\b|\bprettier-ignore\b/, inComments: true },
  ],
};
