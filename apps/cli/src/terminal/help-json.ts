import { CommanderError, type Command } from 'commander';

import { helpTopics } from './help-topics.ts';
import { calledBy, commandOf } from './called.ts';
import { helpFor } from './help.ts';
import { wordsOf } from './once.ts';

/** Help as data. */
interface HelpObject {
  /** `baton run`; null: it is a page on a topic only. */
  command: string | null;
  usage: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
  options: { flags: string; description: string }[];
  commands: { name: string; usage: string; description: string }[];
  /** Topics that `baton help <topic>` explains; only in the general help. */
  topics?: string[];
  /** What a person reads. */
  text: string;
}

/** Takes `--json` for the command that follows it as well: `baton --json status`. */
export function jsonLast(argv: readonly string[]): readonly string[] {
  if (argv[0] !== '--json') return argv;
  const rest = argv.filter((word, index) => index > 0 || word !== '--json');
  const end = rest.indexOf('--');
  return rest.includes('--json') ? rest : rest.toSpliced(end === -1 ? rest.length : end, 0, '--json');
}

/**
 * What is asked of the program itself, for `--json`: its version, or help.
 *
 * @returns null: neither is asked for
 * @throws INVALID_INPUT where help is asked on what does not exist
 */
export function tellInJson(
  program: Command,
  argv: readonly string[],
  version: string,
): { version: string } | HelpObject | null {
  const end = argv.indexOf('--');
  const given = end === -1 ? argv : argv.slice(0, end);
  const words = given.filter((word) => !word.startsWith('-'));
  if (words.length === 0 && given.some((word) => word === '--version' || word === '-V')) return { version };
  if (words[0] === 'help') {
    const page = helpFor(program, words.slice(1));
    if (page !== null && page.command === null) return ofTopic(page.topic ?? '');
    const more = page === null || page.topic === null ? '' : `\n${page.topic}\n`;
    const found = ofCommand(page?.command ?? program);
    return { ...found, text: `${found.text}${more}` };
  }
  if (!given.some((word) => word === '--help' || word === '-h')) return null;
  let command = program;
  for (const word of words) command = commandOf(command, word) ?? command;
  return ofCommand(command);
}

/**
 * The help of a program or family that was called with nothing but `--json`, as it prints its help without that.
 *
 * @returns null: the error is another
 */
export function helpInstead(
  error: unknown,
  { program, argv }: { program: Command | null; argv: readonly string[] },
): HelpObject | null {
  if (!(error instanceof CommanderError) || program === null) return null;
  const { command, at } = calledBy(program, argv);
  const isBare = argv.slice(at).every((word) => word === '--json') && command.commands.length > 0;
  return isBare && error.code === 'commander.unknownOption' ? ofCommand(command) : null;
}

function ofTopic(text: string): HelpObject {
  const nothing = { arguments: [], options: [], commands: [] };
  return { command: null, usage: '', description: '', ...nothing, text: `${text}\n` };
}

function ofCommand(command: Command): HelpObject {
  const helper = command.createHelp();
  return {
    command: wordsOf(command),
    usage: helper.commandUsage(command),
    description: command.description(),
    arguments: command.registeredArguments.map((one) => ({
      name: one.name(),
      description: one.description,
      required: one.required,
    })),
    options: helper
      .visibleOptions(command)
      .map((option) => ({ flags: option.flags, description: helper.optionDescription(option) })),
    commands: helper.visibleCommands(command).map((one) => ({
      name: one.name(),
      usage: helper.subcommandTerm(one),
      description: helper.subcommandDescription(one),
    })),
    ...(command.parent === null ? { topics: Object.keys(helpTopics) } : {}),
    text: textOf(command),
  };
}

/** What `outputHelp` would print, with the examples that follow it. */
function textOf(command: Command): string {
  const { writeOut } = command.configureOutput();
  let text = '';
  command.configureOutput({ writeOut: (part) => void (text += part) });
  command.outputHelp();
  command.configureOutput({ ...(writeOut ? { writeOut } : {}) });
  return text;
}
