import { shellWord } from '@baton/contracts';

/** How the user typed the command that offers others. */
export interface Typed {
  /** Value of `--repo` as it was given; undefined: it was not. */
  repo?: string | undefined;
  /** What they typed for `baton`, such as `npm start --`; undefined: `baton` itself. */
  program?: string | undefined;
}

/** Commands and families that have no `--repo`. */
const without = new Set([
  ...['demo', 'help', 'keys', 'plan schema', 'plugins', 'projects'],
  ...['triggers', 'triggers send', 'triggers test'],
]);

/** What ends a command of a shell line, with the space before it: an operator, a place for its output, or a comment. */
const end = /\s*(?:&&|\|\||[|;])|\s+(?:2?>>?|<)(?=\s)|\s+#.*/s;
/** A word, quoted or not, with places to fill in such as `<task>`. */
const word = /(?:<[^<>\s]*>|'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\|;&<>])+/s;
const part = new RegExp(`(?<end>${end.source})|\\s+|${word.source}`, 'gs');

/** A shell line whose commands of `baton` can be typed as the user typed theirs, and look at the repository that they named. */
export function asTyped(line: string, typed: Typed): string {
  const parts = [...line.matchAll(part)];
  if (isPlain(typed) || parts.map(([text]) => text).join('') !== line) return line;
  let told = '';
  let command = '';
  for (const { 0: text, groups } of parts) {
    if (groups?.['end'] === undefined) command += text;
    else {
      told += named(command, typed) + text;
      command = '';
    }
  }
  return told + named(command, typed);
}

/** The same for what unblocks a task: a line, or a sentence that ends in one. */
export function asTypedInAct(act: string, typed: Typed): string {
  if (/^(?:baton|git|kill) /.test(act)) return asTyped(act, typed);
  const [, before = '', line = '', after = ''] =
    /^(.*?(?:: |, then ))(.*?)(, once they have ended)?$/s.exec(asTypedInText(act, typed)) ?? [];
  return before === '' ? asTyped(act, typed) : `${before}${asTyped(line, typed)}${after}`;
}

/** The same for the lines in backquotes of a text. */
export const asTypedInText = (text: string, typed: Typed): string =>
  isPlain(typed) ? text : text.replaceAll(/`([^`\n]+)`/g, (_, line: string) => `\`${asTyped(line, typed)}\``);

const isPlain = ({ repo, program }: Typed): boolean => repo === undefined && program === undefined;

function named(command: string, { repo, program }: Typed): string {
  const words = command.trim().match(new RegExp(word, 'gs')) ?? [];
  const at = words.findIndex((each) => !/^\w+=/.test(each));
  const [first, ...rest] = words.slice(at);
  if (first !== 'baton' || !isCall(rest)) return command;
  const line = program === undefined ? command : command.replace(/(?<![^\s])baton(?=\s)/, () => program);
  return repo !== undefined && takesRepo(rest) ? `${line} --repo ${shellWord(repo)}` : line;
}

/** Alone, these words are how sentences speak of a command. */
const isCall = ([name, ...others]: readonly string[]): boolean =>
  name !== undefined && !(['plan', 'run'].includes(name) && others.length === 0);

function takesRepo(words: readonly string[]): boolean {
  const [name = '-', inner = ''] = words;
  if (name.startsWith('-') || words.some((each) => each === '--' || /^--repo(=|$)/.test(each))) return false;
  return !without.has(`${name} ${inner}`) && !(without.has(name) && (inner === '' || !isFamily(name)));
}

const isFamily = (name: string): boolean => ['keys', 'plugins', 'triggers'].includes(name);
