import type { CodeLine } from './live-code.ts';
import type { Language } from './languages/language.ts';

/** One thing that a test asserts. */
export interface Assertion {
  path: string;
  at: number;
  /** Whole, in one line, with quotes of one kind: two that are equal assert the same. */
  text: string;
  /** Numbers, strings and words such as `true`, in their order. */
  literals: string[];
  /** The same with its literals left out. */
  shape: string;
  /** 2: an exact value; 1: a part or a kind; 0: whether something is so; -1: nothing. */
  strength: -1 | 0 | 1 | 2;
  isNegative: boolean;
  /** Exceptions that it asks for by name, but for those that all others are. */
  exceptions: string[];
}

const longest = 40;

/** What some lines of a test assert, each assertion joined to one line. Pure. */
export function assertionsOf(
  code: readonly CodeLine[],
  { path, language }: { path: string; language: Language },
): Assertion[] {
  return code.flatMap((line, index) => {
    const begins = [...line.bare.matchAll(language.assertions)].map(
      (match) => match.index + match[0].search(/[^;&|\s]|$/),
    );
    return begins.flatMap((begin, nth) => {
      const text = wholeText(code, { index, begin, end: begins[nth + 1] });
      const before = language.guard === undefined ? undefined : aboveBlock(code, index);
      // What a check that fails then does is another assertion on its line.
      const isFollowed = begins[nth + 1] !== undefined && language.then !== undefined;
      const own = isFollowed ? text.replace(language.then ?? '', '') : text;
      const isGuarded = nth === 0 && before !== undefined && language.guard?.test(before.bare) === true;
      const whole = isGuarded && isMessageOnly(own) ? before.text : own;
      return [
        readAssertion(inPlainWords(tidy(withoutMessage(whole)), language), { path, at: line.at, language }),
      ];
    });
  });
}

/** A text with words that say the same as others replaced by these. */
function inPlainWords(text: string, { same = [] }: Language): string {
  return same.reduce(
    (all, [pattern, words]) =>
      typeof words === 'string' ? all.replace(pattern, words) : all.replace(pattern, words),
    text,
  );
}

/** The line whose block a line is in. */
function aboveBlock(code: readonly CodeLine[], index: number): CodeLine | undefined {
  const indent = (line: CodeLine | undefined) => (line?.text ?? '').search(/\S|$/);
  const own = indent(code[index]);
  for (let above = index - 1; above >= Math.max(0, index - 10); above--)
    if (indent(code[above]) < own) return code[above];
  return undefined;
}

/** In Go a failing is reported after its condition: what it says is for people. */
function isMessageOnly(text: string): boolean {
  return /^(?:[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)|panic)\s*\(/.test(text);
}

function wholeText(
  code: readonly CodeLine[],
  { index, begin, end }: { index: number; begin: number; end: number | undefined },
): string {
  const first = code[index];
  if (first === undefined) return '';
  const closed = closing(first.bare.slice(begin, end));
  let text = first.text.slice(begin, end).slice(0, closed.cut);
  if (end !== undefined || closed.cut !== undefined) return text;
  let { depth } = closed;
  let { isOpen } = first;
  for (let next = index + 1; next < Math.min(code.length, index + longest); next++) {
    const line = code[next];
    if (line === undefined || (depth <= 0 && !isOpen && !/^\s*\??\./.test(line.bare))) break;
    const more = closing(line.bare, depth);
    text += ` ${line.text.trim().slice(0, more.cut)}`;
    depth = more.depth;
    isOpen = line.isOpen;
    if (more.cut !== undefined) break;
  }
  return text;
}

/** How many brackets stay open, and where one is closed that was not opened here. */
function closing(bare: string, open = 0): { depth: number; cut: number | undefined } {
  let depth = open;
  for (let at = 0; at < bare.length; at++) {
    const char = bare[at] ?? '';
    if ('([{'.includes(char)) depth += 1;
    if (')]}'.includes(char)) depth -= 1;
    if (depth < 0) return { depth: 0, cut: at };
    if (char === ';' && depth === 0) return { depth: 0, cut: at };
  }
  return { depth, cut: undefined };
}

/** Quotes, spaces and trailing commas in one way. Pure. */
export function tidy(text: string): string {
  return text
    .replace(
      /(["'`])((?:\\.|(?!\1)[^\\])*)\1/g,
      (_, __, inside: string) => `"${inside.replaceAll('"', '”')}"`,
    )
    .replace(/\s+/g, ' ')
    .replace(/,?\s*([)\]}])/g, '$1')
    .replace(/([([{])\s+/g, '$1')
    .replace(/[\s;,]+$/, '')
    .trim();
}

/** Calls that ask whether one thing is so: what follows is what they say. */
const ofOne = /(?:^|\.)(?:assert!?|ok|assert(?:True|False|NotNull|Null)|True|False)\($/;

/** What an assertion says when it fails is no part of it. */
function withoutMessage(text: string): string {
  const bare = /^assert\s+(?=\S)/.test(text) ? topLevelComma(text, 0) : undefined;
  if (bare !== undefined) return text.slice(0, bare);
  const call = /^(?:\w+[.:]+)*assert\w*!?(?:\.\w+)*\s*\(/.exec(text);
  if (call === null) return text;
  const first = topLevelComma(text, call[0].length);
  const second = first === undefined ? undefined : topLevelComma(text, first + 1);
  if (
    first !== undefined &&
    second === undefined &&
    ofOne.test(call[0]) &&
    /^\s*f?["'`]/.test(text.slice(first + 1))
  )
    return `${text.slice(0, first)})`;
  const isMessage = second !== undefined && /^\s*f?["'`]/.test(text.slice(second + 1));
  return isMessage ? `${text.slice(0, second)})` : text;
}

function topLevelComma(text: string, from: number): number | undefined {
  let depth = 0;
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const char = text[at] ?? '';
    if (quote !== '') {
      if (char === '\\') at += 1;
      else if (char === quote) quote = '';
    } else if (`"'\``.includes(char)) quote = char;
    else if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
    else if (char === ',' && depth === 0) return at;
    if (depth < 0) return undefined;
  }
  return undefined;
}

/** Values: texts, numbers, words such as `true`, symbols, members of enumerations, patterns. */
const literal =
  /\b(?:time|ChronoUnit|TimeUnit)\.[A-Z]\w+|(?<=\b[A-Z]\w*(?:\.|::))[A-Z]\w*(?![\w(.:<!])|(?<=\bhttp\.)Status\w+|(?<![\w:?\])}"']|[\w)\]]\[):[a-z_]\w*[?!]?(?![\w:])|"(?:[^"\\]|\\.)*"|(?<![\w.])-?\d(?:[\w.]|(?<=\d[eE])[+-](?=\d))*|\b(?:true|false|null|undefined|None|True|False|nil|NaN)\b|(?:(?<=[(,]\s?)\/(?![/*])(?:[^/\\]|\\.)+|\/(?:[^/\\\s]|\\.)+)\/[dgimsuvy]*(?=\s*[,)])/g;
const negation =
  /(?<![=!<>\w])!(?!=)|!=|\bnot\b|(?<=[a-z])Not(?=[A-Z]|\b)|_not_|\brefute|\bwont_|_ne!|_NE\b|\bis_?not|False\b(?=\s*\()|\bto_not\b|\bnot_to\b|doesNot|-ne\s/g;

/** The literals of a text, in their order. Pure. */
export function literalsOf(text: string): string[] {
  // A variable in quotes, as shells have it, is a name; an operator in quotes is no value.
  return (
    [...text.matchAll(literal)]
      // What only says how a pattern is read, but for capitals and lines, asks for nothing.
      .map(([found]) => (found.startsWith('/') ? found.replace(/[dguvy]+$/, '') : found))
      .filter((found) => !/^"(?:\$\{?\w+\}?|==)"$/.test(found))
  );
}

const anyException = /^(?:Throwable|(?:Base|Runtime|Standard|System)?(?:Exception|Error)|AssertionError)$/;

/** Names of exceptions in a text, but for those that any failure has. */
function exceptionsOf(words: string): string[] {
  return (
    words.match(/\b\w*(?:Error|Err|Kind)::\w+|\b\w*(?:Exception|Error|Throwable|out_of_range|_error)\b/g) ??
    []
  ).filter(
    (name) => /^[A-Z]|_/.test(name) && !anyException.test(name) && !/^(?:to|assert|raise|throw)/i.test(name),
  );
}

function readAssertion(
  text: string,
  { path, at, language }: { path: string; at: number; language: Language },
): Assertion {
  const words = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const isGuard = language.guard !== undefined && /^(?:\}\s*else\s+)?if\b/.test(text);
  const isHollow = language.hollow.some((pattern) => pattern.test(text));
  // What only asks for the type of a value says little of it.
  const isOfType =
    /\btypeof\b|\binstanceof\b|\bisinstance\b|\btype\s*\(|\bArray\.isArray\b|\bgetClass\b|\bGetType\b/.test(
      words,
    );
  const isChoice = /\|\||\bor\b|\.Or\./.test(words);
  // One of many is enough.
  const isAny = /(?<![\w.])any\s*\(|\.(?:some|any|anyMatch|any\?|Any)\s*[({]/.test(words);
  const isLoose = language.exact.test(words) && language.forgets?.test(words) === true;
  const full =
    language.exact.test(words) && !isChoice && !isOfType && !isLoose
      ? 2
      : language.partial.test(words) || isLoose
        ? 1
        : 0;
  return {
    path,
    at,
    text,
    literals: literalsOf(text),
    shape: text.replace(literal, '§'),
    strength: isHollow ? -1 : isAny ? 0 : full,
    exceptions: exceptionsOf(words),
    // What is asked before a failing says what must not be.
    isNegative: isGuard !== (Array.from(words.replace(/![([]?\s*$/, '').matchAll(negation)).length % 2 === 1),
  };
}
