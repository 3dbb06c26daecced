import { shellWord } from '@baton/contracts';

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

/**
 * A shell line whose commands of `baton` look at the repository that the user named.
 * @param repo value of `--repo` as it was given; undefined: it was not, and the line stays as it is
 */
export function withRepo(line: string, repo: string | undefined): string {
  const parts = [...line.matchAll(part)];
  if (repo === undefined || parts.map(([text]) => text).join('') !== line) return line;
  let told = '';
  let command = '';
  for (const { 0: text, groups } of parts) {
    if (groups?.['end'] === undefined) command += text;
    else {
      told += named(command, repo) + text;
      command = '';
    }
  }
  return told + named(command, repo);
}

/** The same for what unblocks a task: a line, or a sentence that ends in one. */
export function withRepoInAct(act: string, repo: string | undefined): string {
  if (/^(?:baton|git|kill) /.test(act)) return withRepo(act, repo);
  const [, before = '', line = '', after = ''] =
    /^(.*?(?:: |, then ))(.*?)(, once they have ended)?$/s.exec(withRepoInText(act, repo)) ?? [];
  return before === '' ? withRepo(act, repo) : `${before}${withRepo(line, repo)}${after}`;
}

/** The same for the lines in backquotes of a text. */
export const withRepoInText = (text: string, repo: string | undefined): string =>
  repo === undefined
    ? text
    : text.replaceAll(/`([^`\n]+)`/g, (_, line: string) => `\`${withRepo(line, repo)}\``);

const named = (command: string, repo: string): string =>
  takesRepo(command.trim().match(new RegExp(word, 'gs')) ?? [])
    ? `${command} --repo ${shellWord(repo)}`
    : command;

function takesRepo(line: readonly string[]): boolean {
  const [program, ...words] = line.slice(line.findIndex((each) => !/^\w+=/.test(each)));
  const [name = '-', inner = ''] = words;
  if (program !== 'baton' || name.startsWith('-')) return false;
  // Alone it is how sentences speak of it.
  if (['plan', 'run'].includes(name) && words.length === 1) return false;
  if (words.some((each) => each === '--' || /^--repo(=|$)/.test(each))) return false;
  return !without.has(`${name} ${inner}`) && !(without.has(name) && (inner === '' || !isFamily(name)));
}

const isFamily = (name: string): boolean => ['keys', 'plugins', 'triggers'].includes(name);
