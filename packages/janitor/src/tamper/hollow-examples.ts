import { tidy } from './assertions.ts';
import { blocksAround } from './blocks.ts';
import type { CodeLine } from './live-code.ts';
import { compare, type TestFile } from './test-file.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

/** Expected values that a test still lists, and that nothing in it reads since its assertion is another. Pure. */
export function unreadValues(file: TestFile): Found[] {
  if (file.language.name === 'shell' || file.isDeleted) return [];
  const { removed, added } = compareAssertions(file);
  if (added.length === 0) return [];
  return removed.flatMap((was) =>
    namesIn(was.text).flatMap((name) => {
      const before = scopeOf(file.before, file.before.owners.get(was.at));
      const title = file.before.cases.find(({ at }) => at === file.before.owners.get(was.at))?.title;
      const after = scopeOf(file.after, file.after.cases.find((one) => one.title === title)?.at);
      const [first, ...others] = after.filter(({ bare }) => isUsed(bare, name) && !isMessage.test(bare));
      const isLeft = first !== undefined && others.length === 0 && declares(first.bare, name);
      const wasRead = before.filter(({ bare }) => isUsed(bare, name)).length > 1;
      return isLeft && wasRead && !isReadInText(after, name) ? [{ file, at: added[0]?.at ?? first.at }] : [];
    }),
  );
}

/** What Go says when a test fails compares nothing. */
const isMessage = /^\s*[tb]\.(?:Error|Fatal|Log|Skip)f?\s*\(/;

/** The lines of one test, or of all where it is none. */
function scopeOf({ code, owners }: TestFile['after'], owner: number | undefined): CodeLine[] {
  return owner === undefined ? code : code.filter(({ at }) => owners.get(at) === owner);
}

function compareAssertions(file: TestFile) {
  return compare([file], { take: ({ assertions }) => assertions, key: ({ text }) => text });
}

/** Names that an assertion reads: no calls, and none of what asserts. */
function namesIn(text: string): string[] {
  const words = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return [...words.matchAll(/(?<![\w$])([a-z_]\w+)\b(?!\s*[(!:"]|\.\w)/gi)].map(([, name = '']) => name);
}

function isUsed(bare: string, name: string): boolean {
  return new RegExp(`(?<![\\w$])${name}(?![\\w$])`).test(bare);
}

/** In some languages strings read variables. */
function isReadInText(code: readonly CodeLine[], name: string): boolean {
  return code.some(({ text, bare }) => !isUsed(bare, name) && new RegExp(`[{$#]${name}\\b`).test(text));
}

/** A parameter of a test, or a column of a table; what is imported or a function of its own is neither. */
function declares(bare: string, name: string): boolean {
  if (/^\s*(?:import|use|using|require|from|#\s*include|package)\b|=>?\s*require\b/.test(bare)) return false;
  const isColumn = new RegExp(`^\\s*(?:\\w+\\s*,\\s*)*${name}(?:\\s*,\\s*\\w+)*\\s+[\\w.*[\\]]+\\s*$`).test(
    bare,
  );
  const isParameter =
    new RegExp(
      `[(,|{]\\s*(?:(?:final|const|mut|&)\\s*)*(?:[\\w<>\\[\\].?$]+\\s+)?\\$?${name}\\s*(?::[^,)|]*)?[,)|}]`,
    ).test(bare) && /\b(?:void|fun|func|function|fn|def|async|Task)\b|=>|\||\bdo\b/.test(bare);
  return isColumn || isParameter;
}

const narrows =
  /\.(?:filter(?:Not)?|skip|limit|take(?:While)?|drop(?:While)?|slice|reject|select|first|Where|Skip|Take|grep|sublist|prefix|suffix|subList)\s*(?=[({])|\[\s*(?::\s*-?\d+|-?\d+\s*:(?:\s*-?\d+)?|\d*\.\.\d*)\s*\]/g;

/** Functions that give a part of a list. */
const takes =
  /(?<![\w$])(?:array_(?:slice|filter)|(?:itertools\.)?(?:islice|takewhile|dropwhile)|filter|Enum\.(?:take|drop|filter|reject|slice)|lists:(?:sublist|filter)|lo\.(?:Filter|Subset|Drop)\w*|_\.(?:take|drop|filter|reject)\w*)\s*(?=\()/g;

/** Examples of which a new call leaves some out: the line is as it was but for that. Pure. */
export function filteredExamples(file: TestFile): Found[] {
  const { removed, added } = compare([file], { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  const plain = (text: string) =>
    tidy(text)
      .replace(/[\s;,)\]}]+/g, ' ')
      .trim();
  const were = new Set(removed.map(({ text }) => plain(text)));
  const asserted = new Set(file.after.assertions.map(({ at }) => at));
  const isLine = (line: CodeLine) =>
    [...line.text.matchAll(narrows)].some((match) => {
      const end = callEnd(line.text, match.index + match[0].length);
      return were.has(plain(line.text.slice(0, match.index) + line.text.slice(end)));
    }) ||
    [...line.text.matchAll(takes)].some((match) => {
      const begin = match.index + match[0].length;
      const given = partsOf(line.text.slice(begin + 1, callEnd(line.text, begin) - 1));
      const rest = line.text.slice(callEnd(line.text, begin));
      return given.some((one) => were.has(plain(line.text.slice(0, match.index) + one + rest)));
    });
  return added.filter((line) => !asserted.has(line.at) && isLine(line)).map(({ at }) => ({ file, at }));
}

/** The arguments of a call, given the text between its brackets. */
function partsOf(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of text) {
    if ('({['.includes(char)) depth += 1;
    if (')}]'.includes(char)) depth -= 1;
    if (char === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts;
}

/** Where the bracket that opens at a place is closed; the place itself if none does. */
function callEnd(text: string, from: number): number {
  if (!/[({]/.test(text[from] ?? '')) return from;
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if ('({['.includes(text[at] ?? ' ')) depth += 1;
    if (')}]'.includes(text[at] ?? ' ')) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

const writes =
  /\b(?:WriteFile|write_?file(?:Sync)?|writeText|writeString|WriteAll\w+|file_put_contents|write_text|write_bytes|binwrite|Files\.(?:write|copy)|fs::write|fs::copy|copyFile(?:Sync)?|spew|File\.(?:write|open|copy)|IO\.write)\b/i;
const condition = /^\s*(?:[})]\s*)?(?:else\b|(?:if|unless|elif|elsif|when|switch|case)\b)/;

/** A file that the test read before is now written by it, and under no condition such as a flag that asks for it. Pure. */
export function rewrittenRecordings(file: TestFile): Found[] {
  const { before, after } = file;
  const paths = (text: string) =>
    [...tidy(text).matchAll(/"([^"\s]*[\w-]+\.\w+|[^"\s]+\/[^"\s]+)"/g)].map(([, path = '']) => path);
  const read = new Set(
    before.code.filter(({ bare }) => !writes.test(bare)).flatMap(({ text }) => paths(text)),
  );
  const had = new Set(before.code.filter(({ bare }) => writes.test(bare)).flatMap(({ text }) => paths(text)));
  return after.code
    .filter(
      ({ at, bare }) =>
        after.changed.has(at) && writes.test(bare) && !/\bif\b|\bunless\b|&&|\?|^\s*import\b/.test(bare),
    )
    .filter(({ text }) => paths(text).some((path) => read.has(path) && !had.has(path)))
    .filter(({ at }) => !blocksAround(after.code, { at, from: 0 }).some(({ bare }) => condition.test(bare)))
    .map(({ at }) => ({ file, at }));
}
