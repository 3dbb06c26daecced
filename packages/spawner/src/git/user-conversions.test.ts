import { expect, test } from 'vitest';

import { conversionLines } from './user-conversions.ts';

test('names and values of any kind come through, in order, and what a repository says of itself is left out', () => {
  const printed =
    'system\0core.autocrlf\ninput\0local\0filter.evil.clean\nrm\0global\0filter.My "own".x.clean\na \\ "b"\nc\0' +
    'global\0filter.lfs.required\0command\0core.eol\n\0worktree\0core.eol\ncrlf\0';
  expect(conversionLines(printed)).toBe(
    '[core]\n\tautocrlf = "input"\n[filter "My \\"own\\".x"]\n\tclean = "a \\\\ \\"b\\"\\nc"\n' +
      '[filter "lfs"]\n\trequired\n[core]\n\teol = ""\n',
  );
  expect(conversionLines('')).toBe('');
});
