import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { BatonError, notUtf8 } from '@baton/contracts';
import { tempDir } from '@baton/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { checkPlan } from './load-plan.ts';
import { parseYaml, readYamlFile } from './yaml-file.ts';

const source = { kind: 'plan', by: 'tester', trusted: true } as const;
const head = 'name: t\nstages:\n  - name: a\n    steps:\n';

/** A plan with these lines as its steps. */
const steps = (...lines: string[]) => `${head}${lines.map((line) => `      - ${line}\n`).join('')}`;

/** What is said of something that is no text, at a place. */
const notText = (place: string) => `plan.yaml:${place}: ${notUtf8}`;

const mistakes: [what: string, plan: string, told: string][] = [
  [
    'titel for title',
    steps('titel: Format it'),
    'plan.yaml:5:9 stages.0.steps.0.titel: unknown key "titel"; did you mean "title"?',
  ],
  [
    'retries for max_retries',
    steps('{ title: One, retries: 2 }'),
    'plan.yaml:5:23 stages.0.steps.0.retries: unknown key "retries"; did you mean "max_retries"?',
  ],
  [
    'a second document',
    `${steps('{ title: One }')}---\nname: u\n`,
    'plan.yaml:6:1: a second document begins here: one file holds one; put the rest into a file of its own',
  ],
  [
    'stage for stages',
    'name: t\nstage:\n  - name: a\n    steps: [{ title: One }]\n',
    'plan.yaml:2:1 stage: unknown key "stage"; did you mean "stages"?',
  ],
  [
    'a command as one text',
    steps('{ title: One, agent: { command: npx prettier --write "a b" } }'),
    "plan.yaml:5:41 stages.0.steps.0.agent.command: must be a list of a program and its arguments: [npx, prettier, --write, 'a b']",
  ],
  [
    'a shell line as one text',
    steps('{ title: One, agent: { command: echo hi > x.txt && ls } }'),
    "plan.yaml:5:41 stages.0.steps.0.agent.command: must be a list of a program and its arguments; there is no shell, so name one: [sh, -c, 'echo hi > x.txt && ls']",
  ],
  [
    'one file in place of a list',
    steps('{ title: One, files: src }'),
    'plan.yaml:5:30 stages.0.steps.0.files: must be a list: files: [src]',
  ],
  [
    'a budget as text',
    `budget: 5 USD\n${steps('title: One')}`,
    'plan.yaml:1:9 budget: must be a mapping: budget: { usd: 5 }',
  ],
  [
    'a budget as a number',
    `budget: 2.5\n${steps('title: One')}`,
    'plan.yaml:1:9 budget: must be a mapping: budget: { usd: 2.5 }',
  ],
  [
    'a priority out of range',
    steps('{ title: One, priority: 9 }'),
    'plan.yaml:5:33 stages.0.steps.0.priority: must be a whole number from 0 to 5, not 9',
  ],
  [
    'a fraction of a try',
    steps('{ title: One, max_retries: 1.5 }'),
    'plan.yaml:5:36 stages.0.steps.0.max_retries: must be a whole number from 0 to 20, not 1.5',
  ],
  [
    'text for a number',
    steps('{ title: One, priority: high }'),
    'plan.yaml:5:33 stages.0.steps.0.priority: must be a number, not text',
  ],
  [
    'a key that two steps have',
    steps('{ key: fmt, title: One }', '{ key: fmt, title: Two }'),
    'plan.yaml:6:16 stages.0.steps.1.key: the step key "fmt" is used twice; give one of them another key',
  ],
  [
    'two keys that differ only in case',
    steps('{ key: Fmt, title: One }', '{ key: fmt, title: Two }'),
    'plan.yaml:6:16 stages.0.steps.1.key: the step keys "Fmt" and "fmt" differ only in case, and are one name as a folder or branch on many machines; give one of them another key',
  ],
  [
    'a key that differs only in case from that of a title',
    steps('{ key: FMT, title: One }', 'title: Fmt'),
    'plan.yaml:6:16 stages.0.steps.1.title: the title "Fmt" gives the key "fmt", which differs only in case from "FMT" of another step; give one of them a key of its own',
  ],
  [
    'two steps with one title',
    steps('title: Format', 'title: Format'),
    'plan.yaml:6:16 stages.0.steps.1.title: the title "Format" gives the key "format", which another step has; give one of them a key of its own',
  ],
  ...['*.ts', '**/*.md', '*', '*foo*'].map((glob): (typeof mistakes)[number] => [
    `the pattern ${glob} without quotes`,
    steps(`{ title: One, files: [${glob}] }`),
    'plan.yaml:5:31: YAML reads a value that begins with "*" as a reference to an anchor: put the whole value in quotes',
  ]),
  ...['@', '`', '%', ','].map((sign): (typeof mistakes)[number] => [
    `a title that begins with ${sign} without quotes`,
    steps(`title: ${sign}x`),
    `plan.yaml:5:16: YAML reads a value that begins with "${sign}" as syntax of its own: put the whole value in quotes`,
  ]),
  [
    'a pattern that excludes without quotes, which would be left to include',
    steps('{ title: One, signals: [{ type: diff_within, paths: [src, !src/secret] }] }'),
    'plan.yaml:5:67: YAML reads a value that begins with "!" as a tag: put the whole value in quotes',
  ],
  [
    'a list with nothing in it',
    `${steps('{ title: One }')}  - name: b\n    steps: []\n`,
    'plan.yaml:7:12 stages.1.steps: must have at least 1 entry',
  ],
  [
    'a bracket that is never closed',
    steps('{ key: x, title: "One } {"', '{ key: y, title: Two }'),
    'plan.yaml:5:9: the "{" here is never closed: add a "}"',
  ],
  [
    'a list that is never closed',
    `${steps('{ title: One } # not [ this')}gates: [\n`,
    'plan.yaml:6:8: the "[" here is never closed: add a "]"',
  ],
  [
    'a key that stands twice',
    `${steps('title: One')}name: again\n`,
    'plan.yaml:6:1: the key "name" is given twice here; remove one of them',
  ],
  [
    'a no-break space after a key',
    `name:\u00a0t\n${steps('title: One').replace(/^name.*\n/, '')}`,
    'plan.yaml:1:1: this line holds a space that is none to YAML (U+00A0): type it again',
  ],
  ['a byte of nothing', steps('title: O\0ne'), notText('5:17')],
  ['text of two bytes a letter', [...'name: t\n'].map((letter) => `${letter}\0`).join(''), notText('1:2')],
  [
    'a list in a list in a list, and so on',
    `name: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`,
    expect.stringMatching(/^plan\.yaml:1:\d+: nested too deeply to be read$/) as string,
  ],
  [
    'an unknown dependency',
    steps('{ key: fmt, title: One }', '{ title: Two, depends_on: [ftm] }'),
    'plan.yaml:6:36 stages.0.steps.1.depends_on.0: there is no step with the key or title "ftm"; did you mean "fmt"?',
  ],
  [
    'an unknown stage',
    `${steps('title: One')}  - { name: b, depends_on: [b1, aa], steps: [{ title: Two }] }\n`,
    'plan.yaml:6:29 stages.1.depends_on.0: there is no stage "b1"; did you mean "b"?',
  ],
];

test('a plan file that is not there is named with the one beside it that was meant', async () => {
  await using folder = await tempDir();
  for (const name of ['plan.yaml', 'fix-login.yaml', 'baton.yaml'])
    await writeFile(path.join(folder.path, name), 'name: x\n');
  const fixOf = (name: string) =>
    readYamlFile(path.join(folder.path, name), { name: `sub/${name}`, code: 'PLAN_INVALID' }).catch(
      (error: unknown) => (BatonError.is(error, 'FILE_MISSING') ? error.fix : 'another'),
    );
  expect(await fixOf('plan.yml')).toBe('Did you mean sub/plan.yaml?');
  expect(await fixOf('plna.yaml')).toBe('Did you mean sub/plan.yaml?');
  expect(await fixOf('fix-logn.yaml')).toBe('Did you mean sub/fix-login.yaml?');
  // The ending, which all have, makes no two names alike.
  expect(await fixOf('clan.yaml')).toBe('Did you mean sub/plan.yaml?');
  for (const name of ['flat.yaml', 'dir.yaml', 'x.yaml'])
    expect(await fixOf(name)).toMatch(/^Check the path/);
  // What is there and cannot be read is not meant for itself.
  await mkdir(path.join(folder.path, 'folder.yaml'));
  await symlink('nowhere', path.join(folder.path, 'broken.yaml'));
  for (const name of ['folder.yaml', 'broken.yaml'])
    expect(await fixOf(name)).toBe('Check the path; `baton init` writes an example plan.');
  expect(await fixOf('baton.yml')).toBe('Check the path; `baton init` writes an example plan.');
});

test('a plan file in another encoding is refused with its place', async () => {
  await using folder = await tempDir();
  const file = path.join(folder.path, 'plan.yaml');
  await writeFile(file, Buffer.from('name: x\n# caf\u00e9\n', 'latin1'));
  await expect(readYamlFile(file, { name: 'plan.yaml', code: 'PLAN_INVALID' })).rejects.toMatchObject({
    code: 'PLAN_INVALID',
    message: expect.stringContaining(
      'plan.yaml:2:6: this is not UTF-8 text; save the file in UTF-8',
    ) as string,
  });
});

test.each(mistakes)('%s is reported once, with its place and what would be right', (_, text, told) => {
  const check = () => checkPlan(parseYaml(text, { name: 'plan.yaml', code: 'PLAN_INVALID' }), { source });
  let error: unknown;
  try {
    check();
  } catch (thrown) {
    error = thrown;
  }
  expect(BatonError.is(error, 'PLAN_INVALID') && error.message).toEqual(told);
});

test('a value that begins with any sign is read as its text once it is in quotes, and is never read as another without them', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, unit: fc.constantFrom(...'!*&@`%,?-|>#:[]{}\'"~= ab') }),
      (text) => {
        const read = (yaml: string) => {
          const { value } = parseYaml(`a: ${yaml}\n`, { name: 'plan.yaml', code: 'PLAN_INVALID' });
          return (value as { a: unknown }).a;
        };
        expect(read(`'${text.replaceAll("'", "''")}'`)).toBe(text);
        if (!/^ *[!*@`%,]/.test(text)) return;
        expect(() => read(text)).toThrow(/quotes|plan\.yaml:\d+:\d+/);
      },
    ),
  );
});

test('tags of YAML itself, and references to anchors that are there, are read', () => {
  const { value } = parseYaml('a: &x !!str 5\nb: *x\nc: [*x, "*y", \'!z\']\n', {
    name: 'plan.yaml',
    code: 'PLAN_INVALID',
  });
  expect(value).toEqual({ a: '5', b: '5', c: ['5', '*y', '!z'] });
});
