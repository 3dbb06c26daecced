import { expect, it } from 'vitest';

import { branch, isBranchName, isRepoLocation, repoPlace } from './git-names.ts';

it.each(['main', 'baton/tidy', 'feature/ü', 'a.b', 'v1.0-rc', 'people/anna@home'])('%s is a branch', (name) =>
  expect(isBranchName(name)).toBe(true),
);

it.each(
  // prettier-ignore
  ['', '@', 'HEAD', '-x', '--upload-pack=x', '../../x', 'a/../b', 'a b', 'a..b', '/a', 'a/', 'a//b', '.a', 'a/.b', 'a.lock', 'a.lock/b',
    'a.', 'a./b', 'a~1', 'a^', 'a:b', 'a?', 'a*', 'a[b', 'a\\b', 'a@{1}', 'refs/tags/a', 'a\nb', 'a\0b', 'a\u001b[31m', 'a\u202eb', 'a\u200bb',
    'a\ud800', 'x'.repeat(201)],
)('%j is none', (name) => {
  expect(isBranchName(name)).toBe(false);
  expect(branch.safeParse(name).success).toBe(false);
});

it('a full ref of a branch is taken by its name', () => expect(branch.parse('refs/heads/main')).toBe('main'));

it.each([
  '/srv/git/app',
  '/srv/with space/ü',
  'https://git.example.com/acme/app.git',
  'https://user@git.example.com:8443/app',
  'ssh://git@example.com:22/app.git',
  'ssh://[::1]/app.git',
  'git://example.com/app',
  'file:///srv/git/app',
  'git@example.com:acme/app.git',
])('%s is where a repository can be', (location) => expect(isRepoLocation(location)).toBe(true));

it.each(
  // prettier-ignore
  ['', '.', 'relative/path', '-x', '--upload-pack=touch x', 'ext::sh -c "touch x"', 'ext::sh', 'fd::17', 'https::x', 'foo::https://example.com',
    'foo+https://example.com', 'ftp://example.com/a', 'javascript://x', 'ssh://-oProxyCommand=x/y', '-oProxyCommand=x@host:path', 'git@-oProxyCommand=x:y',
    'git@host:-x', 'https://exa mple.com/a', '/srv/../etc', '/a\0b', '/a\nb', '/a\u202eb', 'https://a\u001b[8m', `/${'x'.repeat(4_100)}`],
)('%j is not', (location) => expect(isRepoLocation(location)).toBe(false));

it('in a file a path may be relative, and nothing else is let in by that', () => {
  for (const place of ['.', '../app', 'sub/app', '/srv/app', 'https://example.com/a'])
    expect(repoPlace.safeParse(place).success, place).toBe(true);
  for (const place of ['', '-x', '--upload-pack=x', 'ext::sh -c x', 'C:\\x', 'a\0b', 'a\u202eb', 'file:x'])
    expect(repoPlace.safeParse(place).success, JSON.stringify(place)).toBe(false);
});
