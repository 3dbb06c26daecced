import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

import { until } from '@baton/testkit';

import { runCli } from '../../src/cli.ts';
import { loadCommands } from '../../src/commands.ts';
import type { Bench } from './bench.ts';
import { storesFirst } from './empty-cluster.ts';

/** A command line at a terminal. */
export interface AtTerminal {
  /** What the terminal was sent on stderr, without codes. */
  shown(): string;
  /** Waits until it was sent this. */
  sees(text: string | RegExp): Promise<void>;
  /** Types a line; null: ends the input, as Ctrl-D does. What was shown before is seen no more. */
  type(line: string | null): void;
  ended: Promise<{ exitCode: number; stdout: string }>;
}

/** Runs a command line at a terminal of 80 columns. */
export function startAtTerminal(
  bench: Bench,
  args: readonly string[],
  variables: Record<string, string> = {},
): AtTerminal {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  if (storesFirst(args)) bench.giveCluster();
  let sent = '';
  stderr.on('data', (chunk: Buffer) => (sent += String(chunk)));
  const shown = () => stripVTControlCharacters(sent);
  const ran = runCli(args, {
    loadCommands,
    version: '0.0.0',
    streams: { stdin, stdout, stderr },
    variables: {
      PATH: process.env['PATH'] ?? '',
      HOME: bench.home,
      USER: 'tester',
      BATON_HOME: bench.home,
      BATON_POSTGRES_KEEP_SECONDS: '0',
      ...variables,
    },
    cwd: bench.repo.path,
  });
  return {
    shown,
    sees: async (text) => {
      await until(() => (typeof text === 'string' ? shown().includes(text) : text.test(shown())), {
        what: `the terminal shows ${String(text)}`,
        timeoutMs: 120_000,
      });
    },
    type(line) {
      sent = '';
      if (line === null) stdin.end();
      else stdin.write(`${line}\n`);
    },
    ended: ran.then((exitCode) => ({
      exitCode,
      stdout: stripVTControlCharacters(String(stdout.read() ?? '')),
    })),
  };
}
