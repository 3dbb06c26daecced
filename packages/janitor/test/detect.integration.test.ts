import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRepo } from '@baton/testkit';
import { expect, test } from 'vitest';
import { detectProject, ignoredPaths, readRepository } from '../src/index.ts';
import { temporaryFolder } from './helpers/repos.ts';
import { exec, git } from './helpers/run.ts';

const searchPath = process.env['PATH'] ?? '';

test('set-up and gates of a real checkout are found: ignored folders with odd names, none that is tracked or a link', async () => {
  await using repo = await createRepo({
    '.gitignore': 'node_modules\n.venv\n',
    'package.json': '{"scripts":{"test":"node --test"},"devDependencies":{"x":"file:./x"}}',
    'Makefile/x': 'a folder of that name',
    '-a ü/package.json': '{}',
    'linked/package.json': '{}',
  });
  const root = repo.path;
  for (const folder of [
    'node_modules/.bin',
    '-a ü/node_modules',
    '.venv/lib/python3.12/site-packages',
    'elsewhere',
  ])
    await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, 'node_modules/.package-lock.json'), '{}');
  await writeFile(join(root, '.venv/pyvenv.cfg'), '');
  await writeFile(join(root, '.venv/lib/python3.12/site-packages/_x.pth'), `${root}/src\n`);
  await symlink('../elsewhere', join(root, 'linked/node_modules'));
  await symlink('/nonexistent', join(root, 'broken'));
  const facts = await readRepository({ git, root, path: searchPath });
  expect(facts).toMatchObject({
    installed: ['-a ü/node_modules', '.venv', 'linked/node_modules', 'node_modules'],
    unfit: {
      '.venv': 'imports the source of this checkout (an editable installation)',
      'linked/node_modules': 'is a symbolic link',
    },
    marks: ['npm'],
    tools: expect.arrayContaining(['npm']) as unknown,
  });
  const found = detectProject(facts);
  expect(found.workspace?.symlink).toEqual(['-a ü/node_modules', 'node_modules']);
  expect(found.gates.map(({ gate, reason }) => [gate.name, gate.command, reason])).toEqual([
    ['tests', ['npm', 'test'], 'package.json has the script "test"'],
  ]);
  await repo.git('add', '--force', 'node_modules');
  expect(await ignoredPaths({ git, root })).not.toContain('node_modules');
});

test('packages below the top are found with what they have installed; those of examples and of packages are none', async () => {
  await using repo = await createRepo({
    '.gitignore': 'node_modules\n.venv\ndeps\n',
    'README.md': 'x',
    'web app/package.json': '{"scripts":{"test":"node --test"},"devDependencies":{"x":"1"}}',
    'web app/package-lock.json': '{}',
    'web app/inner/package.json': '{"scripts":{"test":"x"}}',
    '-api/pyproject.toml': '[tool.pytest.ini_options]\n',
    '-api/tests/test_a.py': 'def test_a():\n    pass\n',
    'services/mail/mix.exs': 'x',
    'examples/a/package.json': '{"scripts":{"test":"x"}}',
    'test/fixtures/package.json': '{"scripts":{"test":"x"}}',
    'a/b/c/package.json': '{"scripts":{"test":"x"}}',
  });
  const root = repo.path;
  for (const folder of ['web app/node_modules', '-api/.venv', 'services/mail/deps'])
    await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, '-api/.venv/pyvenv.cfg'), '');
  const found = detectProject(await readRepository({ git, root, path: searchPath }));
  expect(found.workspace?.symlink.toSorted()).toEqual([
    '-api/.venv',
    'services/mail/deps',
    'web app/node_modules',
  ]);
  expect(found.gates.map(({ gate }) => [gate.name, gate.command[2], gate.paths])).toEqual([
    ['tests-api', 'cd ./-api && .venv/bin/python -m pytest', ['-api']],
    ['tests-services-mail', 'cd services/mail && mix test', ['services/mail']],
    ['tests-web-app', "cd 'web app' && npm test", ['web app']],
  ]);
});

test('an empty repository has neither, and a folder that is not there is an error with a way out', async () => {
  await using repo = await createRepo({});
  const nothing = detectProject(await readRepository({ git, root: repo.path, path: '' }));
  expect(nothing).toEqual({ workspace: null, reasons: [], gates: [], warnings: [] });
  const missing = join(await temporaryFolder(), 'none');
  await expect(readRepository({ git, root: missing, path: '' })).rejects.toMatchObject({
    code: 'FILE_MISSING',
    fix: expect.any(String) as unknown,
  });
});

test('tests of .NET without a solution are found in their folders, which are asked at every change; programs are no tests', async () => {
  const test =
    '<Project><ItemGroup><PackageReference Include="Microsoft.NET.Test.Sdk" /></ItemGroup></Project>';
  const programs = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`src/P${at}/P${at}.csproj`, '<Project Sdk="Microsoft.NET.Sdk" />']),
  );
  await using repo = await createRepo({
    ...programs,
    'Directory.Build.props': '<Project />',
    'App.csproj': '<Project Sdk="Microsoft.NET.Sdk.Web" />',
    'tests/App.Tests/App.Tests.csproj': test,
    'samples/Shop.Tests/Shop.Tests.csproj': test,
    'tests/fixture/package.json': '{"scripts":{"test":"x"}}',
  });
  const facts = await readRepository({ git, root: repo.path, path: searchPath });
  expect(
    detectProject(facts).gates.map(({ gate: { name, command, paths } }) => [name, command, paths]),
  ).toEqual([['tests-tests-app-tests', ['sh', '-c', 'cd tests/App.Tests && dotnet test'], undefined]]);
});

test.each([
  [
    'a link of setuptools',
    '__editable___tiny_finder.py',
    (root: string) => `MAPPING = {'tiny': '${root}/src/tiny'}`,
  ],
  ['a path of another builder', '_tiny.pth', (root: string) => `${root}/src\n`],
  ['an old link', 'tiny.egg-link', (root: string) => `${root}/src\n../\n`],
  [
    'the record of pip',
    'tiny-1.dist-info/direct_url.json',
    (root: string) => JSON.stringify({ url: `file://${root}`, dir_info: { editable: true } }),
  ],
])('a Python of PATH that imports the checkout is not what gates run: %s', async (_, name, textOf) => {
  await using repo = await createRepo({
    'pyproject.toml': '[project]\nname = "tiny"\ndependencies = []\n',
    'src/tiny/__init__.py': '',
    'tests/test_a.py': 'def test_a():\n    pass\n',
  });
  const root = repo.path;
  const place = await temporaryFolder();
  const packages = join(place, 'site-packages');
  await mkdir(join(packages, 'tiny-1.dist-info'), { recursive: true });
  await writeFile(
    join(place, 'python3'),
    `#!/bin/sh\nprintf '%s\\0' ${place} '' ${place}/lib/python312.zip; printf '%s\\n' ${packages}\n`,
  );
  await chmod(join(place, 'python3'), 0o755);
  const path = `${place}:${searchPath}`;
  const look = () => readRepository({ git, root, path, gates: { exec, env: { PATH: path } } });
  expect((await look()).pythonSource).toBeUndefined();
  expect(detectProject(await look()).gates[0]?.gate.command[0]).toBe('python3');
  await writeFile(join(packages, name), textOf(root));
  const facts = await look();
  expect(facts.pythonSource).toContain(join(packages, name.split('/')[0] ?? ''));
  const found = detectProject(facts);
  expect(found.workspace?.setup?.[2]).toBe(
    'python3 -m venv .venv && .venv/bin/python -m pip install -e . pytest',
  );
  expect(found.gates.map(({ gate }) => gate.command)).toEqual([['.venv/bin/python', '-m', 'pytest']]);
  expect(found.warnings.join()).toContain('python3 of PATH imports the source of this checkout (');
});

test.each([
  ['a package', 'tiny', (root: string) => `${root}/packages/tiny`, true],
  ['a package of a scope', '@x/tiny', (root: string) => `${root}/packages/tiny`, true],
  ['a package elsewhere', 'tiny', () => '/nonexistent/tiny', false],
  ['a package by a relative path', 'tiny', () => '../packages/tiny', false],
])('a link of installed packages into the checkout by an absolute path: %s', async (_, name, to, isUnfit) => {
  await using repo = await createRepo({ '.gitignore': 'node_modules\n', 'packages/tiny/index.js': '' });
  const root = repo.path;
  await mkdir(join(root, 'node_modules/@x'), { recursive: true });
  await symlink(to(root), join(root, 'node_modules', name));
  const { unfit } = await readRepository({ git, root, path: searchPath });
  const why = `has the link ${name}, which leads into this checkout by an absolute path`;
  expect(unfit).toEqual(isUnfit ? { node_modules: why } : {});
});

test('tests of unittest are known with the folder that discovery begins at, in packages and beside them', async () => {
  await using repo = await createRepo({
    'tests/unit/__init__.py': '',
    'tests/unit/test_a.py': 'import unittest\n',
    'whole/__init__.py': '',
    'whole/test_b.py': 'import unittest\n',
  });
  const facts = await readRepository({ git, root: repo.path, path: searchPath });
  expect(facts.pythonTests).toEqual({ 'tests/unit/test_a.py': 'tests', 'whole/test_b.py': '.' });
});
