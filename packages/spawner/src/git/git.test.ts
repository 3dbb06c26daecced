import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExecOptions, ExecResult } from '@baton/contracts';
import { createGit, gitText, requireGit, validateRefName } from './git.ts';

const result: ExecResult = {
  exitCode: 0,
  signal: null,
  stdout: '',
  stderr: '',
  timedOut: false,
  aborted: false,
  truncated: false,
  durationMs: 1,
};

function recorded(answer: Partial<ExecResult>) {
  const calls: { argv: readonly string[]; options: ExecOptions }[] = [];
  const git = createGit({
    exec: (argv, options) => (calls.push({ argv, options }), Promise.resolve({ ...result, ...answer })),
    env: { PATH: '/bin', SECRET: 'x', GIT_DIR: '/elsewhere' },
  });
  return { git, calls };
}

test('every call is hardened and takes nothing but what it needs from the environment', async () => {
  const { git, calls } = recorded({});
  await git(['status'], { cwd: '/repo' });
  const [{ argv, options } = { argv: [], options: undefined }] = calls;
  for (const setting of [
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'commit.gpgSign=false',
    'protocol.ext.allow=never',
  ])
    expect(argv).toContain(setting);
  expect(argv.at(-1)).toBe('status');
  expect(options?.env).toMatchObject({
    PATH: '/bin',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Baton',
    GIT_AUTHOR_EMAIL: 'baton@localhost',
  });
  expect(options?.env).not.toHaveProperty('SECRET');
  expect(options?.env).not.toHaveProperty('GIT_DIR');
});

test.each(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])(
  'a git for which there is no room (%s) is not taken for one that is missing',
  async (spawnError) => {
    const { git } = recorded({ exitCode: null, spawnError });
    await expect(git(['status'], { cwd: '/repo' })).rejects.toMatchObject({
      code: 'GIT_FAILED',
      retryable: true,
      fix: expect.stringContaining('ulimit -u'),
    });
  },
);

test.each([
  'error: cannot fork() for git: Resource temporarily unavailable\nfatal: unable to fork',
  'fatal: unable to create thread: Resource temporarily unavailable',
  "error: open('a.txt'): Too many open files",
])('a git that had no room names the limits that hold it (%j)', async (stderr) => {
  const { git } = recorded({ exitCode: 128, stderr });
  await expect(gitText(git, ['fetch'], { cwd: '/repo' })).rejects.toMatchObject({
    code: 'GIT_FAILED',
    message: expect.stringContaining(stderr),
    fix: expect.stringContaining('raise the limits (`ulimit -u`, `ulimit -n`)'),
  });
});

test('a git that is missing or too old is named, with what to do', async () => {
  await expect(requireGit(recorded({ exitCode: null, spawnError: 'ENOENT' }).git)).rejects.toMatchObject({
    code: 'GIT_MISSING',
    fix: expect.stringContaining('2.38'),
  });
  await expect(requireGit(recorded({ stdout: 'git version 2.37.9\n' }).git)).rejects.toMatchObject({
    code: 'GIT_TOO_OLD',
    details: { version: '2.37.9' },
  });
  expect(await requireGit(recorded({ stdout: 'git version 2.38.0\n' }).git)).toBe('2.38.0');
  expect(await requireGit(recorded({ stdout: 'git version 3.0.1 (Apple Git-1)\n' }).git)).toBe('3.0.1');
});

test('what is called git and prints lines of its own is named by them, not read', async () => {
  for (const stdout of ['Welcome to host 10.4!\ngit version 2.45.0\n', 'gitk 9.9\n', ''])
    await expect(requireGit(recorded({ stdout }).git)).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining(`with "${stdout.split('\n')[0]}"`) as string,
      fix: expect.stringContaining('`command -v git`') as string,
    });
});

test('a git that does not answer is given up, for its version after 20 s, with how to find what it waits for', async () => {
  const { git, calls } = recorded({ exitCode: null, signal: 'SIGKILL', timedOut: true });
  await expect(requireGit(git)).rejects.toMatchObject({
    code: 'GIT_FAILED',
    fix: expect.stringContaining('see what it waits for') as string,
  });
  expect(calls[0]?.options.timeoutMs).toBe(20_000);
});

test.each(['main', 'baton/run-1', 'feature/ümlaut', 'refs/heads/x'])(
  '%s can be the name of a branch',
  (name) => {
    expect(validateRefName(name)).toBe(name);
  },
);

test.each([
  '',
  '-x',
  '--upload-pack=x',
  'a..b',
  'a b',
  'a~1',
  'a^',
  'a:b',
  'a//b',
  '/a',
  'a/',
  '.a',
  'a/.b',
  'a.lock',
  'a.',
  '@',
  'a@{1}',
  'a\nb',
  'a\\b',
  'a*',
])('%j cannot be the name of a branch', (name) => {
  expect(() => validateRefName(name)).toThrowError(expect.objectContaining({ code: 'REF_INVALID' }));
});

test('no accepted name reads as an option or a range', () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      try {
        validateRefName(name);
      } catch {
        return;
      }
      expect(name.startsWith('-') || name.includes('..') || /\s/.test(name)).toBe(false);
    }),
  );
});
