import type { Readable, Writable } from 'node:stream';

import { printableJson } from '@baton/contracts';

import { createColors, type Colors } from './colors.ts';
import type { Env } from '../env.ts';
import { fitLines } from './format.ts';
import { asTypedInAct, asTypedInText, type Typed } from './offered.ts';
import { systemSeal } from './system.ts';

/** The three streams of a program, and whether each is a terminal. */
export interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
}

/**
 * Where a command's words go: results to stdout, everything else to stderr. Whatever the text holds, a terminal obeys
 * nothing of it but our own colours; with `--json` the data is exact, written with JSON's escapes.
 */
export interface Output {
  /** The user asked for one JSON object on stdout. */
  readonly json: boolean;
  /** Colours for stdout. */
  readonly colors: Colors;
  /** Colours for stderr. */
  readonly noteColors: Colors;
  /**
   * A command line, or a sentence that ends in one, as it is to be typed where this one was: with the `--repo` that was given, and
   * with what was typed for `baton`.
   * Commands in backquotes of notes, warnings and rendered results get it by themselves.
   */
  offer(command: string): string;
  /** The same for the commands in backquotes of a text that goes another way. */
  hints(text: string): string;
  /** The output of a command that chose the repository itself, as if it had been named. */
  forRepo(repo: string): Output;
  /**
   * The result: one JSON object with `--json`, else what `render` makes of it. Called once by a command.
   * @param options.exact it holds what others wrote: not a sign of it is changed
   */
  result(value: unknown, render: (colors: Colors) => string, options?: { exact?: boolean }): void;
  /** A line of a stream (`logs -f`): human text, or one JSON object a line with `--json`. */
  line(value: unknown, render: (colors: Colors) => string): void;
  /** Text on stdout exactly as it is, for who asked for that. */
  raw(text: string): void;
  /** Progress and advice on stderr; at a terminal long lines are broken at spaces. */
  note(text: string): void;
  /** A warning on stderr. */
  warn(text: string): void;
}

/** Makes the output of one command. */
export function createOutput(
  streams: Streams,
  {
    env,
    json,
    repo,
    onResult,
  }: { env: Pick<Env, 'color' | 'typed'>; json: boolean; repo?: string | undefined; onResult?: () => void },
): Output {
  const typed: Typed = { repo, program: env.typed };
  const seal = systemSeal();
  const colors = createColors({ enabled: wantsColor(env, streams.stdout.isTTY) && !json, seal });
  const noteColors = createColors({ enabled: wantsColor(env, streams.stderr.isTTY), seal });
  const offered = (text: string) => asTypedInText(text, typed);
  const print = (text: string) => void (text !== '' && streams.stdout.write(`${text}\n`));
  const tell = (value: unknown, render: (colors: Colors) => string, indent?: number) =>
    print(json ? printableJson(JSON.stringify(value, undefined, indent)) : colors.finish(render(colors)));
  return {
    json,
    colors,
    noteColors,
    offer: (command) => asTypedInAct(command, typed),
    hints: offered,
    forRepo: (chosen) => createOutput(streams, { env, json, repo: chosen, ...(onResult && { onResult }) }),
    result(value, render, { exact = false } = {}) {
      onResult?.();
      tell(value, exact ? render : (used) => offered(render(used)), 2);
    },
    line: (value, render) => tell(value, render),
    raw: print,
    note: (text) =>
      void streams.stderr.write(
        `${noteColors.finish(fitLines(offered(text), widthOfTerminal(streams.stderr)))}\n`,
      ),
    warn: (text) =>
      void streams.stderr.write(`${noteColors.finish(`${noteColors.yellow('warning')} ${offered(text)}`)}\n`),
  };
}

/** Columns of a stream; undefined where it is no terminal, or one without a size: those of containers and scripts have 0. */
export const widthOfTerminal = ({ isTTY, columns = 0 }: Streams['stderr']): number | undefined =>
  isTTY === true && columns > 0 ? columns : undefined;

function wantsColor(env: Pick<Env, 'color'>, isTerminal: boolean | undefined): boolean {
  return env.color === 'always' || (env.color === 'auto' && isTerminal === true);
}
