import { tmpdir } from 'node:os';
import { BatonError } from '@baton/contracts';
import { expect, it } from 'vitest';
import { diskTrouble } from './full-disk.ts';

const failure = (message: string, code: string) => Object.assign(new Error(message), { code });

it.each([
  ['a file system', failure("ENOSPC: no space left on device, write 'x'", 'ENOSPC')],
  ['a quota', failure('EDQUOT: disk quota exceeded', 'EDQUOT')],
  ['git', new BatonError('GIT_FAILED', 'fatal: write error: No space left on device')],
])('names the disk of the folder when %s says that it is full', (_, error) => {
  expect(diskTrouble(tmpdir(), error)?.message).toContain(tmpdir());
});

it.each([
  ['Postgres', failure('could not extend file "base/1/2": No space left on device', '53100')],
  ['Prisma', failure('could not extend file "base/1/2": No space left on device', 'P2010')],
  ['the store', new BatonError('DATABASE_FULL', 'could not extend file: No space left on device')],
])(
  'does not take the full disk of another server, which %s names, for the disk of the folder',
  (_, error) => {
    expect(diskTrouble(tmpdir(), error)).toBeNull();
  },
);
