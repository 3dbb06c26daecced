import { Command } from 'commander';

import type { AddCommands, Define } from './terminal/call.ts';
import { codeOfPrinted, watchStreams } from './terminal/closed-streams.ts';
import type { Streams } from './terminal/output.ts';

interface ProgramOptions {
  addCommands: readonly AddCommands[];
  version: string;
  streams: Pick<Streams, 'stdout' | 'stderr'>;
  /** Takes out of a text what is not for a terminal; absent: the texts are only those of this program. */
  printable?: (text: string) => string;
}

/** The program with these commands; what a command does is what `define` makes of its work. */
export function createProgram(
  { addCommands, version, streams, printable = (text) => text }: ProgramOptions,
  define: Define,
): Command {
  const program = new Command('baton')
    .description('Hands work to short-lived coding agents and accepts only what is proven.')
    .version(version, '-V, --version')
    .usage('<command> [options]')
    .showSuggestionAfterError()
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(printable(text)),
      writeErr: (text) => void streams.stderr.write(printable(text)),
      outputError: () => undefined, // told once, by runCli
    })
    .addHelpText(
      'after',
      '\nTopics, with `baton help <topic>`: plans, budgets, approvals, agents, recovery, exit-codes\n\nStart here:\n  $ baton doctor              what this machine has and lacks\n  $ baton init                write baton.yaml and an example plan\n' +
        '  $ baton run plan.yaml       carry out a plan\n  $ baton run "fix the flaky login test"\n' +
        '  $ baton explain <task>      why a task does not move, and who moves it next\n\n' +
        'Exit codes: 0 done, 1 something is not done, 2 bad input or nothing can run, 3 waits for a person, 130 interrupted.\n' +
        'State lives in $BATON_HOME, else the XDG state folder; DATABASE_URL names a Postgres to use in place of the embedded one.',
    );
  for (const add of addCommands) add(program, define);
  return program;
}

/**
 * Prints the general help, with nothing loaded but what lays it out: no command, no schema.
 * @returns the exit code
 */
export async function printGeneralHelp(options: ProgramOptions): Promise<number> {
  const { streams } = options;
  const fate = watchStreams(streams);
  createProgram(options, (command) => command).outputHelp();
  return codeOfPrinted(0, { fate, stderr: streams.stderr });
}
