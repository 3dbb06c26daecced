import { BatonError, shellText } from '@baton/contracts';
import { CommanderError, type Command, type Option } from 'commander';

import { commandOf } from './help.ts';
import { nearest } from './nearest.ts';
import { wordsOf } from './once.ts';

/**
 * What a person meant by a command line that cannot be read: the command of a family whose name is near, the command whose options
 * were written before its name, else the help of the command that was called.
 *
 * @returns the error as it is when it says all that is known
 */
export function mistyped(
  error: unknown,
  { program, argv }: { program: Command | null; argv: readonly string[] },
): unknown {
  if (!(error instanceof CommanderError) || program === null) return error;
  const { command, at } = calledBy(program, argv);
  const meant = meantBy(error, { command, argv, at });
  if (meant !== null) return meant;
  if (command === program) return error;
  return new BatonError('INVALID_INPUT', error.message.replace(/^error: /, ''), {
    fix: `See \`${helpOn(command)}\`.`,
  });
}

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

interface Typed {
  command: Command;
  argv: readonly string[];
  at: number;
}

/** The line with the command that was meant and everything else that was typed. */
function meantBy(error: CommanderError, { command, argv, at }: Typed): BatonError | null {
  const isOption = error.code === 'commander.unknownOption';
  const isName = error.code === 'commander.excessArguments' || error.code === 'commander.unknownCommand';
  const index = command.parent === null ? namedIn(command, argv) : operandIn(command, argv, at);
  const typed = argv[index];
  if (typed === undefined || (!isOption && (!isName || command.parent === null))) return null;
  const isExact = commandOf(command, typed) !== undefined;
  const name = isExact ? typed : nearest(typed, namesOf(command));
  const inner = name === undefined ? undefined : commandOf(command, name);
  if (name === undefined || inner === undefined) return null;
  const rest = argv.slice(at).toSpliced(index - at, 1);
  if (isOption && command.parent !== null && !rest.every((word) => isKnownTo(inner, word))) return null;
  const line = shellText(['baton', ...argv.slice(0, at), name, ...rest]);
  const said = wordsOf(command);
  const message = isExact
    ? `The options of \`${said} ${name}\` come after its name.`
    : `There is no \`${said} ${typed}\`; did you mean "${name}"?`;
  return new BatonError('INVALID_INPUT', message, {
    fix: `Say \`${line}\`; \`${helpOn(command)}\` shows what there is.`,
  });
}

const namesOf = (command: Command): string[] =>
  command.commands.map((each) => each.name()).filter((name) => name !== 'help');

/** The commands of the program may be known by their names only: what else a line holds is not looked at. */
const namedIn = (program: Command, argv: readonly string[]): number =>
  argv.findIndex((word) => commandOf(program, word) !== undefined);

/** The place of a family's first word that is neither an option of its commands nor the value of one. */
function operandIn(family: Command, argv: readonly string[], from: number): number {
  const options = [family, ...family.commands].flatMap((each) => each.options);
  for (let at = from; at < argv.length && argv[at] !== '--'; at += 1) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-')) return at;
    if (options.find((option) => isCalled(option, word))?.required) at += 1;
  }
  return -1;
}

const isKnownTo = (command: Command, word: string): boolean =>
  !word.startsWith('-') || command.options.some((option) => isCalled(option, word.split('=', 1)[0] ?? ''));

const isCalled = ({ short, long }: Option, word: string): boolean => word === short || word === long;

const helpOn = (command: Command): string => wordsOf(command).replace(/^baton/, 'baton help');
