import { tidy } from './assertions.ts';
import { bodyOf } from './languages/body.ts';
import { compare, type TestFile } from './test-file.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

const compares = /[!=]==?|[<>]=?|\s-\s|\b(?:expect|assert\w*|equals?\w*|Equals?|cmp|is)\b/;
/** What only says the same in another form. */
const made =
  /^(?:Decimal|BigDecimal|BigInt|Date|datetime|date|Path|URL|UUID|Number|String|str|new|split\w*|lines|parse\w*|loads?|list|tuple|from|entries|stringify|dumps|resolve|realpath\w*|toString|to_s|as_\w+|path\w*)$/;

/** Lines of tests that compare what the same new call makes of both sides: it may take away in what they differ. Pure. */
export function alikeByCall(file: TestFile): Found[] {
  const { removed, added } = compare([file], { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  const were = new Set(removed.filter(({ bare }) => compares.test(bare)).map(({ text }) => tidy(text)));
  if (were.size === 0) return [];
  return added
    .filter(({ text }) => {
      const now = tidy(text);
      const names = [...now.matchAll(/([A-Za-z_]\w*)\s*\(/g)].map(([, name = '']) => name);
      return names.some((name) => {
        if (made.test(name) || names.filter((one) => one === name).length < 2) return false;
        return withoutCall(now, name).some((one) => were.has(one));
      });
    })
    .map(({ at }) => ({ file, at }));
}

/** A line without the calls of a name: of what is in their brackets, or of what is before them. */
function withoutCall(text: string, name: string): string[] {
  const inside = new RegExp(String.raw`(?<![\w.])(?:[\w]+\.)*${name}\(([^()]*(?:\([^()]*\)[^()]*)*)\)`, 'g');
  const behind = new RegExp(String.raw`\??\.${name}\((?:[^()]|\([^()]*\))*\)`, 'g');
  return [text.replace(inside, '$1'), text.replace(behind, '')];
}

const builtIn =
  /^\s*(?:async\s+)?["']?(?:to(?:Be|Equal|StrictEqual|Contain|ContainEqual|Match|MatchObject|MatchSnapshot|Throw|ThrowError|HaveLength|HaveProperty|BeCloseTo|BeNull|BeDefined|BeTruthy|BeFalsy|HaveBeenCalled\w*)|resolves|rejects)["']?\s*(?:[(:,]|$)/;

/** New matchers under the name of one that the library of tests has. Pure. */
export function ownMatchers(file: TestFile): Found[] {
  if (file.language.name !== 'JavaScript') return [];
  const { code, changed } = file.after;
  return code.flatMap(({ bare }, index) =>
    /\bexpect\.extend\s*\(/.test(bare)
      ? bodyOf(code, index)
          .slice(1)
          .filter((line) => changed.has(line.at) && builtIn.test(line.text))
          .map(({ at }) => ({ file, at }))
      : [],
  );
}

/** Rows of examples that have the members of a list in another order: what the code makes of that order is no longer asked. Pure. */
export function reorderedExamples(file: TestFile): Found[] {
  const { removed, added } = compare([file], { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  const asserted = new Set(file.after.assertions.map(({ at }) => at));
  const inOrder = (found: string) =>
    /[:=]/.test(found) ? found : found.slice(1, -1).split(/,\s*/).sort().join();
  const sorted = (text: string) => tidy(text).replace(/[[{][^[\]{}()]*,[^[\]{}()]*[\]}]/g, inOrder);
  const isRow = (text: string) =>
    (/^\s*[[({]/.test(text) && /[[{].*[[{]/.test(text)) ||
    /^\s*(?:return|yield)\s+(?:new\s+)?[A-Z]\w*\(\s*\[\s*["'`\d]/.test(text);
  const were = removed.filter(({ text }) => isRow(text)).map(({ text }) => sorted(text));
  return added
    .filter(({ at, text }) => !asserted.has(at) && isRow(text) && were.includes(sorted(text)))
    .map(({ at }) => ({ file, at }));
}
