#!/usr/bin/env node
import { existsSync, mkdirSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

import type { ErrorCode } from '@baton/contracts';

// Under a umask that takes rights from the owner as well, nothing that is made here, by git or by Postgres could be used again.
process.umask(process.umask(0o077) & 0o077);

// What is built does not change: the code is compiled once for all calls. Not in a folder that others can write to, nor
// in the current one, which an empty HOME would name.
const cache = path.join(homeFolder(), '.cache', 'baton', 'code');
if (import.meta.url.endsWith('.js') && path.isAbsolute(cache) && !isTooOld() && makeFolder(cache))
  module.enableCompileCache(cache);

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

async function main(): Promise<number> {
  const [word, ...more] = process.argv.slice(2);
  if (more.length === 0 && (word === '--version' || word === '-V')) {
    const { codeOfPrinted, watchStreams } = await import('./terminal/closed-streams.ts');
    const fate = watchStreams(process);
    process.stdout.write(`${version}\n`);
    return codeOfPrinted(0, { fate, stderr: process.stderr });
  }
  if (isTooOld()) return tooOld();
  const cwd = currentFolder();
  if (cwd === null) return noFolder();
  const { loadCommands } = await import('./commands.ts');
  if (more.length === 0 && ['--help', '-h', 'help'].includes(word ?? '')) {
    const { printGeneralHelp } = await import('./program.ts');
    return printGeneralHelp({ addCommands: await loadCommands([]), version, streams: process });
  }
  const { runCli } = await import('./cli.ts');
  return runCli(process.argv.slice(2), { loadCommands, version, streams: process, cwd });
}

/** One level at a time: where a file system has no new folders, such as /proc, Node's own recursive way does not end. */
function makeFolder(folder: string): boolean {
  if (existsSync(folder)) return true;
  const parent = path.dirname(folder);
  if (parent === folder || !makeFolder(parent)) return false;
  try {
    mkdirSync(folder);
  } catch {
    return existsSync(folder); // another process made it
  }
  return true;
}

/** Empty: this user id has none. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** Null: it was deleted while a shell was in it. */
function currentFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

/** Nothing else can be loaded then: modules ask for the folder, too. */
function noFolder(): number {
  return refuse('FILE_MISSING', {
    message: 'The current folder does not exist any more.',
    fix: 'Go into one that does, such as the repository.',
  });
}

function isTooOld(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < 22 || (major === 22 && minor < 18);
}

/** Nothing else can be loaded then: its syntax and modules are newer. */
function tooOld(): number {
  return refuse('NODE_TOO_OLD', {
    message: `This is Node ${process.versions.node}; the command needs 22.18 or newer.`,
    fix: 'Install Node 24 and call it again, or use `npm start -- <args>` of a clone, which brings its own Node.',
  });
}

const unfinished = {
  message: 'The process ended before its command was over.',
  fix: 'Call it again without the plugins of baton.yaml, which run in this process; if it ends so again, please report it.',
};

function refuse(code: ErrorCode | 'BUG', { message, fix }: { message: string; fix: string }): number {
  const error = { code, message, fix };
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify({ error }, undefined, 2)}\n`);
  process.stderr.write(`error ${code}: ${message}\nfix: ${fix}\n`);
  return 2;
}

let isOver = false;
// Whatever ends this process before its command is over (code of a plugin, nothing left to wait for): that is no success.
process.on('exit', (code) => {
  if (isOver || code !== 0) return;
  refuse('BUG', unfinished);
  process.exitCode = 1;
});
void main().then((exitCode) => {
  isOver = true;
  process.exitCode = exitCode;
  // All that is left is waiting connections; they must not keep a finished command alive.
  setTimeout(() => process.exit(), 1_000).unref();
});
