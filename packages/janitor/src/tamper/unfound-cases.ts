import type { CodeLine } from './live-code.ts';
import { indexOfLine } from './live-code.ts';
import type { TestFile } from './test-file.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

/** The head of a class, or of a function that is a test. */
interface Head {
  at: number;
  name: string;
  /** Words before its name, such as `public abstract`. */
  words: string;
  /** What follows the name. */
  rest: string;
}

/** Words by which a runner passes over what they are before. */
const hides: Readonly<Record<string, { class: RegExp; test: RegExp }>> = {
  'C#': { class: /\babstract\b|\binternal\b|\bprivate\b/, test: /\bprivate\b|\binternal\b|\bprotected\b/ },
  PHP: { class: /\babstract\b/, test: /\bprivate\b|\bprotected\b/ },
  Swift: { class: /\b(?:file)?private\b/, test: /\b(?:file)?private\b|\bstatic\b|\bclass\b/ },
  JVM: { class: /\babstract\b|\bprivate\b|\bsealed\b/, test: /\bprivate\b|\bstatic\b|\babstract\b/ },
};

const ofClass = /^\s*((?:@?[\w]+(?:\([^)]*\))?\s+)*?)(?:class|struct|object)\s+(\w+)(.*)$/;
const ofTest =
  /^\s*((?:[\w@.<>,?[\]]+\s+)*?(?:func|function|fun|void|def|Task|[A-Z]\w*|int|boolean)\s+)(\w+)\s*(\(.*)$/;

/** Tests that there were, and that by a new line at their head, or at that of their class, no runner finds any more. Pure. */
export function unfoundCases(file: TestFile): Found[] {
  const { after, language } = file;
  if (file.before.cases.length === 0 || file.isDeleted) return [];
  const isHidden = hides[language.name];
  const marks = markedOtherwise(file);
  if (isHidden === undefined) return marks.map((at) => ({ file, at }));
  const lost = (kind: 'class' | 'test', of: RegExp) => {
    const were = new Map(heads(file.before.code, of).map((one) => [one.name, one]));
    return heads(after.code, of).filter((now) => {
      const was = were.get(now.name);
      if (was === undefined || !after.changed.has(now.at)) return false;
      if (kind === 'class' && isBase(file, now.name)) return false;
      if (kind === 'test' && !isCase(file, now)) return false;
      const wasPublic =
        language.name === 'C#' && /\bpublic\b/.test(was.words) && !/\bpublic\b/.test(now.words);
      return (
        wasPublic ||
        (isHidden[kind].test(now.words) && !isHidden[kind].test(was.words)) ||
        (kind === 'test' && isCalledOtherwise(language.name, { was, now }))
      );
    });
  };
  return [...lost('class', ofClass), ...lost('test', ofTest)].map(({ at }) => ({ file, at }));
}

function heads(code: readonly CodeLine[], of: RegExp): Head[] {
  return code.flatMap(({ at, bare }) => {
    const [, words = '', name, rest = ''] = of.exec(bare) ?? [];
    return name === undefined ? [] : [{ at, name, words, rest }];
  });
}

/** Whether a function is a test by its name or by a mark above it. */
function isCase({ before, after }: TestFile, { at, name }: Head): boolean {
  if (/^test/i.test(name)) return true;
  const index = indexOfLine(after.code, at);
  const above = after.code.slice(Math.max(0, index - 3), index).map(({ bare }) => bare);
  return (
    before.cases.some(({ title }) => title === name) ||
    above.some((bare) => /^\s*(?:@\w*Test\b|\[(?:Fact|Theory|Test))/.test(bare))
  );
}

/** Whether another class of the file takes over the tests of one. */
function isBase({ after }: TestFile, name: string): boolean {
  return after.code.some(({ bare }) =>
    new RegExp(String.raw`\bclass\s+\w+.*(?:extends|:|<|\()\s*${name}\b`).test(bare),
  );
}

/** Whether a runner that calls tests without arguments, and awaits nothing they return, no longer calls one. */
function isCalledOtherwise(language: string, { was, now }: { was: Head; now: Head }): boolean {
  if (language === 'Swift')
    return (
      (/^\(\s*\)/.test(was.rest) && !/^\(\s*\)/.test(now.rest)) ||
      (/->/.test(now.rest) && !/->/.test(was.rest))
    );
  // JUnit leaves out what returns something.
  return language === 'JVM' && /\bvoid\s*$/.test(was.words) && !/\b(?:void|fun|def)\s*$/.test(now.words);
}

/** New lines that make something else of the tests below them: a fixture, a property, a private method. */
function markedOtherwise({ language, after: { code, changed } }: TestFile): number[] {
  if (language.name === 'Python')
    return code.flatMap(({ at, bare }, index) => {
      const isMark = /^\s*@(?:pytest\.fixture\b|fixture\b|property\b|(?:functools\.)?cached_property\b)/.test(
        bare,
      );
      const below = code.slice(index + 1, index + 4).find((line) => !/^\s*@/.test(line.bare));
      return isMark && changed.has(at) && /^\s*(?:async\s+)?def\s+test/.test(below?.bare ?? '') ? [at] : [];
    });
  if (language.name !== 'Ruby') return [];
  return code.flatMap(({ at, bare }, index) => {
    if (!changed.has(at) || !/^\s*(?:private|protected)\b/.test(bare)) return [];
    const below = /^\s*\w+\s*$/.test(bare)
      ? code.slice(index + 1)
      : [{ bare: bare.replace(/^\s*\w+\s+/, '') }];
    const end = below.findIndex((line) => /^\s*(?:public|class|module)\b/.test(line.bare));
    return below.slice(0, end < 0 ? undefined : end).some((line) => /^\s*def\s+test_/.test(line.bare))
      ? [at]
      : [];
  });
}
