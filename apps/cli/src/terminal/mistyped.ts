import { BatonError, shellText } from '@baton/contracts';
import { CommanderError, type Command } from 'commander';

import { calledBy, commandOf, isKnownTo, operandIn } from './called.ts';
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
  if (program === null) return error;
  const dashed = longDash(program, argv);
  if (dashed !== null) return dashed;
  if (!(error instanceof CommanderError)) return error;
  const { command, at } = calledBy(program, argv);
  const meant = meantBy(error, { command, argv, at });
  if (meant !== null) return meant;
  if (command === program) return unnamed(error, argv) ?? error;
  const said = error.message.replace(/^error: /, '');
  const option = longNameOf(error, command);
  return new BatonError('INVALID_INPUT', option === null ? said : `${said}\n(Did you mean ${option}?)`, {
    fix: `${eitherOr(error, command)}See \`${helpOn(command)}\`.`,
  });
}

/** A plan without the command that carries it out, and the two other ways in which programs are asked for their version. */
function unnamed({ code, message }: CommanderError, argv: readonly string[]): BatonError | null {
  const [word = ''] = argv;
  const isPlan = code === 'commander.unknownCommand' && /\.ya?ml$/i.test(word);
  if (!isPlan && !['version', '-v'].includes(word)) return null;
  const line = isPlan ? shellText(['baton', 'run', ...argv]) : 'baton --version';
  return new BatonError('INVALID_INPUT', message.replace(/^error: /, ''), {
    fix: `Say \`${line}\`; \`baton help\` lists the commands.`,
  });
}

/** Of a line that failed: an option with the dash that editors and pages make of two hyphens. */
function longDash(program: Command, argv: readonly string[]): BatonError | null {
  const { command } = calledBy(program, argv);
  const wrong = argv.find((word) => isKnownTo(command, hyphened(word)) && hyphened(word) !== word);
  if (wrong === undefined) return null;
  const line = shellText(['baton', ...argv.map((word) => (word === wrong ? hyphened(word) : word))]);
  return new BatonError('INVALID_INPUT', `"${wrong}" begins with a dash that is no hyphen.`, {
    at: wrong,
    fix: `Say \`${line}\`.`,
  });
}

const hyphened = (word: string): string =>
  word.replace(/^[-\u2010-\u2015\u2212]+(?=[a-z])/, (dashes) => (/^-+$/.test(dashes) ? dashes : '--'));

/** The long option that was typed with one dash. */
function longNameOf({ code, message }: CommanderError, command: Command): string | null {
  const [, name] = /'-([a-z][a-z-]+)'/.exec(message) ?? [];
  if (code !== 'commander.unknownOption' || name === undefined) return null;
  return command.options.some(({ long }) => long === `--${name}`) ? `--${name}` : null;
}

/** A goal without quotes is many arguments, and nothing takes a goal and a plan at once. */
function eitherOr({ code }: CommanderError, command: Command): string {
  if (code !== 'commander.excessArguments' || wordsOf(command) !== 'baton run') return '';
  return 'Give either a plan or a goal, a goal in quotes: `baton run plan.yaml`, `baton run "add a health check"`. ';
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
  const { command: called, at: more } = calledBy(inner, isExact ? argv.slice(index + 1) : []);
  const words = [name, ...argv.slice(index + 1, index + 1 + more)];
  const rest = argv.slice(at).toSpliced(index - at, words.length);
  if (isOption && !rest.every((word) => isKnownTo(called, word))) return null;
  const line = shellText(['baton', ...argv.slice(0, at), ...words, ...rest]);
  const message = isExact
    ? `The options of \`${wordsOf(called)}\` come after its name.`
    : `There is no \`${wordsOf(command)} ${typed}\`; did you mean "${name}"?`;
  return new BatonError('INVALID_INPUT', message, {
    fix: `Say \`${line}\`; \`${helpOn(command)}\` shows what there is.`,
  });
}

const namesOf = (command: Command): string[] =>
  command.commands.map((each) => each.name()).filter((name) => name !== 'help');

/** Commands that are not called are known by their names only, so what is an option's value is not known either. */
const namedIn = (program: Command, argv: readonly string[]): number =>
  argv.findIndex((word) => commandOf(program, word) !== undefined);

const helpOn = (command: Command): string => wordsOf(command).replace(/^baton/, 'baton help');
