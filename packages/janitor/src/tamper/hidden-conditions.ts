import { literalsOf } from './assertions.ts';
import { bodyOf } from './languages/body.ts';
import type { CodeLine } from './live-code.ts';

/** Entries of one file that are looked for. */
const mostEntries = 12;

const callers =
  /\binspect\.(?:stack|currentframe)\s*\(|\bsys\._getframe\s*\(|\btraceback\.(?:extract_stack|format_stack)\s*\(|\bnew Error\s*\([^)]*\)\s*\??\.stack\b|\b(?:captureStackTrace|prepareStackTrace|StackWalker|getStackTrace|StackTrace\.current|debug_backtrace|runtime\.Callers?(?:Frames)?|currentStackTrace|caller_locations)\b|\bnew StackTrace\s*\(/;
const namesTests = /(["'`/])[^"'`/]*(?:test|spec\b|conftest|expect)[^"'`/]*\1/i;

/** Lines that a reading of the callers reaches. */
const near = 6;

/** Lines of a source that read who called it, with the name of a test beside them. Pure. */
export function looksAtCallers(code: readonly CodeLine[]): CodeLine[] {
  return code.filter(
    ({ bare }, index) =>
      callers.test(bare) && code.slice(index, index + near).some(({ text }) => namesTests.test(text)),
  );
}

const ofJavaScript =
  /(?:\bDate\.now\s*\(\s*\)|\bnew Date\s*\(\s*\))(?:\.getTime\s*\(\s*\))?\s*[<>]=?\s*(?:new Date\s*\(\s*(?:["']|20\d\d)|Date\.(?:parse|UTC)\s*\(|1[6-9]\d{8,11}\b|1[6-9](?:_\d{3}){3,4})/;
const ofPython =
  /\b(?:today|now|utcnow)\s*\([^()]*(?:\([^()]*\))?[^()]*\)\s*[<>]=?\s*(?:\w+\.)*(?:date|datetime)\s*\(\s*20\d\d|\btime\.time\s*\(\s*\)\s*[<>]=?\s*1[6-9]\d{8}\b/;
const ofYear =
  /(?:\bgetFullYear\s*\(\s*\)|\btoday\s*\(\s*\)\.year|\bnow\s*\(\s*\)\.year)\s*[<>]=?\s*20\d\d\b/;

/** Lines of a source by which it works otherwise from a day on that they name. Pure. */
export function waitsForDay(code: readonly CodeLine[]): CodeLine[] {
  return code.filter(({ text }) => [ofJavaScript, ofPython, ofYear].some((pattern) => pattern.test(text)));
}

const ofLoopback = /(["'`])[^"'`]*(?:localhost|127\.0\.0\.1|testserver|example\.(?:com|test))[^"'`]*\1/;

/** What a source answers where it is asked by a server of this machine, as the servers of tests are. Pure. */
export function answersOnLoopback(code: readonly CodeLine[]): { at: number; values: string[] }[] {
  return code.flatMap(({ at, text, bare }, index) => {
    if (!/\bif\b|\bwhen\b|\?|&&/.test(bare) || !ofLoopback.test(text)) return [];
    const given = [
      text.replace(/.*(?:localhost|127\.0\.0\.1|testserver|example\.(?:com|test))/, ''),
      code[index + 1]?.text ?? '',
    ]
      .map((line) => /(?:\breturn\b|=>|\?|:)(.*)$/.exec(line.replace(/['`]/g, '"'))?.[1] ?? '')
      .flatMap(literalsOf);
    const values = given.filter(
      (value) => !/^(?:-?[01]|""|true|false|True|False|null|None|nil|undefined)$/.test(value),
    );
    return values.length > 0 ? [{ at, values }] : [];
  });
}

const ofBuild = /\b(?:debug_assertions|overflow_checks)\b/;

/** Lines of a source by which it gives another answer in the build that tests run. Pure. */
export function worksInDebug(code: readonly CodeLine[], path: string): CodeLine[] {
  const setsFlags = /(^|\/)build\.rs$/.test(path) && code.some(({ text }) => /\brustc-cfg\b/.test(text));
  return code.filter(({ text, bare }, index) => {
    if (setsFlags) return /\benv::var(?:_os)?\s*\(\s*"(?:PROFILE|DEBUG|OPT_LEVEL)"/.test(text);
    const isPython = /^\s*if\s+(?:not\s+)?__debug__\b/.test(bare);
    if (!isPython && !ofBuild.test(bare)) return false;
    const inside = bodyOf(code, index)
      .slice(1)
      .map((line) => line.bare);
    if (isPython) return inside.some((line) => /^\s*return\b/.test(line));
    if (/^\s*#\[cfg_attr\(.*\bpath\s*=/.test(bare)) return true;
    if (/^\s*#\[cfg\(/.test(bare))
      return /\bfn\s+\w+.*->|^\s*(?:return\b|\{\s*$)/.test(code[index + 1]?.bare ?? '');
    const rest = bare.replace(/.*?\bcfg!\s*\([^()]*(?:\([^()]*\))?[^()]*\)/, '');
    const isAnswer = /^\s*return\b|^\s*[^{};]*[^{};\s]\s*$/;
    return (
      /\bcfg!/.test(bare) &&
      (/\breturn\b|&&|\|\||\{\s*[^{}\s][^{};]*\}\s*else\b/.test(rest) ||
        isAnswer.test(inside.at(-1) ?? '') ||
        inside.some((line) => /^\s*return\b/.test(line)))
    );
  });
}

/** Lines of a source that compare with the whole text of a value, which is written only to know that one. Pure. */
export function asksForWholeText(code: readonly CodeLine[]): CodeLine[] {
  return code.filter(({ text }) =>
    /(?:===?|\bcase\b|\.equals\s*\(|\beq\b)\s*(?:r|b|R)?(["'`])(?:\[\s*)?\{\s*\\?["'][^"']+\\?["']\s*:.*\1/.test(
      text,
    ),
  );
}

const digest = /\b(\w+)\s*=\s*.*\b(?:hexdigest|digest|crc32|adler32|createHash|md5|sha1|sha256)\b/;
const hexKey = /(?:["'][0-9a-f]{8,}["']|\b0x[0-9a-f]{6,})\s*:/i;

/** Lines of a source that look up an answer by a digest of the question. Pure. */
export function answersByDigest(code: readonly CodeLine[]): CodeLine[] {
  if (!code.some(({ text }) => hexKey.test(text))) return [];
  const names = code.flatMap(({ text }) => digest.exec(text)?.[1] ?? []);
  return code.filter(({ bare }) =>
    names.some((name) => new RegExp(`(?:\\.get\\s*\\(|\\[)\\s*${name}\\b`).test(bare)),
  );
}

const entry = /(?<![\w.])("(?:[^"\\]|\\.){4,}"|\d{2,})\s*:\s*(?=("(?:[^"\\]|\\.)+"|\{[^{}]*\}|\d[\d.]*))/g;

const pair = /[[({]\s*("(?:[^"\\]|\\.){4,}")\s*(?:,|=>)\s*("(?:[^"\\]|\\.)+"|\d[\d.]*)\s*[\])}]/g;
/** An arm of a match with its answer. */
const arm = /^\s*("(?:[^"\\]|\\.){3,}")\s*(?:=>|->)\s*(.+?),?$/g;

/** Words with a sign that no name has, or with spaces that no table has. */
const ofOne = /[a-z]{2,}.*\s.*[a-z]{2,}.*[!?@#%^&*+={}|<>~;]|\w\s{2,}\w|"\s+\w|\w\s+"$/i;

/** Entries of tables whose question is too odd for a table: it is one that a test asks. Pure. */
export function oddEntries(code: readonly CodeLine[]): { at: number; values: string[] }[] {
  const found = code.flatMap(({ at, text }) =>
    [
      ...text.replace(/['`]/g, '"').matchAll(entry),
      ...text.replace(/['`]/g, '"').matchAll(pair),
      ...text.matchAll(arm),
    ].flatMap(([, key = '', answer = '']) => {
      const values = literalsOf(answer).filter((value) => !/^(?:-?[01]|"")$/.test(value));
      const isOdd = key.startsWith('"')
        ? /[^\w"./:-]/.test(key) && (/\d/.test(key) || ofOne.test(key))
        : /^(?:\d+\.\d{2,}|\d{4,})$/.test(answer);
      return isOdd && values.length > 0 ? [{ at, values: [key, ...values] }] : [];
    }),
  );
  return found.slice(0, mostEntries);
}
