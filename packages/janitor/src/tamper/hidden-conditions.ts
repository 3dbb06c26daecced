import { literalsOf } from './assertions.ts';
import type { CodeLine } from './live-code.ts';

/** Entries of one file that are looked for. */
const mostEntries = 12;

const callers =
  /\binspect\.(?:stack|currentframe)\s*\(|\bsys\._getframe\s*\(|\btraceback\.(?:extract_stack|format_stack)\s*\(|\bnew Error\s*\([^)]*\)\s*\??\.stack\b|\b(?:captureStackTrace|prepareStackTrace)\b/;
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

/** Entries of tables whose question is too odd for a table: it is one that a test asks. Pure. */
export function oddEntries(code: readonly CodeLine[]): { at: number; values: string[] }[] {
  const found = code.flatMap(({ at, text }) =>
    [...text.replace(/['`]/g, '"').matchAll(entry)].flatMap(([, key = '', answer = '']) => {
      const values = literalsOf(answer).filter((value) => !/^(?:-?[01]|"")$/.test(value));
      const isOdd = key.startsWith('"')
        ? /\d/.test(key) && /[^\w"./:-]/.test(key)
        : /^(?:\d+\.\d{2,}|\d{4,})$/.test(answer);
      return isOdd && values.length > 0 ? [{ at, values: [key, ...values] }] : [];
    }),
  );
  return found.slice(0, mostEntries);
}
