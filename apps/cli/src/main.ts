#!/usr/bin/env node
import { createRequire } from 'node:module';

import { runCli } from './cli.ts';
import { loadCommands } from './commands.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

const options = { loadCommands, version, streams: process, cwd: process.cwd() };

void runCli(process.argv.slice(2), options).then((exitCode) => {
  process.exitCode = exitCode;
  // All that is left is waiting connections; they must not keep a finished command alive.
  setTimeout(() => process.exit(), 1_000).unref();
});
