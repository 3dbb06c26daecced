import { expect, test } from 'vitest';

import { shellLine } from './shell-line.ts';

test.each([
  [['echo hi && ls'], "[sh, -c, 'echo hi && ls']"],
  [['echo', 'hi', '&&', 'ls'], "[sh, -c, 'echo hi && ls']"],
  [['cat x | wc'], "[sh, -c, 'cat x | wc']"],
  [['npx prettier --write', 'src'], '[npx, prettier, --write, src]'],
])('%j is reported as a shell line, with what to write: %s', (argv, right) => {
  expect(shellLine(argv)?.fix).toContain(right);
});

test.each([
  [['npm', 'test']],
  [['sh', '-c', 'echo hi && ls']],
  [['/opt/my tools/run', 'x']],
  [['grep', '|', 'file']],
  [['./run.sh', 'a && b']],
])('%j is a program with its arguments', (argv) => {
  expect(shellLine(argv)).toBeNull();
});
