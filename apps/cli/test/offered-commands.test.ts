import { execFile } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';

import { CommanderError } from 'commander';
import { expect, test } from 'vitest';

import { createProgram } from '../src/program.ts';
import { loadAllCommands } from '../src/commands.ts';
import { commandsOf, offersOf } from './support/offered-commands.ts';

const root = path.join(import.meta.dirname, '../../..');
const patterns = [
  '*.md',
  'docs/**/*.md',
  'examples/*.md',
  'examples/*/*.{md,yaml}',
  '{packages,apps}/*/README.md',
  '{packages,apps}/*/src/**/*.ts',
];
const run = promisify(execFile);

/** Why the command line is not one of Baton's, or null. */
async function refusal(words: readonly string[]): Promise<string | null> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const program = createProgram(
    { addCommands: await loadAllCommands(), version: '0.0.0', streams },
    (command) => command.option('--json').action(() => undefined),
  );
  try {
    await program.parseAsync(words, { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const named = ['commander.missingArgument', 'commander.help'].includes(error.code);
    // The bare name of a command is how sentences speak of it.
    if (error.exitCode === 0 || (named && words.every((word) => /^[a-z-]+$/.test(word)))) return null;
    return error.message;
  }
}

/** All that texts offer that does not exist, and how much there is. */
async function look(files: Record<string, string>): Promise<{ wrong: string[]; baton: number; git: number }> {
  const { stdout } = await run('git', ['--list-cmds=main,others']);
  const ofGit = new Set(stdout.split('\n'));
  const found = { wrong: [] as string[], baton: 0, git: 0 };
  for (const [file, content] of Object.entries(files)) {
    for (const { line, at, kind } of offersOf(file, content)) {
      const place = `${file}:${at}: ${line}`;
      if (kind === 'loose') found.wrong.push(`${place}: not in backticks`);
      for (const [name, ...words] of commandsOf(line)) {
        found[name === 'git' ? 'git' : 'baton'] += 1;
        if (name === 'git') {
          const verb = words.find((word, n) => !word.startsWith('-') && words[n - 1] !== '-C') ?? '';
          if (!ofGit.has(verb)) found.wrong.push(`${place}: git has no "${verb}"`);
        } else {
          const why = await refusal(words);
          if (why !== null) found.wrong.push(`${place}: ${why}`);
        }
      }
    }
  }
  return found;
}

/** Figures and screens of a campaign's run, kept as they were: they offer nothing. */
const isOfCampaign = (file: string) => /^docs\/evidence\/(?!README)[^/]+\.md$/.test(file);

test('every command line that a text of the product offers is one of baton or git', async () => {
  const files: Record<string, string> = {};
  for await (const file of glob(patterns, {
    cwd: root,
    exclude: (name) => /node_modules|generated/.test(name),
  }))
    if (!file.endsWith('.test.ts') && !isOfCampaign(file))
      files[file] = await readFile(path.join(root, file), 'utf8');
  const { wrong, baton, git } = await look(files);
  expect(wrong).toEqual([]);
  expect(baton).toBeGreaterThan(250);
  expect(git).toBeGreaterThan(5);
});

test('a command, option, number of arguments or git verb that does not exist is named with file and line', async () => {
  const { wrong } = await look({
    'a.md':
      'Say `baton approve-all`, `baton retry <task> --now` or `baton budget 5 RUN more`.\n\n```sh\nbaton runs --jsn # all\n```\n',
    'b.ts': [
      'const a = `See \\`baton statu ${run.slug}\\`.`;',
      "const b = 'Type baton resume RUN.';",
      "const c = 'first\\n  $ baton diff | less -R\\n  $ git comit -m x';",
      'const d = { unblock: `baton retry ${run}/${key} && baton carry ${run}` };',
    ].join('\n'),
  });
  expect(wrong).toEqual([
    expect.stringMatching(/^a\.md:1: baton approve-all: .*unknown command 'approve-all'/),
    expect.stringMatching(/^a\.md:1: .*unknown option '--now'/),
    expect.stringMatching(/^a\.md:1: .*too many arguments/),
    expect.stringMatching(/^a\.md:4: baton runs --jsn # all: .*unknown option '--jsn'/),
    expect.stringMatching(/^b\.ts:1: .*unknown command 'statu'/),
    expect.stringMatching(/^b\.ts:2: .*not in backticks/),
    expect.stringMatching(/^b\.ts:3: .*git has no "comit"/),
    expect.stringMatching(/^b\.ts:4: .*unknown command 'carry'/),
  ]);
});
