import { literalsOf, tidy, type Assertion } from './assertions.ts';
import { bodyOf } from './languages/body.ts';
import { indexOfLine, type CodeLine } from './live-code.ts';
import { compare, type TestFile } from './test-file.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

/** A line that a test got which there was, and what the test asserted before. */
interface Given extends CodeLine {
  asserted: Assertion[];
}

/** New lines of tests that there were. */
function givenLines(file: TestFile): Given[] {
  const { after, before } = file;
  const titles = ({ cases }: TestFile['after']) => new Map(cases.map(({ at, title }) => [at, title]));
  const [old, now] = [titles(before), titles(after)];
  if (old.size === 0) return [];
  const said = Map.groupBy(before.assertions, ({ at }) => old.get(before.owners.get(at) ?? 0));
  return changedCode(file).added.flatMap((line) => {
    const title = now.get(after.owners.get(line.at) ?? 0);
    const asserted = said.get(title);
    return title === undefined || asserted === undefined ? [] : [{ ...line, asserted }];
  });
}

function changedCode(file: TestFile) {
  return compare([file], { take: ({ code }) => code, key: ({ text }) => tidy(text) });
}

const handler =
  /\bcatch\s*(?:\([^)]*\))?\s*\{|\bcatch\s+\w[^{]*\{|^\s*except\b.*:|^\s*rescue\b[^;]*|\brescue\s+(?=\S)|\.catch\s*\([^)]*\)?\s*=>|\bgetOr(?:Else|Default)\s*\(|\bunwrap_or(?:_else)?\s*\(|\.then\s*\(\s*(?:async\s*)?\(\s*\)\s*=>/;
const plain = /^(?:-?[01]|""|true|false|True|False|null|undefined|None|nil|NaN)$/;

/** Whether a value is made of nothing but what a test expects. */
function isExpected(value: string, asserted: readonly Assertion[]): boolean {
  const telling = literalsOf(value).filter((one) => !plain.test(one));
  const wanted = new Set(asserted.flatMap(({ literals }) => literals));
  return telling.length > 0 && telling.every((one) => wanted.has(one));
}

/** Handlers of failures, and of what was got whatever it is, that give the value which the test expects. Pure. */
export function caughtAnswers(file: TestFile): Found[] {
  const { code } = file.after;
  return givenLines(file).flatMap(({ at, asserted }) => {
    const index = indexOfLine(code, at);
    const line = code[index];
    if (line === undefined) return [];
    const next = code[index + 1];
    const isOpen = /\.(?:then|catch)\s*\(\s*$/.test(line.bare) && next !== undefined;
    const [text, bare] = isOpen
      ? [line.text + next.text.trim(), line.bare + next.bare.trim()]
      : [line.text, line.bare];
    const found = handler.exec(bare);
    if (found === null) return [];
    const below = bodyOf(code, index)
      .slice(1, 4)
      .map((one) => tidy(one.text));
    const given = [tidy(text.slice(found.index + found[0].length)), ...below].flatMap(
      (one) => /^(?:\|\w*\|\s*)?(?:return\b|\w+\s*:?=(?![=>])|(?=["[({]|-?\d))\s*(.+)$/.exec(one)?.[1] ?? [],
    );
    return given.some((value) => !/^\W*(?:assert|expect)/.test(value) && isExpected(value, asserted))
      ? [{ file, at }]
      : [];
  });
}

const value = String.raw`("(?:[^"\\]|\\.)*"|-?\d[\w.]*)`;
const other = String.raw`(?!["\d-])[\w.$@>-]+(?:\([^()]*\))?`;
const insteads = [
  new RegExp(String.raw`\?\s*${value}\s*:\s*${other}\s*(?:[;,)\]]|$)`),
  new RegExp(String.raw`\?\s*${other}\s*:\s*${value}`),
  new RegExp(String.raw`\bif\b.*\belse\s+${value}`),
  new RegExp(String.raw`(?:\?\?|\|\||\bor)\s+("(?:[^"\\]|\\.)*"|-?\d[\w.]*|[[{(].*)`),
  new RegExp(
    String.raw`^\s*(?:expect\s*\(|assert\s|assert\w*(?:\.\w+)?\()\s*\{\s*(?:\.\.\.|\*\*)\w+,.*?[\w"]:\s*${value}`,
  ),
  new RegExp(String.raw`\.(?:filter|select)\b.*\w\([^()]*\)\s*===?\s*${value}`),
];

/** A part of what was got is set. */
const sets = new RegExp(
  String.raw`\b(?:Object\.assign|Object\.defineProperty|setattr)\s*\(\s*(\w+),.*[:=,]\s*${value}|\b(\w+)\.(?:update|merge!)\s*\(.*[:=,]\s*${value}`,
);

/** New lines by which a test has the value that it expects whatever it got. Pure. */
export function insteadOfAnswers(file: TestFile): Found[] {
  return givenLines(file).flatMap(({ at, text, asserted }) => {
    const words = tidy(text);
    const isGiven = insteads.some((pattern) => isExpected(pattern.exec(words)?.[1] ?? '', asserted));
    const [, one, part, other, change] = sets.exec(words) ?? [];
    const name = new RegExp(`\\b${one ?? other ?? '-'}\\b`);
    const isSet =
      isExpected(part ?? change ?? '', asserted) &&
      file.after.assertions.some((said) => said.at > at && name.test(said.text));
    return (isGiven || isSet) && !/platform|win32|version|\bOS\b|GOOS/i.test(words) ? [{ file, at }] : [];
  });
}

/** Races of what a test is about with a value that is there already. Pure. */
export function racedAnswers(file: TestFile): Found[] {
  if (file.language.name !== 'JavaScript') return [];
  const { removed } = changedCode(file);
  const { code } = file.after;
  return givenLines(file).flatMap(({ at, bare }) => {
    if (!/\bPromise\.(?:race|any)\s*\(/.test(bare)) return [];
    const index = indexOfLine(code, at);
    const all = [code[index], ...bodyOf(code, index).slice(1)].map((line) => line?.bare ?? '').join(' ');
    const isThere = /\bPromise\.resolve\s*\(|\(\s*(\w+)[^()]*\)\s*=>\s*\1\s*\(|\basync\s*\(\s*\)\s*=>/.test(
      all,
    );
    const raced = [...all.matchAll(/(\w+)\s*\(/g)].map(([, name = '']) => name);
    const wasAlone = removed.some((line) =>
      raced.some(
        (name) =>
          !/^(?:race|any|resolve|async)$/.test(name) && new RegExp(`\\b${name}\\s*\\(`).test(line.bare),
      ),
    );
    return isThere && wasAlone ? [{ file, at }] : [];
  });
}

const throws =
  /(?:^|[\s({;:])(?:throw|raise)\b\s*(?:new\s+)?\(?\s*[\\\w.:]*|\bpanic!?\s*\(|\b(?:Promise\.)?reject\s*\(\s*(?:new\s+)?\w*|\bstd::panic::panic_any\b|\bassert(?:_eq|_ne)?!\s*\(|\.expect(?:_err)?\s*\(|\bside_effect\s*=\s*\w+|\.and_raise\s*\(\s*\w*|\bmockReject\w+\s*\(|\b(?:then|do|will)Throw\w*\s*\(|\bmockImplementation\w*\(.*\bthrow\b/;
const asksForFailure = /throw|raise|panic|reject|expectException|Catch|dies_ok|_THROW|intercept/i;

/** Failures that a test makes itself where it asks for one of the code. Pure. */
export function ownFailures(file: TestFile): Found[] {
  const { removed } = changedCode(file);
  return givenLines(file).flatMap(({ at, text, bare, asserted }) => {
    const match = throws.exec(bare);
    if (match === null || /\bexpect\w*\s*\(.*\breject/.test(bare)) return [];
    if (/^\W*(?:assert|expect)/.test(match[0]) && file.language.name !== 'Rust') return [];
    const wanted = asserted.filter((one) => asksForFailure.test(one.text) && !one.isNegative);
    const [said = ''] = /(["'`])(?:\\.|(?!\1)[^\\])*\1/.exec(text.slice(match.index)) ?? [];
    const words = said.slice(1, -1);
    const name = /(\w+)\W*$/.exec(match[0])?.[1] ?? '';
    const isThatOf = wanted.some(({ text: asked, literals, exceptions }) => {
      if (exceptions.includes(name)) return true;
      const parts = literals.map((one) => one.replace(/^["/]|["/]\w*$/g, '')).filter((one) => one !== '');
      if (parts.length === 0 && exceptions.length === 0) return words !== '' || /\bpanic\b/.test(asked);
      return parts.some((part) => part.length > 2 && words.includes(part));
    });
    const isMoved = removed.some(
      (line) => throws.test(line.bare) && words !== '' && line.text.includes(words),
    );
    return isThatOf && !isMoved ? [{ file, at }] : [];
  });
}

/** Messages that a test sends itself where it waits for one of the code, and pages that it writes where it opened one. Pure. */
export function ownMessages(file: TestFile): Found[] {
  const { removed } = changedCode(file);
  const wasOpened = removed.some(({ bare }) =>
    /\bpage\.goto\s*\(|\bcy\.visit\s*\(|\bbrowser\.url\s*\(/.test(bare),
  );
  return givenLines(file)
    .filter(
      ({ bare, asserted }) =>
        (/\bsend\s*\(?\s*self\s*\(\s*\)/.test(bare) &&
          asserted.some((one) => /assert_receive/.test(one.text))) ||
        (wasOpened &&
          /\.setContent\s*\(|\bdocument\.write\s*\(|\.innerHTML\s*=|\.goto\s*\(\s*["'`]data:/.test(bare)),
    )
    .map(({ at }) => ({ file, at }));
}

/** New functions of tests that call what they are given and, when it fails, give something else than the failure. Pure. */
export function calmDefaults(file: TestFile): Found[] {
  const { code, changed, owners } = file.after;
  return code.flatMap(({ at, bare }, index) => {
    const caught =
      /\bcatch\s*(?:\(\s*(?:[\w.]+\s+)?(\w+)[^)]*\))?\s*\{|^\s*except\b(?:.*\bas\s+(\w+))?.*:|^\s*rescue\b(?:.*=>\s*(\w+))?/.exec(
        bare,
      );
    if (caught === null || !changed.has(at) || owners.has(at)) return [];
    const name = caught.slice(1).find((one) => one !== undefined);
    const rest = [
      bare.slice(caught.index + caught[0].length),
      ...bodyOf(code, index)
        .slice(1)
        .map((line) => line.bare),
    ].join('\n');
    const gives = /\breturn\b\s*(\S.*)/.exec(rest)?.[1];
    if (gives === undefined || (name !== undefined && new RegExp(`\\b${name}\\b`).test(gives))) return [];
    const head = code.slice(0, index).findLastIndex((line) => beginsFunction.test(line.bare));
    const given = (/\(([^()]*)\)/.exec(code[head]?.bare ?? '')?.[1] ?? '').match(/[A-Za-z_$]\w*/g) ?? [];
    const isCalled = code
      .slice(Math.max(0, head), index)
      .some((line) =>
        given.some((one) =>
          new RegExp(String.raw`\breturn\s+(?:await\s+)?${one}\s*(?:\?\.)?\(`).test(line.bare),
        ),
      );
    return isCalled ? [{ file, at }] : [];
  });
}

const beginsFunction = /\b(?:def|function|fn|func|fun)\b|=>\s*\{\s*$/;
