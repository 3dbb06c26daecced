import { expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { yamlMistakes } from './yaml.ts';

const mistakes = (text: string) => yamlMistakes(text, parseDocument(text, { prettyErrors: false }));

test('a bracket that is never closed is reported where it was opened, and alone', () => {
  expect(mistakes('files: [a, b\nnext: {c: d}\n')).toEqual([
    { message: 'the "[" here is never closed: add a "]"', offset: 7 },
  ]);
});

test.each([
  ['key: !push', 5, 'a tag'],
  ['key: ! push', 5, 'a tag'],
  ['key: !', 5, 'a tag'],
  ['key: [a, !b]', 9, 'a tag'],
  ['key: *later\nnext: &later 1', 5, 'a reference to an anchor'],
])('a value that would be read as something else is reported with its place: %s', (text, offset, reading) => {
  expect(mistakes(text)).toEqual([
    {
      message: `YAML reads a value that begins with "${text.charAt(offset)}" as ${reading}: put the whole value in quotes`,
      offset,
    },
  ]);
});

test.each(['key: "!push"', "key: '*'", 'a: &x 1\nb: *x', 'key: a!b', 'key: !!str 1', ''])(
  'nothing is said of %s',
  (text) => {
    expect(mistakes(text)).toEqual([]);
  },
);

test('a file that asks for the rules of YAML 1.1 is refused at that line, since yes, 010 and << mean other things there', () => {
  const text = '# rules\n%YAML 1.1\n---\nenabled: yes\nmax: 010\n';
  expect(mistakes(text)).toEqual([
    { message: expect.stringContaining('YAML 1.2') as string, offset: text.indexOf('%') },
  ]);
  expect(mistakes(text.replace('1.1', '1.2'))).toEqual([]);
});

test.each(['fields: { __proto__: x }', 'a:\n  "__proto__": {}', 'a: [{ ? __proto__ : 1 }]'])(
  'a key that would be left out without a word is reported with its place: %s',
  (text) => {
    const offset = text.search(/["_]/);
    expect(mistakes(text)).toEqual([{ message: 'no key may be called "__proto__"', offset }]);
  },
);
