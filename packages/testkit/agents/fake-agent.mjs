#!/usr/bin/env node
// An agent that does exactly what a script says, as a real program: see "The fake agent" in the README beside.
import { serveAcp } from './acp.mjs';
import { runCommand } from './command.mjs';
import { loadScript, ScriptError } from './script.mjs';

try {
  const args = process.argv.slice(2);
  const script = loadScript(args, process.env);
  for (const name of script.ignoreSignals ?? []) process.on(name, () => {});
  if (args.includes('--acp')) serveAcp(script);
  else await runCommand(script);
} catch (error) {
  process.stderr.write(`fake-agent: ${error instanceof ScriptError ? error.message : error.stack}\n`);
  process.exit(error instanceof ScriptError ? 64 : 70);
}
