import { posix } from 'node:path';
import type { ChangedFile } from './changed-file.ts';
import { indexOfLine, type CodeLine } from './live-code.ts';
import type { TestFile } from './test-file.ts';
import { isTestName } from './test-paths.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

/** Functions that a test newly defines, that assert, and that nothing calls. Pure. */
export function neverCalled(file: TestFile): Found[] {
  if (!isTestName(file.path)) return [];
  const { code, changed, assertions } = file.after;
  return code.flatMap((line, index) => {
    const name = changed.has(line.at) ? namedFunction(file, line) : undefined;
    if (name === undefined) return [];
    const uses = code.reduce(
      (sum, { text }) => sum + [...text.matchAll(new RegExp(`(?<![\\w$])${name}(?![\\w$])`, 'g'))].length,
      0,
    );
    const body = bodyOf(code, index);
    const asserts = assertions.some(({ at }) => body.some((one) => one.at === at));
    return uses === 1 && asserts ? [{ file, at: line.at }] : [];
  });
}

function namedFunction({ language }: TestFile, { bare }: CodeLine): string | undefined {
  if (language.name === 'JavaScript')
    return /^\s*(?:async\s+)?(?:const\s+(\w+)\s*=\s*(?:async\s*)?(?:function\b|(?:\([^()]*\)|\w+)\s*=>)|function\s*\*?\s*(\w+)\s*\()/
      .exec(bare)
      ?.slice(1)
      .find((name) => name !== undefined);
  if (language.name !== 'Python') return undefined;
  return /^\s*(?:async\s+)?def\s+(?!test|pytest_|setup|teardown|_?_)(\w+)\s*\(\s*(?!self\b|cls\b)/.exec(
    bare,
  )?.[1];
}

/** The line of a function and what is indented below it. */
function bodyOf(code: readonly CodeLine[], index: number): CodeLine[] {
  const first = code[index];
  if (first === undefined) return [];
  const end = code.findIndex((line, at) => at > index && indentOf(line.text) <= indentOf(first.text));
  return code.slice(index, end < 0 ? code.length : end);
}

/** Tests of Python whose name is deleted, or given to something else below. Pure. */
export function namesLost(file: TestFile): Found[] {
  if (file.language.name !== 'Python') return [];
  const { code, changed } = file.after;
  const taken = new Map<string, CodeLine>();
  let group: { name: string; indent: number } | undefined;
  return code.flatMap((line) => {
    const indent = indentOf(line.text);
    if (group !== undefined && indent <= group.indent) group = undefined;
    const scope = group?.name ?? '';
    const opened = /^\s*class\s+(\w+)/.exec(line.bare)?.[1];
    const named = opened ?? /^\s*(?:async\s+)?def\s+(test\w*)/.exec(line.bare)?.[1];
    const other =
      /^\s*(?:del\s+|delattr\s*\(\s*)(\w+)/.exec(line.bare)?.[1] ??
      /^\s*(\w+)\s*(?:\.\s*test\w*\s*)?(?::[^=]*)?=(?!=)/.exec(line.bare)?.[1] ??
      /\bglobals\s*\(\s*\)\s*(?:\.pop\s*\(|\[)\s*["'](\w+)/.exec(line.text)?.[1];
    const first = taken.get(`${scope}.${named ?? other}`);
    if (named !== undefined) taken.set(`${scope}.${named}`, line);
    if (opened !== undefined) group = { name: `${scope}.${opened}`, indent };
    const isLost = first !== undefined && indentOf(first.text) === indent;
    return isLost && (changed.has(line.at) || (named !== undefined && changed.has(first.at)))
      ? [{ file, at: line.at }]
      : [];
  });
}

/** A block that ends as a success whatever was asserted: by a `finally` that returns, or where any exception is expected. */
export function coversFailure({ file, at, bare }: CodeLine & { file: TestFile }): boolean {
  const { code, assertions } = file.after;
  const index = indexOfLine(code, at);
  const next = code[index + 1];
  if (/\bfinally\s*(?:\{|:)\s*$/.test(bare)) return /^\s*(?:return|break|continue)\b/.test(next?.bare ?? '');
  if (/^\s*finally\s*:\s*(?:return|break|continue)\b/.test(bare)) return true;
  const expects =
    /\bwith\s+.*(?:\braises|\bassertRaises\w*)\s*\(\s*\(?\s*(?:\w+\s*,\s*)*(?:builtins\.)?(?:BaseException|Exception|AssertionError)\b/;
  if (!expects.test(bare)) return false;
  return bodyOf(code, index).some(
    (line, nth) =>
      nth > 0 &&
      assertions.some((one) => one.at === line.at) &&
      /^\s*(?:assert\b|self\.assert)/.test(line.bare),
  );
}

const given = /\b(?:test|it|describe|suite|expect|assert|should)\b/;

/** Tests that take their words from a file of this change which loads no test library itself. Pure. */
export function stubbed(tests: readonly TestFile[], files: readonly ChangedFile[]): Found[] {
  const texts = new Map(files.map(({ path, after }) => [path, after.map(({ text }) => text).join('\n')]));
  return tests.flatMap((file) => {
    if (file.language.name !== 'JavaScript' || file.before.cases.length === 0) return [];
    return file.after.code.flatMap((line) => {
      const from =
        /^\s*import\s+([^'"]*?)\s*from\s*['"](\.[^'"]*)['"]/.exec(line.text) ??
        /^\s*(?:const|let|var)\s+([^=]*?)\s*=\s*(?:await\s+import|require)\s*\(\s*['"](\.[^'"]*)['"]/.exec(
          line.text,
        );
      if (from === null || !file.after.changed.has(line.at) || !given.test(from[1] ?? '')) return [];
      const path = posix.join(posix.dirname(file.path), from[2] ?? '');
      const text = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '/index.js', '/index.ts'].flatMap(
        (ending) => texts.get(`${path}${ending}`) ?? texts.get(path.replace(/\.js$/, '.ts')) ?? [],
      )[0];
      return text === undefined || library.test(text) ? [] : [{ file, at: line.at }];
    });
  });
}

const library =
  /(?:from|import|require)\s*\(?\s*['"](?:node:(?:test|assert)[\w/]*|assert(?:\/strict)?|vitest|@?jest[\w/-]*|@playwright\/[\w-]+|ava|tape|tap|uvu[\w/]*|chai|mocha|bun:test|@japa\/\w+|should|expect)['"]/;

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
