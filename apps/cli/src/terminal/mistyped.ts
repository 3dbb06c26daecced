import { BatonError } from '@baton/contracts';
import { CommanderError, type Command } from 'commander';

import { commandOf } from './help.ts';
import { nearest } from './nearest.ts';
import { wordsOf } from './once.ts';

/**
 * What a person meant by a command line that cannot be read: the command of a family whose name is near, else the help of the
 * command that was called.
 *
 * @returns the error as it is when it says all that is known
 */
export function mistyped(
  error: unknown,
  { program, argv }: { program: Command | null; argv: readonly string[] },
): unknown {
  if (!(error instanceof CommanderError) || program === null) return error;
  const words = argv.filter((word) => !word.startsWith('-'));
  let command = program;
  let at = 0;
  for (; at < words.length; at += 1) {
    const inner = commandOf(command, words[at] ?? '');
    if (inner === undefined) break;
    command = inner;
  }
  if (command === program) return error;
  const typed = words[at];
  const names = command.commands.map((each) => each.name()).filter((name) => name !== 'help');
  const meant = typed === undefined ? undefined : nearest(typed, names);
  const isName = error.code === 'commander.excessArguments' || error.code === 'commander.unknownCommand';
  if (isName && meant !== undefined)
    return new BatonError(
      'INVALID_INPUT',
      `There is no \`${wordsOf(command)} ${typed ?? ''}\`; did you mean "${meant}"?`,
      {
        fix: `Say \`${wordsOf(command)} ${meant}\`; \`${helpOn(command)}\` shows what there is.`,
      },
    );
  return new BatonError('INVALID_INPUT', error.message.replace(/^error: /, ''), {
    fix: `See \`${helpOn(command)}\`.`,
  });
}

const helpOn = (command: Command): string => wordsOf(command).replace(/^baton/, 'baton help');
