import type { ChangedFile } from './changed-file.ts';
import { bodyOf } from './languages/body.ts';
import { languageOf } from './languages/all.ts';
import { liveCode, type CodeLine } from './live-code.ts';

/** A class that is a kind of plain value. */
const ofValue =
  /\bclass\s+\w+\s*\(\s*(?:\w+\s*,\s*)*(?:\w+\.)*(?:str|int|float|complex|bytes|list|dict|tuple|set|frozenset|Decimal|Fraction|date|datetime|timedelta|OrderedDict|UserString|UserDict|UserList)\s*[,)]|\bclass\s+\w+\s*<\s*(?:String|Array|Hash|Integer|Float|Numeric|Set|Time|Date)\s*$/;
const saysEqual = /^\s*def\s+(?:__eq__|__ne__|==|eql\?)\s*\(?/;

/** New lines by which a plain value of a class of its own is equal to others than its kind says. Pure. */
export function ownEquality(file: ChangedFile): CodeLine[] {
  const fresh = new Set(file.added.map(({ at }) => at));
  const { code } = liveCode(file.after, languageOf(file.path).syntax);
  return code.flatMap(({ bare }, index) =>
    ofValue.test(bare)
      ? bodyOf(code, index)
          .slice(1)
          .filter((line) => fresh.has(line.at) && saysEqual.test(line.bare))
      : [],
  );
}

const item =
  /^\s*(?:#!?\[|(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|async|unsafe|const|extern(?:\s+"[^"]*")?)\s+)*(?:mod|use|fn|struct|enum|union|impl|trait|type|static|const|extern|macro_rules!)\b)|^\s*(?:pub(?:\([^)]*\))?\s+)?\w+\s*:(?!:)|^\s*[A-Z]\w*(?:::\w+)*\s*(?:[({].*)?(?:,|=>.*)?$|^\s*\w+!\s*[({]|^\s*}/;

/** New statements of Rust that only the build of the tests has: the code tested is another. Pure. */
export function onlyInTests(file: ChangedFile): CodeLine[] {
  if (languageOf(file.path).name !== 'Rust') return [];
  const fresh = new Set(file.added.map(({ at }) => at));
  const { code } = liveCode(file.after, languageOf(file.path).syntax);
  return code.filter(({ at, text, bare }, index) => {
    const rest = /^\s*#\[cfg\(\s*(?:(?:all|any)\(\s*)?test\b[^\]]*\]\s*(.*)$/.exec(bare)?.[1];
    if (rest === undefined || !fresh.has(at)) return false;
    const next = rest === '' ? code.slice(index + 1).find((line) => !/^\s*#\[/.test(line.text)) : undefined;
    const own = rest === '' ? (next?.bare ?? '}') : text.slice(text.length - rest.length);
    return !item.test(own);
  });
}
