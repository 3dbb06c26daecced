import { BatonError } from '@baton/contracts';
import { CommanderError } from 'commander';

import type { Colors } from './colors.ts';
import { wrapTo } from './format.ts';
import { asTypedInText, type Typed } from './offered.ts';

/** Columns before the text of `at:` and `fix:`. */
const indent = 5;

/** An error as one JSON object: what `--json` prints on stdout in place of a result. */
export interface ErrorReport {
  error: { code: string; message: string; at?: string; fix?: string; details?: unknown };
}

/**
 * What every kind of error is for the user. `BUG` is anything that Baton did not expect.
 * @param typed how the user typed the command: those that are offered are typed in the same way
 */
export function describeError(error: unknown, typed: Typed = {}): ErrorReport {
  if (BatonError.is(error)) {
    const { code, message, at, fix, details } = error;
    return {
      error: {
        code,
        message: asTypedInText(message, typed),
        ...(at === undefined ? {} : { at }),
        ...(fix === undefined ? {} : { fix: asTypedInText(fix, typed) }),
        ...(Object.keys(details).length === 0 ? {} : { details }),
      },
    };
  }
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '');
    return {
      error: {
        code: 'INVALID_INPUT',
        message,
        fix: asTypedInText('See `baton help` or `baton help <command>`.', typed),
      },
    };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    error: { code: 'BUG', message, fix: 'This should not happen. Please report it with the text above.' },
  };
}

/**
 * `error CODE: message`, then `at:` and `fix:` lines.
 * @param options.width columns of the terminal, to break long lines at spaces; undefined: they stay as they are
 */
export function renderError(
  { error }: ErrorReport,
  { colors, width }: { colors: Colors; width?: number | undefined },
): string {
  const [first = '', ...rest] = error.message.split('\n');
  const told = (text: string): string =>
    text
      .split('\n')
      .map((line, at) => (at === 0 ? wrapTo(line, { width, indent }) : line))
      .join('\n');
  const code = `error ${error.code}:`;
  // The first line begins behind the code; further ones stand below `fix:`.
  const message = wrapTo(`${code} ${first}`, { width: width && width - indent, indent: 0 });
  return [
    `${colors.red(colors.bold('error'))} ${colors.bold(error.code)}:${message.slice(code.length).replaceAll('\n', `\n${' '.repeat(indent)}`)}`,
    ...rest.map((line) => `  ${line}`),
    ...(error.at === undefined ? [] : [`${colors.dim('at:')}  ${error.at}`]),
    ...(error.fix === undefined ? [] : [`${colors.dim('fix:')} ${told(error.fix)}`]),
  ].join('\n');
}

/** Exit codes of the command line (docs/spec/server-and-worker.md#exit-codes). */
export const exitCodes = { ok: 0, unfinished: 1, badInput: 2, waits: 3, interrupted: 130 } as const;

/** 2 bad input or nothing can run, 3 waits for a person, 130 interrupted; 1 for what should not happen. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return exitCodes.badInput;
  if (!BatonError.is(error)) return exitCodes.unfinished;
  if (error.code === 'INTERRUPTED') return exitCodes.interrupted;
  return error.code === 'APPROVAL_NEEDED' ? exitCodes.waits : exitCodes.badInput;
}
