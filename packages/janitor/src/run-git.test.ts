import { expect, it } from 'vitest';
import { gitFailed } from './run-git.ts';

const ended = {
  ...{ exitCode: 128, signal: null, stdout: '', durationMs: 1 },
  ...{ timedOut: false, aborted: false, truncated: false },
};
const fixFor = (stderr: string) => gitFailed(['update-ref', '--stdin'], { ...ended, stderr }).fix;

it('a git that the system does not let write names what lets it', () => {
  const owner =
    'Let the user who runs Baton write in the git folder of the repository, or run Baton as its owner.';
  const ref = "fatal: prepare: cannot lock ref 'refs/heads/baton/x': ";
  expect(fixFor(`${ref}unable to create directory for .git/refs/heads/baton/x`)).toBe(owner);
  expect(fixFor(`${ref}Unable to create '/r/.git/refs/heads/x.lock': Permission denied`)).toBe(owner);
  expect(fixFor('error: insufficient permission for adding an object to repository database')).toBe(owner);
  expect(fixFor(`${ref}Unable to create '/r/.git/x.lock': Read-only file system`)).toBe(
    'Work in a clone on a file system that can be written, or mount this one so.',
  );
  expect(fixFor('fatal: write error: No space left on device')).toBe(
    'Free room on the disk of the repository.',
  );
});

it('a program that a filter needs and that is not there is named', () => {
  const end = '\nfatal: the remote end hung up unexpectedly';
  expect(fixFor(`git-lfs filter-process: 1: git-lfs: not found${end}`)).toMatch(/^Install git-lfs, /);
  expect(fixFor(`git-lfs smudge -- big.bin: line 1: git-lfs: command not found${end}`)).toMatch(
    /^Install git-lfs, /,
  );
  expect(fixFor("fatal: repository '/r' not found")).toMatch(/^Try again/);
});

it('a remote that refuses is not taken for a folder that cannot be written', () => {
  const remote =
    'Let the user who runs Baton reach the remote repository: see to its address, keys and network.';
  const said = 'git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.';
  expect(fixFor(said)).toBe(remote);
  expect(fixFor("fatal: unable to access 'https://h/r.git/': Could not resolve host: h")).toBe(remote);
  expect(fixFor("fatal: Authentication failed for 'https://host/r.git/'")).toBe(remote);
});

it('a lock is named by its file, and what is unknown leads to a look at the repository', () => {
  expect(fixFor("fatal: Unable to create '/r/.git/index.lock': File exists.")).toBe(
    'Wait for the git process that holds it; if there is none, remove /r/.git/index.lock.',
  );
  expect(fixFor('fatal: bad object')).toBe('Try again; if it persists, run `git fsck` in the repository.');
});
