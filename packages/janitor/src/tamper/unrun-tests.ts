import { posix } from 'node:path';
import type { ChangedFile } from './changed-file.ts';
import { bodyOf, indentOf } from './languages/body.ts';
import { looksOn } from './languages/harmless.ts';
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
      (sum, { text }) =>
        sum + [...text.matchAll(new RegExp(`(?<![\\w$]|\\b(?:typeof|void) )${name}(?![\\w$])`, 'g'))].length,
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

const heads =
  /^\s*(?:(?:public|final|internal|open)\s+)*class\s+(\w+)\s*(?:\(([^)]*)\)|(?:extends|:|<)\s*([\w:.\\]+))?/;

/** Classes of tests whose base is no longer one that runners look for, nor one of this repository. Pure. */
export function lostBases(file: TestFile): Found[] {
  const classes = (side: 'before' | 'after') =>
    file[side].code.flatMap(({ at, bare }) => {
      const [, name, listed, single] = heads.exec(bare) ?? [];
      return name === undefined ? [] : [{ at, name, bases: (listed ?? single ?? '').trim() }];
    });
  const were = new Map(classes('before').map(({ name, bases }) => [name, bases]));
  const isCase = (bases: string) => /TestCase|Minitest::|Test::Unit/.test(bases);
  const isOwn = (bases: string) => /^\w+$/.test(bases) && !/^(?:object|Object|NSObject)$/.test(bases);
  const isPython = file.language.name === 'Python';
  const { code, changed } = file.after;
  const isUnseen = ({ at, name, bases }: { at: number; name: string; bases: string }) =>
    isPython &&
    changed.has(at) &&
    bases === '' &&
    !name.startsWith('Test') &&
    bodyOf(code, indexOfLine(code, at)).some(({ bare }) => /^\s+(?:async\s+)?def\s+test/.test(bare));
  return classes('after')
    .filter((one) => {
      const isLost = isCase(were.get(one.name) ?? '') && !isCase(one.bases) && !isOwn(one.bases);
      return isUnseen(one) || (isLost && !(isPython && one.name.startsWith('Test')));
    })
    .map(({ at }) => ({ file, at }));
}

/** Hooks of pytest that do more than look on, in which a line is new. Pure. */
export function changedHooks(file: TestFile): Found[] {
  if (file.language.name !== 'Python') return [];
  const { code, changed } = file.after;
  return code.flatMap((line, index) => {
    if (
      !/^\s*def\s+pytest_(?:runtest|collection|pyfunc|collect|sessionfinish|ignore|deselected)\w*/.test(
        line.bare,
      )
    )
      return [];
    const [, ...body] = bodyOf(code, index);
    const fresh = body.find(({ at }) => changed.has(at));
    return fresh === undefined || changed.has(line.at) || looksOn(code, line) ? [] : [{ file, at: fresh.at }];
  });
}

/** Tests of C that are functions which something called by their name, and nothing does any more. Pure. */
export function lostCalls(file: TestFile): Found[] {
  if (file.language.name !== 'C' || file.isDeleted) return [];
  const uses = (side: 'before' | 'after', name: string) =>
    file[side].code.filter(({ bare }) => new RegExp(`\\b${name}\\b`).test(bare)).length;
  return file.after.code.flatMap(({ at, bare }) => {
    const name = /^\s*(?:static\s+)?(?:void|int|bool)\s+(test\w*)\s*\(/.exec(bare)?.[1];
    return name !== undefined && uses('before', name) > 1 && uses('after', name) === 1 ? [{ file, at }] : [];
  });
}

/** Tests of Python that became coroutines without anything to wait for, or generators: no runner runs them to their end. Pure. */
export function neverAwaited(file: TestFile): Found[] {
  if (file.language.name !== 'Python') return [];
  const { code, changed } = file.after;
  return code.flatMap(({ at, bare, text }, index) => {
    if (!/^\s*(?:async\s+)?def\s+test/.test(bare)) return [];
    const [, ...body] = bodyOf(code, index);
    const waits = /\bawait\b|\basync\s+(?:for|with)\b/;
    const isNew = changed.has(at) || body.some((line) => changed.has(line.at));
    const isCoroutine =
      isNew &&
      wasAwaited(file, bare) &&
      /^\s*async\b/.test(text) &&
      !body.some((line) => waits.test(line.bare));
    const inner = Math.min(...body.map((line) => indentOf(line.text)));
    const yields = body.find(
      (line) =>
        changed.has(line.at) && indentOf(line.text) === inner && /^\s*(?:\w+\s*=\s*)?yield\b/.test(line.bare),
    );
    return [
      ...(isCoroutine ? [{ file, at }] : []),
      ...(yields === undefined ? [] : [{ file, at: yields.at }]),
    ];
  });
}

/** Whether a test with this head waited for something before, or was another function. */
function wasAwaited({ before: { code } }: TestFile, head: string): boolean {
  const index = code.findIndex(({ bare }) => bare === head);
  return index < 0 || bodyOf(code, index).some(({ bare }) => /\bawait\b|\basync\s+(?:for|with)\b/.test(bare));
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
