import { printable } from '@baton/contracts';
import { CommanderError, type Command } from 'commander';

import { codeOfPrinted, watchStreams } from './terminal/closed-streams.ts';
import { readEnv, type Env } from './env.ts';
import { createProgram } from './program.ts';
import { refuseEmptyPaths } from './terminal/empty-paths.ts';
import { refuseRepeated } from './terminal/once.ts';
import { helpFor, requireKnownHelp } from './terminal/help.ts';
import { helpInstead, jsonLast, tellInJson } from './terminal/help-json.ts';
import { mistyped } from './terminal/mistyped.ts';
import type { Typed } from './terminal/offered.ts';
import { createOutput, type Output, type Streams, widthOfTerminal } from './terminal/output.ts';
import { describeError, exitCodeOf, exitCodes, renderError } from './terminal/render-error.ts';
import type { AddCommands, Cli, Define } from './terminal/call.ts';

interface CliOptions {
  /** Gives at least the commands that these arguments call. */
  loadCommands: (argv: readonly string[]) => Promise<readonly AddCommands[]>;
  version: string;
  streams: Streams;
  /** The environment; the process's own when left out. */
  variables?: NodeJS.ProcessEnv;
  cwd: string;
}

/**
 * Runs one command line to its end. Every error of every command ends here, once.
 * @returns the exit code
 */
export async function runCli(argv: readonly string[], options: CliOptions): Promise<number> {
  const { streams } = options;
  const fate = watchStreams(streams);
  const exitCode = await callCommand(argv, options, fate.closed);
  return codeOfPrinted(exitCode, { fate, stderr: streams.stderr });
}

async function callCommand(
  argv: readonly string[],
  options: CliOptions,
  closed: AbortSignal,
): Promise<number> {
  const { streams } = options;
  const json = argv.includes('--json');
  const called: Called = { exitCode: exitCodes.ok, hasAnswered: false, repo: undefined };
  let env: Env | undefined;
  let program: Command | null = null;
  const words = jsonLast(argv);
  try {
    env = readEnv(options.variables);
    const cli: Cli = { env, cwd: options.cwd, streams, closed };
    const addCommands = await options.loadCommands(argv);
    const shown = { streams, printable };
    program = createProgram({ addCommands, version: options.version, ...shown }, defineFor(cli, called));
    requireKnownHelp(program, words);
    const told = json ? tellInJson(program, words, options.version) : null;
    if (told !== null) {
      createOutput(streams, { env, json }).result(told, () => '');
      return exitCodes.ok;
    }
    if (argv[0] === 'help' && helpOf(program, argv, streams)) return exitCodes.ok;
    await program.parseAsync(words, { from: 'user' });
    return called.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok; // help and version were asked for
    if (error instanceof CommanderError && error.code === 'commander.help') return exitCodes.badInput; // no command: help is the answer
    const out = createOutput(streams, { env: env ?? plainEnv, json, repo: called.repo });
    const width = widthOfTerminal(streams.stderr);
    return answerError(error, {
      out,
      typed: { program, argv: words },
      isSilent: called.hasAnswered,
      width,
      how: { repo: called.repo, program: env?.typed },
    });
  }
}

/** For words about an environment that cannot be read. */
const plainEnv: Pick<Env, 'color' | 'typed'> = { color: 'never', typed: undefined };

/** The command that was called, and what came of it. */
interface Called {
  exitCode: number;
  hasAnswered: boolean;
  /** Value of its `--repo`. */
  repo: string | undefined;
}

const defineFor =
  (cli: Cli, called: Called): Define =>
  (command, work) => {
    refuseEmptyPaths(command);
    refuseRepeated(command);
    return command.option('--json', 'print one JSON object on stdout').action(async (...given: unknown[]) => {
      // Commander appends the options and the command to the arguments.
      const { json = false, repo } = given.at(-2) as { json?: boolean; repo?: string };
      called.repo = repo;
      const onResult = () => (called.hasAnswered = true);
      const out = createOutput(cli.streams, { env: cli.env, json, repo, onResult });
      const all = [{ ...cli, out }, ...given.slice(0, -1)] as unknown as Parameters<typeof work>;
      called.exitCode = (await work(...all)) ?? exitCodes.ok;
    });
  };

/** Says what went wrong, or the help that was asked for by naming no command. */
function answerError(
  error: unknown,
  {
    out,
    typed,
    isSilent,
    width,
    how,
  }: {
    out: Output;
    typed: { program: Command | null; argv: readonly string[] };
    /** Stdout has its one object: something broke after the result was printed. */
    isSilent: boolean;
    width: number | undefined;
    how: Typed;
  },
): number {
  const help = helpInstead(error, typed);
  if (help !== null) {
    out.result(help, () => '');
    return exitCodes.badInput;
  }
  const report = describeError(mistyped(error, typed), how);
  if (out.json && !isSilent) out.result(report, () => '');
  out.note(renderError(report, { colors: out.noteColors, width }));
  return exitCodeOf(error);
}

/** Prints the help of a command or topic; false: the general help is meant. */
function helpOf(program: Command, argv: readonly string[], streams: Streams): boolean {
  const words = argv.slice(1).filter((word) => !word.startsWith('-'));
  const page = helpFor(program, words);
  page?.command?.outputHelp();
  const between = page?.command ? '\n' : '';
  if (page?.topic) streams.stdout.write(printable(`${between}${page.topic}\n`));
  return page !== null;
}
