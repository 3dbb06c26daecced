import type { Command } from 'commander';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';

import { createProgram } from '../program.ts';
import { loadAllCommands } from '../commands.ts';
import { asTyped, asTypedInAct, asTypedInText } from './offered.ts';

const repo = "/srv/it's";
const given = ` --repo '/srv/it'\\''s'`;

test('each command of an offered line names the repository that was named, before what follows it', () => {
  for (const [line, told] of [
    ['baton runs', `baton runs${given}`],
    ['baton resume x && baton up', `baton resume x${given} && baton up${given}`],
    ['git branch a b && baton run --resume x', `git branch a b && baton run --resume x${given}`],
    ['baton run --resume x # on host b', `baton run --resume x${given} # on host b`],
    ['baton graph x | dot -Tsvg > x.svg', `baton graph x${given} | dot -Tsvg > x.svg`],
    ['baton graph x > x.mmd', `baton graph x${given} > x.mmd`],
    ['baton budget <usd> x', `baton budget <usd> x${given}`],
    ['baton retry x --say "this && that | it"', `baton retry x --say "this && that | it"${given}`],
    ['BATON_LABELS=gpu baton up', `BATON_LABELS=gpu baton up${given}`],
  ] as const)
    expect(asTyped(line, { repo })).toBe(told);
});

test('a line is offered with what was typed for the command, and only where it is a call', () => {
  const program = "npm --prefix '/a b' start --silent --";
  for (const [line, told] of [
    ['baton runs', `${program} runs`],
    ['baton --version', `${program} --version`],
    ['baton resume x && baton up', `${program} resume x && ${program} up`],
    ['BATON_LABELS=gpu baton up', `BATON_LABELS=gpu ${program} up`],
    ['git branch baton/x baton', 'git branch baton/x baton'],
    ['baton', 'baton'],
    ['baton run', 'baton run'],
  ] as const)
    expect(asTyped(line, { program })).toBe(told);
  expect(asTyped('baton diff x', { program, repo })).toBe(`${program} diff x${given}`);
  expect(asTypedInText('See `baton runs`.', { program })).toBe(`See \`${program} runs\`.`);
});

test('a line stays as it is where a command names a repository or takes none, is only spoken of, or cannot be read', () => {
  for (const line of [
    'baton status --repo /other',
    'baton status --repo=/other',
    'baton demo',
    'baton run',
    'baton --version',
    'git status',
    "baton retry x --say 'open",
    'baton up &',
  ])
    expect(asTyped(line, { repo })).toBe(line);
  expect(asTyped('baton runs', {})).toBe('baton runs');
});

test('what unblocks a task may be a sentence that ends in a command', () => {
  for (const [act, told] of [
    ['baton retry a --say "b: c"', `baton retry a --say "b: c"${given}`],
    [
      'start a worker: baton up, once they have ended',
      `start a worker: baton up${given}, once they have ended`,
    ],
    ['free the disk, then baton run --resume x', `free the disk, then baton run --resume x${given}`],
    ['put it back, then `baton up`', `put it back, then \`baton up${given}\``],
    ['BATON_LABELS=a,b baton up', `BATON_LABELS=a,b baton up${given}`],
    ['move the named files out of the checkout', 'move the named files out of the checkout'],
  ] as const)
    expect(asTypedInAct(act, { repo })).toBe(told);
});

test('in a text only what is in backquotes is a command', () => {
  expect(asTypedInText('See `baton runs`, or baton up; `git log` is none.', { repo: '../a' })).toBe(
    'See `baton runs --repo ../a`, or baton up; `git log` is none.',
  );
});

test('whether a command takes the repository is known of all that there are', async () => {
  const stream = () => new PassThrough();
  const streams = { stdin: stream(), stdout: stream(), stderr: stream() };
  const addCommands = await loadAllCommands();
  const program = createProgram({ addCommands, version: '0', streams }, (command) => command);
  const wrong: string[] = [];
  const look = (command: Command, path: string): void => {
    const line = `baton ${path}${path === 'run' ? ' x' : ''}`;
    const takes = command.options.some(({ long }) => long === '--repo');
    if (takes !== (asTyped(line, { repo: '/r' }) !== line)) wrong.push(path);
    for (const inner of command.commands) look(inner, `${path} ${inner.name()}`);
  };
  for (const command of program.commands) look(command, command.name());
  expect(wrong).toEqual([]);
});
