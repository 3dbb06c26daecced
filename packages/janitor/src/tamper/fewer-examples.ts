import { literalsOf, tidy } from './assertions.ts';
import { looserThan, losesLimit } from './looser-numbers.ts';
import { bodyOf, indentOf } from './languages/body.ts';
import type { CodeLine } from './live-code.ts';
import type { TestFile } from './test-file.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

/** Rows of a table of examples that are gone from all tests of a change, also of one in a line. Pure. */
export function fewerExamples(file: TestFile, tests: readonly TestFile[]): Found[] {
  if (file.isDeleted) return [];
  const values = (text: string) => text.replace(/[^\w.-]+/g, ' ').trim();
  const elsewhere = tests.filter((one) => one !== file).flatMap(newLines);
  const words = [
    ...file.after.code.map(({ text }) => text),
    ...wrappedRows(file),
    ...elsewhere.map(({ text }) => text),
  ].map((text) => values(text).split(' '));
  const { code, changed } = file.before;
  const rows = code
    .filter(({ at }, index) => changed.has(at) && isExample(code, index, file))
    .filter(({ text, bare }) => {
      // Between pipes the same words in another order are another example.
      if (/\s\|\|?\s/.test(bare)) return !words.some((some) => some.join(' ').includes(values(text)));
      const wanted = values(text).split(' ');
      return !words.some((some) => wanted.every((value) => some.includes(value)));
    });
  return [
    ...rows,
    ...lostRows(file, elsewhere),
    ...shorterLists(file, [...newLines(file), ...elsewhere]),
  ].map(({ at }) => ({ file, at }));
}

/** Rows of what a helper gives to tests that are gone, with a value that no new line has. */
function lostRows(file: TestFile, elsewhere: readonly CodeLine[]): CodeLine[] {
  const { before, after, isDeleted } = file;
  if (isDeleted || before.cases.length > 0 || after.cases.length > 0) return [];
  const now = [...newLines(file), ...elsewhere].flatMap(({ text }) => literalsOf(tidy(text)));
  return before.code.filter(({ at, text, bare }, index) => {
    if (!before.changed.has(at) || !/^\s*(?:[[({]|\w+\s*[({]).*[\])}],?$/.test(bare)) return false;
    const head = before.code.slice(0, index).findLast((line) => indentOf(line.text) < indentOf(text));
    const values = literalsOf(tidy(text));
    return /\breturn\s*[[(]\s*$/.test(head?.bare ?? '') && values.some((value) => !now.includes(value));
  });
}

/** New rows that begin with a line of nothing but their bracket, each as one text. */
function wrappedRows({ after: { code, changed } }: TestFile): string[] {
  return code.flatMap(({ at, bare }, index) =>
    changed.has(at) && /^\s*[[({]\s*$/.test(bare)
      ? [
          bodyOf(code, index)
            .map(({ text }) => text)
            .join(' '),
        ]
      : [],
  );
}

/** A row under the head of a table, with nothing but rows between. */
function isExample(code: readonly CodeLine[], index: number, { language }: TestFile): boolean {
  if (isPiped(code, index)) return true;
  const isRow = (text: string) =>
    /^\s*(?:[[({]|["'`\d-]|&?\w+\s*\{|\w+\(.*\),$)/.test(text) && /["'`\d]/.test(text);
  if (!isRow(code[index]?.text ?? '')) return false;
  for (let above = index - 1; above >= Math.max(0, index - 60); above--) {
    const { text = '', bare = '' } = code[above] ?? {};
    if (isRow(text) || /^[[({\s]+$/.test(bare)) continue;
    return /[[({,]\s*$/.test(bare) && language.tables.test(bare);
  }
  return false;
}

/** A row of a table of columns with pipes between, as Spock and Gherkin have them, below its head. */
function isPiped(code: readonly CodeLine[], index: number): boolean {
  const piped = (line: CodeLine | undefined) => /\S\s+\|\|?\s+\S|^\s*\|.*\|$/.test(line?.bare ?? '');
  if (!piped(code[index])) return false;
  let above = index - 1;
  while (above >= 0 && piped(code[above])) above -= 1;
  return above < index - 1 && /\b(?:where|Examples|Scenarios)\s*:/.test(code[above]?.bare ?? '');
}

function newLines({ after }: TestFile): CodeLine[] {
  return after.code.filter(({ at }) => after.changed.has(at));
}

/** Lists of examples in one line whose values are in no new line. */
function shorterLists(file: TestFile, added: readonly CodeLine[]): CodeLine[] {
  const { before, language } = file;
  const asserts = new Set(before.assertions.map(({ at }) => at));
  const left = added.flatMap(({ text }) => literalsOf(tidy(text)));
  return before.code.filter((line) => {
    if (!before.changed.has(line.at) || asserts.has(line.at)) return false;
    if (!language.tables.test(line.bare) && !isLooped(line, file)) return false;
    const wanted = literalsOf(longestList(tidy(line.text)));
    const own = [...left];
    return wanted.some((value) => {
      const at = own.indexOf(value);
      if (at >= 0) own.splice(at, 1);
      return at < 0;
    });
  });
}

/** Whether a line gives a list a name that a table of examples uses. */
function isLooped({ bare }: CodeLine, { before, language }: TestFile): boolean {
  const name =
    /\b(\w+)\s*(?::[^=]*)?=\s*(?:new\s+)?(?:[\w.]*\b(?:asList|of|listOf|setOf|arrayOf|Set|freeze|tuple)\s*)?&?(?:vec!)?[[({]/.exec(
      bare,
    )?.[1];
  if (name === undefined) return false;
  const uses = new RegExp(
    `\\b(?:of|in)\\s+&?${name}\\b|:\\s*${name}\\s*\\)|\\b(?:each|parametrize|for)\\b.*[(,]\\s*${name}\\b|\\b${name}\\.(?:each|forEach|map|iter)\\b`,
  );
  return before.code.some(
    (line) => line.bare !== bare && language.tables.test(line.bare) && uses.test(line.bare),
  );
}

/** What is in the brackets that hold most. */
function longestList(text: string): string {
  const inside = [
    ...text.matchAll(/[[{]|(?<=\b(?:asList|of|listOf|setOf|arrayOf|Set|tuple|\w+Source|=)\s*)\(/g),
  ].map(({ index }) => {
    let depth = 0;
    for (let at = index; at < text.length; at++) {
      if ('[{('.includes(text[at] ?? ' ')) depth += 1;
      if (']})'.includes(text[at] ?? ' ')) depth -= 1;
      if (depth === 0) return text.slice(index + 1, at);
    }
    return '';
  });
  return inside.reduce((one, other) => (literalsOf(other).length > literalsOf(one).length ? other : one), '');
}

const counts =
  /(?:max_?examples|num_?runs|max_?success|num_?tests|iterations|samples|trials|rounds)\b.*(?:process\.env|import\.meta\.env|environ|getenv|ENV\s*\[|ENV\.fetch|env::var|Deno\.env|Environment\w*\s*\()/i;

/** Numbers of examples that the environment may make smaller than they were: by default as many as before is fine. Pure. */
export function countsFromOutside(file: TestFile): Found[] {
  const { before, after } = file;
  if (before.cases.length === 0) return [];
  const numbers = (text: string) => (text.match(/(?<![\w.])\d+(?![\w.])/g) ?? []).map(Number);
  const name = (text: string) =>
    /(?:max|num)?_?(?:examples|runs|success|tests|iterations|samples|trials|rounds)\b/i.exec(text)?.[0];
  const gone = before.code.filter(({ at }) => before.changed.has(at));
  return after.code
    .filter(({ at, text }) => after.changed.has(at) && counts.test(text))
    .filter(({ text }) => {
      const was = gone.find((line) => name(line.text) === name(text));
      return Math.max(0, ...numbers(text)) < Math.max(usual, ...numbers(was?.text ?? ''));
    })
    .map(({ at }) => ({ file, at }));
}

/** As many examples as most libraries try by themselves. */
const usual = 100;

/** Numbers by which a test tries less or allows more: fewer examples and rounds, longer limits, larger tolerances. Pure. */
export function looserLimits(file: TestFile): Found[] {
  const { before, after } = file;
  // What an assertion says is compared by itself; on its line something may wait for it.
  const outside = ({ code, changed, assertions }: TestFile['after']) => {
    const asserts = new Set(assertions.map(({ at }) => at));
    return code
      .filter(({ at }) => changed.has(at))
      .map(({ at, text, bare }) => ({
        at,
        text: tidy(asserts.has(at) ? text.slice(0, bare.search(file.language.assertions)) : text),
      }));
  };
  const gone = outside(before).filter(({ text }) => text !== '');
  return outside(after)
    .filter((line) =>
      gone.some((was) => looserThan(line.text, was.text) === true || losesLimit(line.text, was.text)),
    )
    .map(({ at }) => ({ file, at }));
}
