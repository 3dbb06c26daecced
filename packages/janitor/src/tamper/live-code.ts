import type { Line } from './changed-file.ts';
import type { Syntax } from './languages/language.ts';

/** A line of code without its comment. */
export interface CodeLine extends Line {
  /** The same with the contents of strings blanked, of equal length. */
  bare: string;
  /** Whether a string of several lines is open at its end. */
  isOpen: boolean;
}

/** What of a file is code, and what is comment. */
export interface Live {
  code: CodeLine[];
  comments: Line[];
}

/** Longer lines are cut: nothing that a person wrote is. */
const longestLine = 4_000;

/** Characters with which no comment or string of any language begins or ends: they are taken together. */
const plain = /[\w ,.;=<>+$-]+/y;

interface State {
  /** End of the block comment that is open. */
  comment: string | null;
  /** Quote of the string that is open, and whether it is where a statement begins: then it is a comment in all but name. */
  string: { quote: string; isIdle: boolean } | null;
  /** Brackets that are open: inside of them a string is a value. */
  depth: number;
}

/** Separates code from comments, line by line; strings that are statements of their own count as comments. Empty lines are left out. Pure. */
export function liveCode(lines: readonly Line[], syntax: Syntax): Live {
  const live: Live = { code: [], comments: [] };
  const state: State = { comment: null, string: null, depth: 0 };
  for (const { at, text } of lines.flatMap(asCompilersRead)) {
    if (syntax.end?.test(text) === true) break;
    const read = readLine(text.slice(0, longestLine), syntax, state);
    const isOpen = state.string !== null && !state.string.isIdle;
    if (read.text.trim() !== '')
      live.code.push({ at, text: read.text.trimEnd(), bare: read.bare.trimEnd(), isOpen });
    if (read.comment.trim() !== '') live.comments.push({ at, text: read.comment.trim() });
  }
  return live;
}

/** A line of git may be several of a language: other characters end a line, and a comment, as well. */
function asCompilersRead(line: Line): Line[] {
  if (!/[\r\u2028\u2029]/.test(line.text)) return [line];
  return line.text.split(/[\r\u2028\u2029]/).map((text) => ({ at: line.at, text }));
}

function readLine(
  line: string,
  syntax: Syntax,
  state: State,
): { text: string; bare: string; comment: string } {
  let text = '';
  let bare = '';
  let comment = '';
  // What begins with a line break begins at the start of a line.
  const source = `\n${line}`;
  let at = 0;
  const take = (length: number, kind: 'code' | 'content' | 'comment'): void => {
    const part = source.slice(at, at + length).replace('\n', '');
    if (kind === 'comment') comment += part;
    else text += part;
    if (kind !== 'comment') bare += kind === 'code' ? part : ' '.repeat(part.length);
    at += length;
  };
  while (at < source.length) {
    take(plainRun(source, at), kindOf(state));
    const rest = (words: readonly string[] | undefined) => words?.find((word) => source.startsWith(word, at));
    if (state.comment !== null) {
      const isEnd = source.startsWith(state.comment, at);
      take(isEnd ? state.comment.length : 1, 'comment');
      if (isEnd) state.comment = null;
      continue;
    }
    if (state.string !== null) {
      const { quote, isIdle } = state.string;
      if (source[at] === '\\') take(2, isIdle ? 'comment' : 'content');
      else if (source.startsWith(quote, at)) {
        take(quote.length, isIdle ? 'comment' : 'code');
        state.string = null;
      } else take(1, isIdle ? 'comment' : 'content');
      continue;
    }
    const block = syntax.block.find(([begin]) => source.startsWith(begin, at));
    const long = rest(syntax.long);
    if (block !== undefined) {
      take(block[0].length, 'comment');
      state.comment = block[1];
    } else if (rest(syntax.line) !== undefined && beginsComment(source, at, syntax)) {
      take(source.length - at, 'comment');
    } else if (long !== undefined) {
      const isIdle = long.length === 3 && state.depth === 0 && text.trim() === '';
      take(long.length, isIdle ? 'comment' : 'code');
      state.string = { quote: long, isIdle };
    } else if (syntax.quotes.includes(source[at] ?? '\0')) {
      state.string = { quote: source[at] ?? '', isIdle: false };
      take(1, 'code');
    } else {
      if ('([{'.includes(source[at] ?? ' ')) state.depth += 1;
      if (')]}'.includes(source[at] ?? ' ')) state.depth = Math.max(0, state.depth - 1);
      take(1, 'code');
    }
  }
  if (state.string !== null && !(syntax.long ?? []).includes(state.string.quote)) state.string = null;
  return { text, bare, comment };
}

function plainRun(source: string, at: number): number {
  plain.lastIndex = at;
  return plain.exec(source)?.[0].length ?? 0;
}

function kindOf({ comment, string }: State): 'code' | 'content' | 'comment' {
  if (comment !== null || string?.isIdle === true) return 'comment';
  return string === null ? 'code' : 'content';
}

/** A `#` inside of a word, as in `$#` or `a#b`, begins no comment, nor does `#[` where `//` begins one as well: it is an attribute. */
function beginsComment(source: string, at: number, syntax: Syntax): boolean {
  if (!syntax.line.includes('#') || source[at] !== '#') return true;
  if (source[at + 1] === '[' && syntax.line.includes('//')) return false;
  return /[\s;({[,)\]}]/.test(source[at - 1] ?? '\n');
}

/** Where in a file's code a line is; -1 where it is none of it. Pure. */
export function indexOfLine(code: readonly Line[], at: number): number {
  let [from, to] = [0, code.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((code[middle]?.at ?? 0) < at) from = middle + 1;
    else to = middle;
  }
  return code[from]?.at === at ? from : -1;
}
