import { expect, test } from 'vitest';

import { trustedFolders } from './trusted-folders.ts';

test('what a repository says of itself is not trusted, and an empty value stays where it is', () => {
  const printed = 'system\0*\0global\0\0local\0/evil\0worktree\0/evil\0command\0/srv/a b\n\0';
  expect(trustedFolders(printed)).toEqual(['*', '', '/srv/a b\n']);
  expect(trustedFolders('')).toEqual([]);
});
