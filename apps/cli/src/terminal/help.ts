import { BatonError } from '@baton/contracts';
import { CommanderError, type Command } from 'commander';

import { helpTopics } from './help-topics.ts';
import { commandOf, operandIn } from './called.ts';
import { nearest } from './nearest.ts';
import { wordsOf } from './once.ts';

/** What `baton help` shows: a command, a page on a topic, or both. */
interface HelpPage {
  command: Command | null;
  topic: string | null;
}

/**
 * The page of `baton help <words>`: of a topic, of a command, or of both; of a command of a family at any depth.
 *
 * @returns null when no word is given: the general help is meant
 * @throws INVALID_INPUT naming what there is
 */
export function helpFor(program: Command, words: readonly string[]): HelpPage | null {
  const [first] = words;
  if (first === undefined) return null;
  const topic = words.length === 1 && Object.hasOwn(helpTopics, first) ? (helpTopics[first] ?? null) : null;
  if (topic !== null && commandOf(program, first) === undefined) return { command: null, topic };
  let command = program;
  for (const word of words) {
    const inner = commandOf(command, word);
    if (inner === undefined) throw unknown(command, word);
    command = inner;
  }
  return { command, topic };
}

const ofHelp = ['--json', '--help', '-h'];

/**
 * Makes sure that a line that asks for help names what there is: other help than that which was asked for would hide the mistake.
 *
 * @throws INVALID_INPUT for a command that does not exist, or an option that help does not have
 */
export function requireKnownHelp(program: Command, argv: readonly string[]): void {
  const end = argv.indexOf('--');
  const given = end === -1 ? argv : argv.slice(0, end);
  const words = given.filter((word) => !word.startsWith('-'));
  const isHelp = words[0] === 'help';
  if (!isHelp && !given.includes('--help') && !given.includes('-h')) return;
  const other = given.find((word) => word.startsWith('-') && !ofHelp.includes(word));
  if (other !== undefined && (isHelp || words.length === 0)) throw unknownOption(other);
  // Else the help of the program would be shown for that of the command.
  if (other !== undefined && given[0] === other)
    throw new CommanderError(1, 'commander.unknownOption', `error: unknown option '${other}'`);
  if (!isHelp) requireKnown(program, given);
}

/** @throws INVALID_INPUT where a word in the place of a command names none */
function requireKnown(program: Command, given: readonly string[]): void {
  let command: Command | undefined = program;
  for (let from = 0; command !== undefined && command.commands.length > 0;) {
    const at = operandIn(command, given, from);
    const word = given[at];
    if (word === undefined) return;
    const inner = commandOf(command, word);
    // A word of a family may be what its own command takes.
    const isWrong = command === program || nearest(word, namesOf(command)) !== undefined;
    if (inner === undefined && isWrong) throw unknown(command, word);
    command = inner;
    from = at + 1;
  }
}

function unknownOption(option: string): BatonError {
  const meant = nearest(option, ofHelp);
  const hint = meant === undefined ? '' : `\n(Did you mean ${meant}?)`;
  return new BatonError('INVALID_INPUT', `unknown option '${option}'${hint}`, {
    fix: 'See `baton help` or `baton help <command>`.',
  });
}

const namesOf = (command: Command): string[] => command.commands.map((each) => each.name());

function unknown(command: Command, word: string): BatonError {
  const isTop = command.parent === null;
  const names = namesOf(command);
  const topics = isTop ? Object.keys(helpTopics) : [];
  const meant = nearest(word, [...names, ...topics]);
  const what = isTop ? 'no command and no topic' : `no \`${wordsOf(command)}\` command`;
  return new BatonError(
    'INVALID_INPUT',
    `There is ${what} "${word}"${meant === undefined ? '.' : `; did you mean "${meant}"?`}`,
    {
      fix: isTop
        ? `\`baton help\` lists the commands; topics: ${topics.join(', ')}.`
        : `It has: ${names.join(', ') || 'none below it'}.`,
    },
  );
}
