import ts from 'typescript';

/** A command line that a text offers. */
export interface Offer {
  /** As written, expressions of templates as `<name>`. */
  line: string;
  /** Line of its text in the file, from 1. */
  at: number;
  /** marked: in backticks or quotes, or alone on its line · loose: bare words of a sentence, which nobody can tell apart from it. */
  kind: 'marked' | 'loose';
}

interface Text {
  text: string;
  at: number;
}

const program = /(?<![\w./@-])(?:baton|git) (?=[a-z<-])/;
const marked = /`([^`]+)`|"(baton [^"\n]+)"/g;
const verbs = 'branch|checkout|commit|config|fetch|merge|push|reset|stash|switch';
/** A string that begins with `git` and no such verb is mostly a sentence: indented or after `$` it is none. */
const alone = new RegExp(
  String.raw`^(?:[ \t]*(?:\$ )?((?:[A-Z_]+=\S+ )*baton (?=[a-z<-]).*)|(?:[ \t]+(?:\$ )?|\$ )(git (?=[a-z<-]).*)|(?:<\w+>)?(git (?=(?:${verbs}) ).*))$`,
  'gm',
);
/** `baton run:` is the label of a row. */
const loose = new RegExp(
  String.raw`(?<![\w./@-])(?:baton (?=[a-z<-]+(?:[^a-z:]|$))|git (?=(?:${verbs}) ))[^.\n]*`,
  'g',
);

/** All command lines of `baton` and `git` that a file offers: of a page all, of a program those of its strings. */
export function offersOf(file: string, content: string): Offer[] {
  if (file.endsWith('.ts'))
    return stringsOf(content).flatMap(({ text, at }) =>
      offersOfText(text).map((offer) => ({ ...offer, at })),
    );
  return offersOfPage(content);
}

/** In a page a command stands alone only in a block of code, and backticks only pair outside of one. */
function offersOfPage(content: string): Offer[] {
  const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ');
  const block = /^```.*\n([\s\S]*?)^```/gm;
  const prose = content.replaceAll(block, blank);
  let code = '';
  let end = 0;
  for (const { index, 0: whole } of content.matchAll(block)) {
    code += blank(content.slice(end, index)) + whole;
    end = index + whole.length;
  }
  return [
    ...offersOfText(prose, [marked, loose]),
    ...offersOfText(code.replaceAll('```', '   '), [alone, marked, loose]),
  ];
}

function offersOfText(text: string, patterns = [alone, marked, loose]): Offer[] {
  if (!program.test(text)) return [];
  const offers: Offer[] = [];
  /** Takes what matches out of the text, each character as a space. */
  const take = (from: string, pattern: RegExp) =>
    from.replaceAll(pattern, (whole: string, ...given: unknown[]) => {
      const line = given.slice(0, -2).find((group) => typeof group === 'string') ?? whole;
      const offset = given.at(-2) as number;
      // What only names the program, its package or its file offers nothing.
      if (program.test(line))
        offers.push({
          line: line.replaceAll(/\s*\n\s*/g, ' ').trim(),
          at: text.slice(0, offset).split('\n').length,
          kind: pattern === loose ? 'loose' : 'marked',
        });
      return whole.replaceAll(/[^\n]/g, ' ');
    });
  patterns.reduce(take, text);
  return offers;
}

/** The strings of a program, each with the line where it begins. */
function stringsOf(content: string): Text[] {
  const source = ts.createSourceFile('x.ts', content, ts.ScriptTarget.Latest, true);
  const texts: Text[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node, source);
    if (text !== null)
      texts.push({ text, at: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1 });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

function textOf(node: ts.Node, source: ts.SourceFile): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  const spans = node.templateSpans.map(
    ({ expression, literal }) => placeholder(expression, source) + literal.text,
  );
  return node.head.text + spans.join('');
}

/** `${run.slug}` is `<slug>`; what is chosen between texts may be nothing. */
function placeholder(expression: ts.Expression, source: ts.SourceFile): string {
  const name = /(\w+)$/.exec(expression.getText(source))?.[1];
  if (ts.isConditionalExpression(expression)) return '';
  return `<${name ?? 'x'}>`;
}

const filled: Readonly<Record<string, string>> = {
  usd: '5',
  verb: 'approve',
  command: 'status',
  name: 'pause',
};

/** The command lines of a shell line, as words; placeholders (`<task>`, `RUN`) are filled by their kind. */
export function commandsOf(line: string): string[][] {
  const plain = line
    .replaceAll(/<([\w -]+)>/g, (_, name: string) => filled[name] ?? name.replaceAll(/\W/g, '-'))
    .replaceAll(/\bUSD\b/g, '5')
    .replace(/ {2,}.*$| #.*$/, '');
  const words = plain.match(/"[^"]*"|'[^']*'|&&|\|\||[|;]|>|[^\s;|>]+/g) ?? [];
  const commands: string[][] = [[]];
  for (const word of words) {
    if (/^(&&|\|\||[|;])$/.test(word)) commands.push([]);
    else commands.at(-1)?.push(word.replaceAll(/^["']|["']$/g, ''));
  }
  return commands.map(bare).filter(([name]) => name === 'baton' || name === 'git');
}

/** Without variables before the command and files that it writes to. */
function bare(words: string[]): string[] {
  const begin = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const end = words.indexOf('>');
  return words.slice(Math.max(begin, 0), end === -1 ? undefined : end);
}
