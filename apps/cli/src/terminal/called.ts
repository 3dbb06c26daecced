import type { Command, Option } from 'commander';

/** A command of a program or family, by its name or another. */
export const commandOf = (parent: Command, word: string): Command | undefined =>
  parent.commands.find((each) => each.name() === word || each.aliases().includes(word));

/** The command that the first words of a line call, and the place of the first word that names none below it. */
export function calledBy(program: Command, argv: readonly string[]): { command: Command; at: number } {
  let command = program;
  let at = 0;
  for (; at < argv.length; at += 1) {
    const inner = commandOf(command, argv[at] ?? '');
    if (inner === undefined) break;
    command = inner;
  }
  return { command, at };
}

/** The place of a family's first word that is neither an option of its commands nor the value of one; -1: there is none. */
export function operandIn(family: Command, argv: readonly string[], from: number): number {
  const options = [family, ...family.commands].flatMap((each) => each.options);
  for (let at = from; at < argv.length && argv[at] !== '--'; at += 1) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-')) return at;
    if (options.find((option) => isCalled(option, word))?.required) at += 1;
  }
  return -1;
}

/** Whether a word is no option, or one that a command has. */
export const isKnownTo = (command: Command, word: string): boolean =>
  !word.startsWith('-') ||
  word === '--help' ||
  word === '-h' ||
  command.options.some((option) => isCalled(option, word.split('=', 1)[0] ?? ''));

const isCalled = ({ short, long }: Option, word: string): boolean => word === short || word === long;
