import { tidy } from './assertions.ts';
import { earlyEnds } from './early-ends.ts';
import { liveCode, type CodeLine } from './live-code.ts';
import type { ChangedFile, Line } from './changed-file.ts';
import { languageOf } from './languages/all.ts';
import { knownSettings, type KnownSetting } from './known-settings.ts';
import { onlyInTests, ownEquality } from './own-equality.ts';
import { isTestPath } from './test-paths.ts';
import {
  answersByDigest,
  asksForWholeText,
  looksAtCallers,
  answersOnLoopback,
  oddEntries,
  waitsForDay,
  worksInDebug,
} from './hidden-conditions.ts';

/** A value that code compares its input with, and what it then answers. */
export interface SpecialCase {
  path: string;
  at: number;
  /** All values, as they stand in the code. */
  values: string[];
}

/** What the lines of sources do to what judges them. */
export interface SourceSigns {
  /** One sentence each. */
  flags: { text: string; path: string }[];
  /** To be looked for in the tests: code that knows their inputs passes them. */
  cases: SpecialCase[];
  /** To be looked for in settings that only tests have. */
  settings: KnownSetting[];
}

/** A line with its file, and what was made of it. */
interface Read extends Line {
  path: string;
}

/** Signs in the new lines of code; what a change only moves is not new. Pure. */
export function sourceSigns(files: readonly ChangedFile[]): SourceSigns {
  const read = files.map((file) => ({ file, ...readNew(file) }));
  const old = new Set(files.flatMap(oldLines));
  const isNew = ({ text }: Line) => !old.has(tidy(text));
  const off = read.flatMap(({ file, code, comments }) => {
    const { suppressions } = languageOf(file.path);
    const isOff = (text: string, inComments: boolean) =>
      suppressions.some((sign) => (sign.inComments ?? false) === inComments && sign.pattern.test(text)) &&
      !isUsual(file.path, text);
    return [
      ...code.filter((line) => isNew(line) && isOff(line.bare, false)),
      ...comments.filter((line) => isNew(line) && isOff(line.text.replace(/^(?:\/\/|\/\*+|#)\s?/, ''), true)),
    ].map(({ at, text }) => ({ at, text, path: file.path }));
  });
  const sources = read.filter(({ file }) => !isTestPath(file.path));
  const notices = sources.flatMap(noticing).filter(isNew);
  const redefined = sources.flatMap(({ file, code }) =>
    code
      .filter(
        (line) =>
          isNew(line) &&
          /^\s*#\s*define\s+(?:assert|NDEBUG)\b|\bmacro_rules!\s*assert(?:_eq|_ne)?\b/.test(line.bare),
      )
      .map(({ at, text }) => ({ at, text, path: file.path })),
  );
  const same = sources.flatMap(({ file, code }) =>
    [...equalToAll(code), ...equalByType(file, code), ...ownEquality(file)]
      .filter(isNew)
      .map(({ at, text }) => ({ at, text, path: file.path })),
  );
  const early = sources.flatMap(({ file, code }) =>
    earlyEnds(file.path, { code, isProgram: isProgram(file) })
      .filter(isNew)
      .map(({ at, text }) => ({ at, text, path: file.path })),
  );
  return {
    flags: [
      ...group(off, 'checks switched off'),
      ...group(notices, 'code that notices its tests'),
      ...hiddenConditions(sources, isNew),
      ...group(redefined, 'assertions redefined'),
      ...group(same, 'values that are equal to all others'),
      ...group(early, 'code that ends its process when it is loaded'),
    ],
    settings: sources.flatMap(({ file, code }) => knownSettings(file, code.filter(isNew))),
    cases: sources.flatMap(({ file: { path }, code }) => [
      ...specialCases(path, code),
      ...[...oddEntries(code), ...answersOnLoopback(code)].map((one) => ({ path, ...one })),
    ]),
  };
}

/** Lines by which code is another when it is tested. */
function noticing({ file, code }: { file: ChangedFile; code: CodeLine[] }): Read[] {
  const { notices } = languageOf(file.path);
  const asks = ({ text }: CodeLine) =>
    looksForRunner(text) || watchers.test(text) || notices.some((pattern) => pattern.test(text));
  return [...onlyInTests(file), ...code.filter(asks)].map(({ at, text }) => ({ at, text, path: file.path }));
}

/** Conditions in new lines of sources that no test can see. */
function hiddenConditions(
  sources: readonly { file: ChangedFile; code: CodeLine[] }[],
  isNew: (line: Line) => boolean,
): { text: string; path: string }[] {
  const kinds = [
    [looksAtCallers, 'code that looks for a test among its callers'],
    [waitsForDay, 'code that works otherwise from a day on'],
    [asksForWholeText, 'code that knows the whole text of a value'],
    [answersByDigest, 'answers by a digest of the question'],
    [worksInDebug, 'code that works otherwise in the build that tests run'],
  ] as const;
  return kinds.flatMap(([find, what]) =>
    group(
      sources.flatMap(({ file: { path }, code }) =>
        find(code, path)
          .filter(isNew)
          .map((line) => ({ ...line, path })),
      ),
      what,
    ),
  );
}

const runners =
  /\b_?(?:pytest|unittest|vitest|jest|mocha|jasmine|karma|playwright|junit|testng|surefire|kotest|spock|xunit|nunit|mstest|testhost|vstest|phpunit|pest|rspec|minitest|xctest|exunit|gtest|catch2|doctest|ctest|bats)/i;
const lookAround =
  /\b(?:stack\w*|StackTrace\w*|argv|ARGV|modules|process\w*|AppDomain|Assembl\w+|getenv|environ|caller\w*|cmdline|ProcessName|FriendlyName|class_exists|function_exists|defined\??|NSClassFromString|forName|__main__|require\.main|module\.parent|loaded\w*|Thread|\$0|PROGRAM_NAME|get_included_files|backtrace\w*|current_exe|executable)(?![\w])/;

/** What only measures or stops code while it is tested or debugged. */
const watchers =
  /\bsys\.(?:gettrace|getprofile|monitoring)\b|\b__coverage__\b|\bdefined\?\s*\(?\s*(?:::)?(?:SimpleCov|Coverage)\b|\bextension_loaded\s*\(\s*["'](?:xdebug|pcov)|\bxdebug_\w+\s*\(|\bpcov\\|\bDebugger\.IsAttached\b|\b(?:LLVM_PROFILE_FILE|NODE_V8_COVERAGE|COVERAGE_(?:RUN|PROCESS_START|FILE)|GOCOVERDIR)\b|\btesting\.Cover(?:Mode|age)\b|\bjacoco\w*Init\b|\bcover:modules\b/;

/** Whether a line asks who started it or what is loaded, and names a runner of tests. */
function looksForRunner(text: string): boolean {
  return lookAround.test(text) && runners.test(joined(text));
}

/** A text with strings that are put together on its line as one. */
function joined(text: string): string {
  return text
    .replace(
      /(["'])\1\.join\s*\(\s*[[(]([^\])]*)[\])]\s*\)/g,
      (_, quote: string, parts: string) =>
        `${quote}${parts.replace(/["'],\s*["']/g, '').replace(/["']/g, '')}${quote}`,
    )
    .replace(/\[([^\]]*)\]\.join\s*\(\s*(?:""|'')\s*\)/g, (_, parts: string) =>
      parts.replace(/["'],\s*["']/g, ''),
    )
    .replace(/["'`]\s*(?:\+|\.\.?|<>|\+\+)\s*["'`]/g, '');
}

const equality =
  /\bdef\s+__eq__\s*\(|\basymmetricMatch\s*\(|\boperator\s*==\s*\(|\b(?:bool(?:ean)?|override\s+fun)\s+[eE]quals\s*\(|\bfn\s+eq\s*\(|\bdef\s+(?:==|eql\?)|\bfunc\s*==|\bfunc\s*\([^)]*\)\s*(?:Is|Equal)\s*\(/;

/** An answer that is yes by one of its sides alone. */
const yes =
  /(?:[{=>]\s*|\breturn\s+)(?:true|True)\s*(?:\|\||\bor\b)|(?:\|\||\bor\b)\s*(?:true|True)\s*;?\s*\}?\s*$/;

/** Definitions of equality that say yes whatever they are asked. */
function equalToAll(code: readonly CodeLine[]): CodeLine[] {
  return code.filter(({ bare }, index) => {
    if (!equality.test(bare)) return false;
    return [bare, `${bare} ${code[index + 1]?.bare ?? ''}`].some(
      (rest) =>
        yes.test(rest) ||
        (/\)[^()]*[\s{:=>](?:return\s+)?(?:true|True)\s*;?\s*\}?\s*$/.test(rest) &&
          !/\bif\b|\s\?\s|&&|\|\|/.test(rest)),
    );
  });
}

/** Definitions of equality that ask for the type alone where parts were compared. */
function equalByType({ removed }: ChangedFile, code: readonly CodeLine[]): CodeLine[] {
  const compared = removed.some(
    ({ text }) => /(?:===?|\.equals\s*\(|\bequals\(|\.eql\?).*/.test(text) && ofType.test(text),
  );
  if (!compared) return [];
  return code.filter(({ bare }) =>
    new RegExp(`(?:\\breturn\\s+|=>?\\s*|^\\s*)${ofType.source}\\s*\\)?\\s*[;}]?\\s*$`).test(bare),
  );
}

const ofType =
  /(?:\w+\s+(?:instanceof|is)\s+[A-Z]\w*(?:<[^>]*>)?|isinstance\s*\(\s*\w+\s*,\s*\w+\s*\)|\w+\.(?:is_a|kind_of|instance_of)\?\s*\(?\s*[\w.]+\s*\)?)/;

/** Whether a file was one that people start; what is new can be one. */
function isProgram({ before }: ChangedFile): boolean {
  const [first] = before;
  return first === undefined || first.text.startsWith('#!');
}

function readNew(file: ChangedFile): { code: CodeLine[]; comments: Line[] } {
  const fresh = new Set(file.added.map(({ at }) => at));
  const { code, comments } = liveCode(file.after, languageOf(file.path).syntax);
  return {
    code: code.filter(({ at }) => fresh.has(at)),
    comments: comments.filter(({ at }) => fresh.has(at)),
  };
}

function oldLines(file: ChangedFile): string[] {
  if (file.removed.length === 0) return [];
  const { code, comments } = liveCode(file.before, languageOf(file.path).syntax);
  const gone = new Set(file.removed.map(({ at }) => at));
  return [...code, ...comments].filter(({ at }) => gone.has(at)).map(({ text }) => tidy(text));
}

/** What a checker cannot do without: names that a package passes on, and a test of types that must fail. */
function isUsual(path: string, text: string): boolean {
  if (/(^|\/)__init__\.py$/.test(path)) return /\bnoqa:\s*F401\b/.test(text);
  return isTestPath(path) && /@ts-expect-error\b/.test(text);
}

function group(lines: readonly Read[], what: string): { text: string; path: string }[] {
  return [...Map.groupBy(lines, ({ path }) => path)].map(([path, found]) => ({
    path,
    text: `${what}: ${found.length} more in ${path}:${found[0]?.at ?? 1}`,
  }));
}

const number = String.raw`-?\d+(?:\.\d+)?`;
const value = String.raw`(?:${number}|"(?:[^"\\]|\\.)*")`;
/** Around an answer where failures are values as well. */
const wrapped = String.raw`(?:(?:Ok|Some|Just|Right|Success|Result\.success)\s*\(?\s*)?`;
const comparison = new RegExp(
  String.raw`(?:^|[(&|!,;]|\b(?:if|elif|elsif|and|or|when|unless|test)\b)\s*"?\$?\{?[\w$.?!\[\]>-]*\w\]?(?:\(\))?\}?"?\s*(?:===?|\beq\b|\.equals\(|-eq\b)\s*(${value})`,
  'g',
);
const answer = new RegExp(
  String.raw`(?:\breturn\s+|\?\s*|=>\s*|->\s*|\bthen\s+|\becho\s+|\{\s*)${wrapped}(${value})\s*(?:[;:,.})\s]|$)`,
);

const ofShape =
  /(?:\blength|\bsize|\bcount|\blen|\bLength|\bCount)(?:\(\))?\}?"?\s*(?:===?|\beq\b|\.equals\(|-eq\b)/;

/** Conditions on exact inputs with an exact answer beside or below them. */
function specialCases(path: string, code: readonly CodeLine[]): SpecialCase[] {
  return code.flatMap((line, index) => {
    const text = line.text.replace(/['`]/g, '"');
    if (!/\b(?:if|elif|elsif|when|case|match|unless)\b|\?/.test(text)) return [];
    const asked = [...text.matchAll(comparison)];
    // How long something is says which shape it has; the test writes out what is in it.
    const told = asked.filter(([whole]) => !ofShape.test(whole));
    const inputs = told.map(([, found = '']) => found);
    const below = code[index + 1]?.text.replace(/['`]/g, '"') ?? '';
    const given =
      answer.exec(text.slice(lastInput(text)))?.[1] ??
      new RegExp(
        String.raw`^\s*(?:return\s+|echo\s+|\w+\s*:?=\s*)?${wrapped}(${value})(?:\.\w+\(\))?\)?(?:\s*,\s*(?:nil|None|null))?\s*;?\s*$`,
      ).exec(below)?.[1];
    if (given === undefined || inputs.length === 0) return [];
    if (!isTelling(inputs, given) && !(told.length < asked.length && /[^01"-]/.test(given))) return [];
    return [{ path, at: line.at, values: [...inputs, given] }];
  });
}

function lastInput(text: string): number {
  return [...text.matchAll(comparison)].reduce(
    (end, match) => Math.max(end, match.index + match[0].length),
    0,
  );
}

/** Several inputs, or one that is no small number or plain word: a code with a name is in every table of names. */
function isTelling(inputs: readonly string[], given: string): boolean {
  if (inputs.length > 1)
    return new Set([...inputs, given].filter((one) => !/^(?:-?[01]|"")$/.test(one))).size > 1;
  const [input = ''] = inputs;
  const isNumber = (text: string) => /^-?\d/.test(text);
  if (isNumber(input)) return isNumber(given) && Math.abs(Number(input)) > 1 && Math.abs(Number(given)) > 1;
  return /[^\w"./:-]/.test(input) && input.length > 5;
}
