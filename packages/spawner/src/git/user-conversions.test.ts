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

test('dots in a value are no part of its name', () => {
  const printed =
    'global\0core.attributesfile\n/home/u/.config/git/attributes\0global\0filter.nb.v2.clean\npython3.11 a.py\n--x.y\0';
  expect(conversionLines(printed)).toBe(
    '[core]\n\tattributesfile = "/home/u/.config/git/attributes"\n[filter "nb.v2"]\n\tclean = "python3.11 a.py\\n--x.y"\n',
  );
});
