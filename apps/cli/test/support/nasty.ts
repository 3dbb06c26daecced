import { Command } from 'commander';

import { loadAllCommands } from '../../src/commands.ts';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Everything that a terminal obeys, turns around or does not show, but for NUL, which no argument and no row can hold. */
export const nasty = [
  'ESC \u001b[8m\u001b[2J\u001b]0;title\u0007\u001b]52;c;aGFja2Vk\u001b\\\u001b]8;;https://evil.example\u001b\\link',
  'forged \u001b[32m✔ landed\u001b[39m',
  ...[range(1, 31), range(127, 159), range(0x200b, 0x200f), range(0x2028, 0x202e), range(0x2060, 0x206f)].map(
    (codes) => codes.map((code) => `x${String.fromCodePoint(code)}`).join(''),
  ),
  'tags \u{e0041}\u{e0042}\u061c\ufeff\u00ad\ufe01\u{e0100}\u3164',
].join(' ');

/** The same for a file's name. */
export const nastyName = `n\u001b[31m\u0007\u009b\u202e\u200b\u2028.txt`;

const obeyed = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** What a terminal would obey in a text, apart from line feeds, tabs and colours that Baton itself uses. */
export function obeyedIn(text: string, options: { colors?: boolean } = {}): string | undefined {
  const own = options.colors === true ? /\u001b\[(?:1|2|22|3[1-6]|39)m/gu : /(?!)/u;
  const found = obeyed.exec(text.replace(own, '').replace(/[\n\t]/g, ''));
  return found === null
    ? undefined
    : JSON.stringify(found.input.slice(Math.max(0, found.index - 40), found.index + 40));
}

/** Every command that does something, with all words that call it: those to come are in it by themselves. */
export async function allCommands(): Promise<{ words: string[]; command: Command }[]> {
  const program = new Command();
  for (const add of await loadAllCommands()) add(program, (command) => command);
  const leaves = (command: Command, words: string[]): { words: string[]; command: Command }[] =>
    command.commands.length === 0
      ? [{ words, command }]
      : command.commands.flatMap((child) => leaves(child, [...words, child.name()]));
  return leaves(program, []);
}
