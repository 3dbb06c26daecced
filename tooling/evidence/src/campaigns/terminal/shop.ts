import { json } from '../first-hour/repository.ts';

/** A small package with a test that needs nothing installed. */
export const shop = {
  'package.json': json({
    name: 'shop',
    version: '1.0.0',
    type: 'module',
    scripts: { test: 'node --test' },
  }),
  'src/price.js': 'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n',
  'test/price.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/price.js';

test('adds prices', () => assert.equal(total([1, 2]), 3));
`,
  'README.md': '# Shop\n',
};

/** A plan whose work a person wants to see before it lands. */
export const reviewPlan = `name: greetings
agent: helper
stages:
  - name: words
    steps:
      - key: welcome
        title: Write a welcome for customers
        files: [welcome.txt]
        approval: true
      - key: farewell
        title: Write a farewell for customers
        files: [farewell.txt]
        approval: true
`;

/** What the person says to work that is not good enough. */
export const words = 'Make it shorter, and thank them.';

const writes = (file: string, content: string, say: string) => [
  {
    say: 'I look at the repository first.',
    do: [{ tool: 'list_files', input: { path: '.' } }],
    ...told(900, 40),
  },
  { say: 'I write it.', do: [{ tool: 'write_file', input: { path: file, content } }], ...told(1_400, 120) },
  { say, ...told(1_600, 30) },
];

const told = (input: number, output: number) => ({ usage: { input, output } });

const greeting = 'Write .?hello\\.txt';

/** The model of the helper: it does what the goal and the plan ask, and heeds what a person said. */
export const working = {
  scripts: [
    { name: 'hello', when: greeting, turns: writes('hello.txt', 'Hello!\n', 'hello.txt greets now.') },
    {
      name: 'better',
      when: words,
      turns: writes('farewell.txt', 'Thank you, and bye!\n', 'It is shorter, and thanks them.'),
    },
    {
      name: 'welcome',
      when: 'Write a welcome',
      turns: writes('welcome.txt', 'Welcome to the shop.\n', 'The welcome is written.'),
    },
    {
      name: 'farewell',
      when: 'Write a farewell',
      turns: writes(
        'farewell.txt',
        'We hope that you will visit us again soon.\n',
        'The farewell is written.',
      ),
    },
  ],
};

/** The same model, which thinks about the greeting for ever. */
export const thinking = {
  scripts: [
    {
      name: 'hello',
      when: greeting,
      turns: [writes('hello.txt', 'Hello!\n', '')[0], { hang: true }],
    },
  ],
};
