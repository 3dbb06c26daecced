#!/usr/bin/env node
import { createRequire } from 'node:module';

import { runCli } from './cli.ts';
import { commands } from './commands.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

void runCli(process.argv.slice(2), {
  addCommands: commands,
  version,
  streams: process,
  variables: process.env,
  cwd: process.cwd(),
}).then((exitCode) => {
  process.exitCode = exitCode;
  // All that is left is waiting connections; they must not keep a finished command alive.
  setTimeout(() => process.exit(), 1_000).unref();
});
