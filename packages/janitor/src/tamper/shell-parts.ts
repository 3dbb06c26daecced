import { between, closing, closingQuote, groups, isBlank, wordEnds } from './shell-marks.ts';

/** A word of a shell as it is handed to a program, without its quotes. */
export interface ShellWord {
  text: string;
  /** As it is written. */
  raw: string;
  /** Commands whose output is put in its place. */
  captures: readonly (readonly Pipeline[])[];
}

/** One simple command, or a group such as a loop. */
export interface Stage {
  words: readonly ShellWord[];
  /** What a group runs; null for a simple command. */
  body: readonly Pipeline[] | null;
  inputs: readonly ShellWord[];
  outputs: readonly ShellWord[];
  /** What is given to it in the script itself. */
  texts: readonly string[];
}

/** Commands of which each reads what the one before it prints. */
export interface Pipeline {
  stages: readonly Stage[];
}

interface Draft {
  words: ShellWord[];
  body: Pipeline[] | null;
  inputs: ShellWord[];
  outputs: ShellWord[];
  texts: string[];
}
interface Cursor {
  text: string;
  at: number;
  /** What variables hold that the script sets itself. */
  values: Map<string, string[]>;
  /** Texts that begin with the next line. */
  awaited: { end: string; into: string[] }[];
  /** How many groups it is in. */
  depth: number;
}

/** Enough for what people write. */
const mostWords = 40;
const deepest = 60;
/** What a shell makes of a script; of what is no script of a shell, as much as can be read. Pure. */
export function shellParts(script: string): Pipeline[] {
  const text = script.replace(/\\\r?\n/g, ' ').replace(/\r\n/g, '\n');
  const cursor: Cursor = { text, at: 0, values: new Map(), awaited: [], depth: 0 };
  return readList(cursor, '');
}

/** Commands up to a word or sign that ends them. */
function readList(cursor: Cursor, end: string): Pipeline[] {
  const found: Pipeline[] = [];
  cursor.depth += 1;
  // What is nested further is no script that people write.
  if (cursor.depth > deepest) cursor.at = cursor.text.length;
  for (;;) {
    skipSeparators(cursor);
    if (cursor.at >= cursor.text.length) return done(cursor, found, 0);
    if (end === ')' && cursor.text[cursor.at] === ')') return done(cursor, found, 1);
    const word = keyword(cursor);
    if (end !== '' && word === end) return done(cursor, found, word.length);
    if (closing.has(word) || between.has(word)) cursor.at += word.length;
    else if (cursor.text[cursor.at] === ')') cursor.at += 1;
    else {
      const { at } = cursor;
      found.push(readPipeline(cursor));
      if (cursor.at === at) cursor.at += 1;
    }
  }
}

function done(cursor: Cursor, found: Pipeline[], length: number): Pipeline[] {
  cursor.at += length;
  cursor.depth -= 1;
  return found;
}

function skipSeparators(cursor: Cursor): void {
  for (;;) {
    skipBlanks(cursor);
    const sign = cursor.text[cursor.at] ?? '';
    if (sign === '\n') endLine(cursor);
    else if (/[;&|]/.test(sign) && !cursor.text.startsWith('&>', cursor.at)) cursor.at += 1;
    else return;
  }
}

function skipBlanks(cursor: Cursor): void {
  while (isBlank(cursor.text[cursor.at])) cursor.at += 1;
  if (cursor.text[cursor.at] !== '#') return;
  const end = cursor.text.indexOf('\n', cursor.at);
  cursor.at = end < 0 ? cursor.text.length : end;
}

/** Takes the texts that a line announced. */
function endLine(cursor: Cursor): void {
  cursor.at += 1;
  for (const { end, into } of cursor.awaited.splice(0)) {
    const rest = cursor.text.slice(cursor.at);
    const lines = rest.split('\n');
    const last = lines.findIndex((line) => line.trim() === end);
    const taken = last < 0 ? lines : lines.slice(0, last);
    into.push(taken.join('\n'));
    cursor.at = Math.min(cursor.text.length, cursor.at + lines.slice(0, taken.length + 1).join('\n').length);
  }
}

function keyword({ text, at }: Cursor): string {
  return /^(?:[a-z]+|[!{}])(?=[\s;)&|]|$)/.exec(text.slice(at, at + 12))?.[0] ?? '';
}

function readPipeline(cursor: Cursor): Pipeline {
  const stages = [readStage(cursor)];
  for (;;) {
    skipBlanks(cursor);
    const sign = /^\|&?(?!\|)/.exec(cursor.text.slice(cursor.at, cursor.at + 3))?.[0];
    if (sign === undefined) return { stages };
    cursor.at += sign.length;
    while (/[\s]/.test(cursor.text[cursor.at] ?? '')) cursor.at += 1;
    stages.push(readStage(cursor));
  }
}

function readStage(cursor: Cursor): Stage {
  const draft: Draft = { words: [], body: null, inputs: [], outputs: [], texts: [] };
  const word = keyword(cursor);
  const end = groups[word];
  if (cursor.text[cursor.at] === '(') {
    cursor.at += 1;
    draft.body = readList(cursor, ')');
  } else if (end !== undefined) {
    cursor.at += word.length;
    if (word === 'for' || word === 'case') draft.words = readHead(cursor, word);
    draft.body = readList(cursor, end);
  }
  readWords(cursor, draft);
  if (draft.body === null) remember(cursor, draft.words);
  return draft;
}

/** The words that a loop goes through, or what a `case` is about. */
function readHead(cursor: Cursor, word: string): ShellWord[] {
  const draft: Draft = { words: [], body: null, inputs: [], outputs: [], texts: [] };
  readWords(cursor, draft);
  const [first, ...rest] = draft.words;
  const values = rest.filter(({ text }) => text !== 'in');
  if (word === 'case') return [{ text: 'case', raw: 'case', captures: [] }, ...draft.words];
  if (first !== undefined) cursor.values.set(first.text, values.map(({ text }) => text).slice(0, mostWords));
  return [{ text: 'for', raw: 'for', captures: [] }, ...values];
}

/** Keeps what a script sets. */
function remember(cursor: Cursor, words: readonly ShellWord[]): void {
  const sets = words.filter(({ text }) => !/^(?:export|local|readonly|declare)$/.test(text));
  if (!sets.every(({ text, captures }) => /^\w+=/.test(text) && captures.length === 0)) return;
  for (const { text } of sets) {
    const [name = '', value = ''] = text.split(/=(.*)/s);
    if (value !== '' && name !== 'PATH') cursor.values.set(name, [value]);
  }
}

/** Words and redirections of a command. */
function readWords(cursor: Cursor, draft: Draft): void {
  for (;;) {
    skipBlanks(cursor);
    const rest = cursor.text.slice(cursor.at, cursor.at + 8);
    const redirection = /^(?:&>>?|\d*(?:<<<|<<-?|<>|>>|>\||[<>]&\d?-?|[<>](?!\()))/.exec(rest)?.[0];
    if (redirection !== undefined) readRedirection(cursor, { redirection, draft });
    else if (
      cursor.at >= cursor.text.length ||
      (wordEnds(cursor.text, cursor.at) && !isFile(cursor, cursor.at))
    ) {
      // The brackets of a function's name.
      const brackets = /^\(\s*\)/.exec(cursor.text.slice(cursor.at))?.[0];
      if (brackets === undefined || draft.words.length !== 1) return;
      cursor.at += brackets.length;
      draft.words = [];
      return;
    } else draft.words.push(...readWord(cursor));
  }
}

function readRedirection(
  cursor: Cursor,
  { redirection, draft }: { redirection: string; draft: Draft },
): void {
  cursor.at += redirection.length;
  if (/&\d?-?$/.test(redirection) && !redirection.startsWith('&>')) {
    if (/&$/.test(redirection)) readWord(cursor);
    return;
  }
  skipBlanks(cursor);
  const words = readWord(cursor);
  if (redirection.startsWith('<<<')) draft.texts.push(...words.map(({ text }) => text));
  else if (redirection.includes('<<')) cursor.awaited.push({ end: words[0]?.text ?? '', into: draft.texts });
  else if (redirection.includes('<')) draft.inputs.push(...words);
  else draft.outputs.push(...words);
}

interface WordDraft {
  /** All that a word can be. */
  texts: string[];
  captures: Pipeline[][];
  isSplit: boolean;
}

function readWord(cursor: Cursor): ShellWord[] {
  const from = cursor.at;
  const draft: WordDraft = { texts: [''], captures: [], isSplit: false };
  while (cursor.at < cursor.text.length && !(wordEnds(cursor.text, cursor.at) && !isFile(cursor, from)))
    readPart(cursor, draft);
  if (cursor.at === from) cursor.at += 1;
  const raw = cursor.text.slice(from, cursor.at);
  const { captures, isSplit } = draft;
  const texts = isSplit ? draft.texts.flatMap((text) => text.trim().split(/\s+/)) : draft.texts;
  return texts.slice(0, mostWords).map((text) => ({ text, raw, captures }));
}

/** `<( )`, which is a word. */
function isFile({ text, at }: Cursor, from: number): boolean {
  return at === from && /^[<>]\(/.test(text.slice(at, at + 2));
}

function readPart(cursor: Cursor, draft: WordDraft): void {
  const sign = cursor.text[cursor.at] ?? '';
  const next = cursor.text[cursor.at + 1] ?? '';
  if (sign === '\\') {
    add(draft, [next]);
    cursor.at += 2;
  } else if (sign === "'" || sign === '"') readQuoted(cursor, { draft, sign });
  else if (sign === '$' || sign === '`' || /[<>]/.test(sign))
    readExpansion(cursor, { draft, isQuoted: false });
  else {
    const braces = /^\{([\w.*/-]*(?:,[\w.*/-]*)+)\}/.exec(cursor.text.slice(cursor.at, cursor.at + 200));
    add(draft, braces?.[1]?.split(',') ?? [sign]);
    cursor.at += braces?.[0].length ?? 1;
  }
}

function readQuoted(cursor: Cursor, { draft, sign }: { draft: WordDraft; sign: string }): void {
  const end = closingQuote(cursor.text, cursor.at);
  cursor.at += 1;
  if (end < 0) return;
  if (sign === "'") {
    add(draft, [cursor.text.slice(cursor.at, end)]);
    cursor.at = end + 1;
    return;
  }
  while (cursor.at < end) {
    const at = cursor.text[cursor.at] ?? '';
    const next = cursor.text[cursor.at + 1] ?? '';
    if (at === '\\' && /["\\$`]/.test(next)) {
      add(draft, [next]);
      cursor.at += 2;
    } else if (at === '`' || (at === '$' && /[\w({@*#?!$]/.test(next)))
      readExpansion(cursor, { draft, isQuoted: true });
    else {
      add(draft, [at]);
      cursor.at += 1;
    }
  }
  cursor.at = Math.max(cursor.at, end + 1);
}

/** A variable, or commands whose output is taken. */
function readExpansion(cursor: Cursor, { draft, isQuoted }: { draft: WordDraft; isQuoted: boolean }): void {
  const rest = cursor.text.slice(cursor.at);
  if (rest.startsWith('`')) {
    const end = cursor.text.indexOf('`', cursor.at + 1);
    const inside = cursor.text.slice(cursor.at + 1, end < 0 ? undefined : end);
    draft.captures.push(readList({ ...cursor, text: inside, at: 0, awaited: [] }, ''));
    cursor.at = end < 0 ? cursor.text.length : end + 1;
  } else if (/^[$<>]\(/.test(rest)) {
    cursor.at += 2;
    draft.captures.push(readList(cursor, ')'));
  } else {
    const [all = '$', inBraces, plain] = /^\$(?:\{(\w+)[^}]*\}|(\w+|[@*#?!$-]))?/.exec(rest) ?? [];
    cursor.at += all === '' ? 1 : all.length;
    const known = cursor.values.get(inBraces ?? plain ?? '');
    if (known !== undefined && !isQuoted) draft.isSplit ||= known.some((value) => /\s/.test(value));
    if (all !== '$') add(draft, known ?? [(draft.texts[0] ?? '').includes('/') ? '*' : '']);
    else if (isQuoted) add(draft, ['$']);
  }
}

function add(draft: WordDraft, texts: readonly string[]): void {
  const before = draft.texts;
  draft.texts = before.flatMap((text) => texts.map((more) => text + more)).slice(0, mostWords);
}
