import { expect, test } from 'vitest';

import { firstExample } from './readme-example.ts';

test('the first ts block is the example, other blocks are not', () => {
  const markdown =
    '# x\n\n```sh\nnpm i\n```\n\n```ts\nconst a = 1;\n\nconsole.log(a);\n```\n\n```ts\nsecond\n```\n';
  expect(firstExample(markdown)).toBe('const a = 1;\n\nconsole.log(a);\n');
});

test('a README without a ts block has no example', () => {
  expect(firstExample('```sh\nls\n```\n')).toBeUndefined();
});
