import { tidy } from './assertions.ts';
import { bodyOf } from './languages/body.ts';
import { indexOfLine, type CodeLine } from './live-code.ts';
import { compare, type TestFile } from './test-file.ts';
import { isTestPath } from './test-paths.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

type Fresh = CodeLine & { file: TestFile };

/** Lines by which a test is about something that it makes itself: a function, a class of its own, or a class that it opens again. Pure. */
export function ownSubjects(tests: readonly TestFile[]): Found[] {
  const { removed, added } = compare(tests, { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  return tests.flatMap((file) => {
    if (!isTestPath(file.path) || file.before.code.length === 0 || file.language.name === 'shell') return [];
    const gone = removed.filter((line) => line.file === file);
    const fresh = added.filter((line) => line.file === file);
    return [
      ...ownCalls(file, { gone, fresh }),
      ...derived(file, { gone, fresh }),
      ...reopened(file, fresh),
      ...mocked(file, { gone, fresh }),
    ].map(({ at }) => ({ file, at }));
  });
}

const definition =
  /\b(?:function|def|fn|func|fun)\s+(?:\([^)]*\)\s*)?(?:self\.)?(\w+)\s*[(<\s]|\b(?:const|let|val|var|auto)\s+(\w+)\s*=\s*(?:async\s*)?(?:\(|\[|\{|\\?\w+\s*=>|func\b|fun\b|lambda\b)|^\s*(?:(?:public|private|protected|internal|static|final|inline|constexpr)\s+)+[\w<>[\],.?*& ]+\s+\*?(\w+)\s*\([^;]*$|^\s*(?:local\s+function|sub)\s+(\w+)/;

/** Calls of a function that the change adds to the test, in lines that called another and are else as they were. */
function ownCalls(
  { before, after }: TestFile,
  { gone, fresh }: { gone: readonly CodeLine[]; fresh: readonly Fresh[] },
): CodeLine[] {
  const defined = new Map(
    fresh.flatMap((line) => {
      const name = definition
        .exec(line.bare)
        ?.slice(1)
        .find((one) => one !== undefined);
      return name === undefined ? [] : [[name, line] as const];
    }),
  );
  return [...defined].flatMap(([name, line]) => {
    const word = new RegExp(`(?<![\\w.:>])${name}(?=\\s*[(!])`, 'g');
    const olds = fresh
      .filter((one) => one !== line && word.test(one.bare))
      .flatMap((one) => gone.flatMap((was) => otherCall(tidy(was.text), tidy(one.text), name) ?? []));
    const body = bodyOf(after.code, indexOfLine(after.code, line.at));
    return olds.some(
      (old) =>
        !callsAny(body, old) && !(makes.test(old) && callsAny(after.code, old)) && !defines(before.code, old),
    )
      ? [line]
      : [];
  });
}

/** Names of what only makes something ready: a test may call another such function. */
const makes = /^(?:mock|fake|stub|create|make|build|open|load|read|set_?up|render|new)/i;

/** The name that a line called where it now calls another, if that is all that differs. */
function otherCall(was: string, now: string, name: string): string | undefined {
  const at = now.search(new RegExp(`(?<![\\w.:>])${name}(?=\\s*[(!])`));
  const [head, tail] = [now.slice(0, at), now.slice(at + name.length)];
  if (at < 0 || !was.startsWith(head) || !was.endsWith(tail) || was.length <= head.length + tail.length)
    return undefined;
  const old = was.slice(head.length, was.length - tail.length);
  return /^(?:[\w$]+(?:\.|::|->))*[\w$]+$/.test(old) ? /\w+$/.exec(old)?.[0] : undefined;
}

function callsAny(code: readonly CodeLine[], name: string): boolean {
  return code.some(({ bare }) => new RegExp(`(?<!\\w)${name}(?!\\w)`).test(bare));
}

function defines(code: readonly CodeLine[], name: string): boolean {
  return code.some(({ bare }) => definition.exec(bare)?.includes(name) === true);
}

/** Classes that override parts of a class which the test made before, where it did so. */
function derived(
  { after }: TestFile,
  { gone, fresh }: { gone: readonly CodeLine[]; fresh: readonly Fresh[] },
): CodeLine[] {
  return fresh.filter((line) => {
    const base =
      /\bobject\s*:\s*(\w+)\s*\(/.exec(line.bare)?.[1] ??
      /\bnew\s+(\w+)\s*(?:<[^>]*>)?\s*\([^()]*\)\s*\{\s*$/.exec(line.bare)?.[1] ??
      /\bclass\s+\w+\s*(?:\([^)]*\)\s*)?(?:extends|:|<|\()\s*(?:public\s+)?(\w+)/.exec(line.bare)?.[1] ??
      /\bClass\.new\s*\(\s*(\w+)/.exec(line.bare)?.[1];
    if (base === undefined || !/^[A-Z]/.test(base)) return false;
    const made = new RegExp(
      `(?<!\\w)(?:new\\s+)?${base}\\s*(?:<[^>]*>)?\\s*(?:\\(|\\{|\\.new\\b)|\\b${base}\\s+\\w+\\s*[;({]`,
    );
    const isHead = /\bclass\b|\bobject\s*:/;
    return (
      gone.some(({ bare }) => made.test(bare) && !isHead.test(bare)) &&
      bodyOf(after.code, indexOfLine(after.code, line.at)).length > 1
    );
  });
}

/** Mocks of a class that the test made before, under a name whose answers it asserts. */
function mocked(
  { after, language }: TestFile,
  { gone, fresh }: { gone: readonly CodeLine[]; fresh: readonly Fresh[] },
): CodeLine[] {
  return fresh.filter(({ text, bare }) => {
    const name = /(\w+)\s*(?::\s*\w+\s*)?:?=(?!=)/.exec(bare)?.[1];
    if (name === undefined) return false;
    const asks = new RegExp(`\\b${name}(?:\\.Object)?\\.`);
    const isAsked = after.assertions.some((one) => !/^verify/.test(one.text) && asks.test(one.text));
    return language.mocks
      .flatMap((pattern) => pattern.exec(text)?.[1] ?? [])
      .some((one) => {
        const made = new RegExp(`\\b${name}\\b.*=.*\\b${one}\\s*(?:<[^>]*>)?\\(`);
        return isAsked && /^[A-Z]/.test(one) && gone.some((was) => made.test(was.bare));
      });
  });
}

/** Classes of Ruby that the file loaded or named before, and now opens again. */
function reopened({ language, before }: TestFile, fresh: readonly Fresh[]): CodeLine[] {
  if (language.name !== 'Ruby') return [];
  return fresh.filter(({ bare }) => {
    const name =
      /^\s*class\s+([A-Z]\w*)\s*$/.exec(bare)?.[1] ??
      /\b([A-Z]\w*)\.(?:class_eval|class_exec|prepend|define_method|send\s*\(?\s*:define_method)\b/.exec(
        bare,
      )?.[1];
    if (name === undefined) return false;
    const file = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '_').toLowerCase();
    return before.code.some(
      ({ text, bare: old }) =>
        new RegExp(`\\brequire(?:_relative)?\\b.*\\b${file}["']`).test(text) ||
        (new RegExp(`(?<![\\w:])${name}\\b`).test(old) && !new RegExp(`\\bclass\\s+${name}\\b`).test(old)),
    );
  });
}
