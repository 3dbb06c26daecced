import { expect, it } from 'vitest';
import type { FoundDependencies } from './dependency.ts';
import { readPackageJson, readPackageLock, readPnpmLock, readYarnLock } from './npm-files.ts';

/** Each package in a few words. */
const told = ({ dependencies }: FoundDependencies): string[] =>
  dependencies.map(({ name, alias, version, source, integrity, licence }) =>
    [
      `${name}@${version}`,
      ...(alias === null ? [] : [`as ${alias}`]),
      source.url ?? source.kind,
      String(integrity),
      ...(licence === null ? [] : [licence]),
    ].join(' '),
  );

const tgz = (name: string, version: string) => `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`;

it('a package lock names what is installed, but no package of the repository, with aliases and nested versions', () => {
  const lock = {
    lockfileVersion: 3,
    packages: {
      '': { name: 'root', dependencies: { a: '^1' } },
      'packages/own': { version: '0.0.0' },
      'node_modules/own': { resolved: 'packages/own', link: true },
      'node_modules/a': {
        version: '1.0.0',
        resolved: tgz('a', '1.0.0'),
        integrity: 'sha512-x',
        license: 'MIT',
      },
      'node_modules/a/node_modules/b': { version: '2.0.0', resolved: tgz('b', '2.0.0') },
      'node_modules/short': { name: 'other', version: '1.0.0', integrity: 'sha512-y' },
      'node_modules/@s/git': { version: '1.0.0', resolved: 'git+ssh://git@github.com/s/git.git#abc' },
      'node_modules/a/node_modules/inside': { version: '1.0.0', inBundle: true },
      'node_modules/file': { version: '1.0.0', resolved: 'file:../file' },
      'node_modules/old': { version: '1', integrity: 'x', licenses: [{ type: 'MIT' }, { type: 'BSD' }] },
    },
  };
  expect(told(readPackageLock(JSON.stringify(lock)))).toEqual([
    `a@1.0.0 ${tgz('a', '1.0.0')} true MIT`,
    `b@2.0.0 ${tgz('b', '2.0.0')} false`,
    'other@1.0.0 as short unknown true',
    '@s/git@1.0.0 git+ssh://git@github.com/s/git.git#abc false',
    'inside@1.0.0 unknown null',
    'old@1 unknown true (MIT) OR (BSD)',
  ]);
});

it('a package lock of version 1 is read to its depth', () => {
  const lock = {
    lockfileVersion: 1,
    dependencies: {
      a: { version: '1.0.0', integrity: 'x', dependencies: { b: { version: '2.0.0', integrity: 'y' } } },
      short: { version: 'npm:other@3.0.0', integrity: 'z' },
      git: { version: 'git+https://example.org/g.git#abc' },
    },
  };
  expect(told(readPackageLock(JSON.stringify(lock)))).toEqual([
    'a@1.0.0 unknown true',
    'b@2.0.0 unknown true',
    'other@3.0.0 as short unknown true',
    'git@git+https://example.org/g.git#abc git+https://example.org/g.git#abc false',
  ]);
});

it('a pnpm lock of version 9 or 5 names packages, archives and repositories', () => {
  const nine = `lockfileVersion: '9.0'\r
importers:\r
  .: {dependencies: {a: {specifier: ^1, version: 1.0.0}}}\r
packages:\r
  a@1.0.0: {resolution: {integrity: sha512-x}}\r
  '@s/b@2.0.0': {resolution: {}}\r
  own@file:packages/own: {resolution: {directory: packages/own, type: directory}}\r
  g@https://codeload.github.com/s/g/tar.gz/abc: {resolution: {tarball: https://codeload.github.com/s/g/tar.gz/abc}, version: 1.0.0}\r
  h@git+https://example.org/h.git#abc: {resolution: {commit: abc, repo: 'https://example.org/h.git', type: git}, version: 1.0.0}\r
`;
  expect(told(readPnpmLock(nine))).toEqual([
    'a@1.0.0 registry true',
    '@s/b@2.0.0 registry false',
    'g@1.0.0 https://codeload.github.com/s/g/tar.gz/abc false',
    'h@1.0.0 https://example.org/h.git null',
  ]);
  const five = `lockfileVersion: 5.4\npackages:\n  /@s/b/2.0.0_a@1.0.0:\n    resolution: {integrity: sha512-x}\n`;
  const six = `lockfileVersion: '6.0'\npackages:\n  /@s/b@2.0.0(a@1.0.0):\n    resolution: {integrity: sha512-x}\n`;
  expect([told(readPnpmLock(five)), told(readPnpmLock(six))]).toEqual([
    ['@s/b@2.0.0 registry true'],
    ['@s/b@2.0.0 registry true'],
  ]);
});

it('a yarn lock of the first version is read with aliases, ranges of several words and either end of line', () => {
  const text = `# yarn lockfile v1


"@s/a@^1.0.0", "@s/a@^1.1.0":
  version "1.1.0"
  resolved "${tgz('a', '1.1.0')}#${'0'.repeat(40)}"
  dependencies:
    b ">=1 <3"

"b@>=1 <3":
  version "2.0.0"
  resolved "${tgz('b', '2.0.0')}"
  integrity sha512-x

"short@npm:other@^3":
  version "3.0.0"
  resolved "${tgz('other', '3.0.0')}"

"own@file:packages/own":
  version "0.0.0"
`;
  const wanted = [
    `@s/a@1.1.0 ${tgz('a', '1.1.0')}#${'0'.repeat(40)} true`,
    `b@2.0.0 ${tgz('b', '2.0.0')} true`,
    `other@3.0.0 as short ${tgz('other', '3.0.0')} false`,
  ];
  expect(told(readYarnLock(text))).toEqual(wanted);
  expect(told(readYarnLock(text.replaceAll('\n', '\r\n')))).toEqual(wanted);
});

it('a yarn lock of a later version is read without packages of the workspace', () => {
  const text = `__metadata:
  version: 8

"a@npm:^1.0.0":
  version: 1.0.0
  resolution: "a@npm:1.0.0"
  checksum: 10/abc
  linkType: hard

"root@workspace:.":
  version: 0.0.0-use.local
  resolution: "root@workspace:."
  linkType: soft

"g@https://example.org/g.git#commit=abc":
  version: 1.0.0
  resolution: "g@https://example.org/g.git#commit=abc"
`;
  expect(told(readYarnLock(text))).toEqual([
    'a@1.0.0 registry true',
    'g@1.0.0 https://example.org/g.git#commit=abc null',
  ]);
});

it('a manifest names what people ask for', () => {
  const manifest = {
    dependencies: {
      a: '^1',
      own: 'workspace:*',
      local: 'file:../x',
      short: 'npm:@s/other@2',
      hub: 'owner/name',
    },
    devDependencies: { listed: 'catalog:', git: 'git+https://example.org/g.git' },
  };
  const found = readPackageJson(JSON.stringify(manifest));
  expect(told(found)).toEqual([
    'a@^1 registry null',
    '@s/other@2 as short registry null',
    'hub@owner/name github:owner/name null',
    'listed@catalog: registry null',
    'git@git+https://example.org/g.git git+https://example.org/g.git null',
  ]);
  expect(found.direct).toEqual(['a', 'short', 'hub', 'listed', 'git']);
});

it('what is no such file is refused, and odd values name nothing', () => {
  for (const text of ['', '[]', '{', '<<<<<<< HEAD\n{}', 'null']) {
    expect(() => readPackageLock(text), text).toThrow();
    expect(() => readPackageJson(text), text).toThrow();
  }
  expect(() => readPackageLock('{}')).toThrow('lockfileVersion');
  expect(() => readPnpmLock('a: 1\na: 2\n')).toThrow();
  expect(() => readPnpmLock('<<<<<<< HEAD\nlockfileVersion: 9\n=======\n')).toThrow();
  expect(() => readPnpmLock('')).toThrow();
  expect(() => readYarnLock('a@^1:\n  version "1"\n')).toThrow('no yarn lock');
  const odd = { lockfileVersion: 3, packages: { 'node_modules/a': null, 'node_modules/b': 7, c: [] } };
  expect(told(readPackageLock(JSON.stringify(odd)))).toEqual(['a@ unknown false', 'b@ unknown false']);
});
