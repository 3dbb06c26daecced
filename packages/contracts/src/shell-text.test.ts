import { execFileSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { commandText, shellText, shellWord } from './index.ts';

test('a shell takes a line back as the words it was made of', () => {
  const words = [
    '',
    '~',
    '$HOME',
    "it's",
    'a b',
    '=ls',
    '#',
    '!x',
    '*',
    '-n',
    'a\nb',
    '\\',
    '`id`',
    "''",
    'é;\u{1F600}',
  ];
  const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${shellText(words)}`], { encoding: 'utf8' });
  expect(printed.split('\0').slice(0, -1)).toEqual(words);
});

test('a plain word stays as it is, but for one that some shells take for a command', () => {
  expect(shellWord('packages/a-b_c@1.2:3,%+=')).toBe('packages/a-b_c@1.2:3,%+=');
  expect(shellWord('=ls')).toBe("'=ls'");
});

test('a command is shown as a person would type it: a line for the shell as that line', () => {
  expect(commandText(['sh', '-c', 'cd web && npm test'])).toBe('cd web && npm test');
  expect(commandText(['npm', 'test'])).toBe('npm test');
  expect(commandText(['sh', '-c', 'echo "$1"', 'name'])).toBe('sh -c echo "$1" name');
});
