import type { Readable, Writable } from 'node:stream';

import pc from 'picocolors';

import type { Env } from './env.ts';

/** The three streams of a program, and whether each is a terminal. */
export interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
}

/** Colours that do nothing where they are switched off. */
export type Colors = ReturnType<typeof pc.createColors>;

/** Where a command's words go: results to stdout, everything else to stderr. */
export interface Output {
  /** The user asked for one JSON object on stdout. */
  readonly json: boolean;
  /** Colours for stdout. */
  readonly colors: Colors;
  /** Colours for stderr. */
  readonly noteColors: Colors;
  /** The result: one JSON object with `--json`, else what `render` makes of it. Called once by a command. */
  result(value: unknown, render: (colors: Colors) => string): void;
  /** A line of a stream (`logs -f`): human text, or one JSON object a line with `--json`. */
  line(value: unknown, render: (colors: Colors) => string): void;
  /** Progress and advice on stderr. */
  note(text: string): void;
  /** A warning on stderr. */
  warn(text: string): void;
}

/** Makes the output of one command. */
export function createOutput(
  streams: Streams,
  { env, json, onResult }: { env: Env; json: boolean; onResult?: () => void },
): Output {
  const colors = pc.createColors(wantsColor(env, streams.stdout.isTTY) && !json);
  const noteColors = pc.createColors(wantsColor(env, streams.stderr.isTTY));
  const print = (text: string) => void (text !== '' && streams.stdout.write(`${text}\n`));
  return {
    json,
    colors,
    noteColors,
    result(value, render) {
      onResult?.();
      print(json ? JSON.stringify(value, undefined, 2) : render(colors));
    },
    line: (value, render) => print(json ? JSON.stringify(value) : render(colors)),
    note: (text) => void streams.stderr.write(`${text}\n`),
    warn: (text) => void streams.stderr.write(`${noteColors.yellow('warning')} ${text}\n`),
  };
}

function wantsColor(env: Env, isTerminal: boolean | undefined): boolean {
  return env.color === 'always' || (env.color === 'auto' && isTerminal === true);
}
