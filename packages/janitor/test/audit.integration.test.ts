import { createRepo, type RepoFiles } from '@baton/testkit';
import { dependencyRules } from '@baton/contracts';
import { expect, it } from 'vitest';
import { auditDependencies, listChangedPaths, reportAudit } from '../src/index.ts';
import { git } from './helpers/run.ts';

const rules = dependencyRules.parse({ licences: ['MIT'] });

/** What the audit says of a change from some files to others, as `name@version: findings`. */
async function audited(before: RepoFiles, after: RepoFiles, gone: string[] = []) {
  await using repo = await createRepo(before);
  const from = await repo.git('rev-parse', 'HEAD');
  await repo.write(after);
  if (gone.length > 0) await repo.git('rm', '-q', ...gone);
  await repo.git('add', '--all');
  await repo.git('commit', '-q', '--allow-empty', '-m', 'change');
  const to = await repo.git('rev-parse', 'HEAD');
  const range = { git, clone: repo.path, from, to };
  const audit = await auditDependencies({ ...range, changes: await listChangedPaths(range), rules });
  if (audit === null) return null;
  return {
    added: audit.additions.map(
      ({ dependency: { name, version }, isNew, findings }) =>
        `${name}@${version}${isNew ? '' : ' (known)'}: ${findings.join('; ')}`,
    ),
    unread: audit.unread.map(({ path, why }) => `${path}: ${why}`),
    decision: reportAudit(audit, rules).decision,
  };
}

type Packages = Record<string, object>;
const entry = (name: string, version: string, more: object = {}) => ({
  version,
  resolved: `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`,
  integrity: `sha512-${name}${version}`,
  license: 'MIT',
  ...more,
});
const lockOf = (packages: Packages): string =>
  JSON.stringify({ lockfileVersion: 3, packages: { '': { name: 'own' }, ...packages } }, null, 2);
const [left, right] = [entry('left', '1.0.0'), entry('right', '1.0.0')];
const both = lockOf({ 'node_modules/left': left, 'node_modules/right': right });
const manifest = JSON.stringify({ name: 'own', dependencies: { left: '^1.0.0', right: '^1.0.0' } });
const base: RepoFiles = { 'package.json': manifest, 'package-lock.json': both };

it('a change of no manifest or lock file is not looked at', async () => {
  expect(await audited(base, { 'src/index.js': '1\n' })).toBeNull();
  expect(await audited(base, { 'node_modules/x/package.json': '{"dependencies":{"y":"1"}}' })).toBeNull();
});

it('a lock file that is sorted otherwise, has other ends of lines, was moved or deleted adds nothing', async () => {
  const sorted = lockOf({ 'node_modules/right': right, 'node_modules/left': left });
  const nothing = { added: [], unread: [], decision: 'allow' };
  expect(await audited(base, { 'package-lock.json': sorted })).toEqual(nothing);
  expect(await audited(base, { 'package-lock.json': `\uFEFF${both.replaceAll('\n', '\r\n')}` })).toEqual(
    nothing,
  );
  expect(await audited(base, { 'app/package-lock.json': both }, ['package-lock.json'])).toEqual(nothing);
  expect(await audited(base, {}, ['package-lock.json'])).toBeNull();
});

it('a lock file is looked at in a folder of any name', async () => {
  const added = lockOf({ 'node_modules/evil': entry('evil', '1.0.0', { license: 'Other' }) });
  for (const folder of ['a\tb', 'a b', 'é\n'])
    expect(
      await audited(base, { [`${folder}/package-lock.json`]: added }),
      JSON.stringify(folder),
    ).toMatchObject({ added: ['evil@1.0.0: its licence Other is not allowed'], decision: 'hold' });
});

it('a version in range with the same licence and a package of the repository pass', async () => {
  const bumped = lockOf({
    'node_modules/left': entry('left', '1.1.0'),
    'node_modules/right': right,
    'node_modules/own-part': { resolved: 'packages/part', link: true },
    'packages/part': { version: '0.0.0', dependencies: { left: '^1.0.0' } },
  });
  const part = JSON.stringify({ name: 'own-part', dependencies: { left: '^1.0.0' } });
  expect(await audited(base, { 'package-lock.json': bumped, 'packages/part/package.json': part })).toEqual({
    added: ['left@1.1.0 (known): '],
    unread: [],
    decision: 'allow',
  });
});

it('what speaks against an addition is said of each: licence, source, hash and name', async () => {
  const lock = lockOf({
    'node_modules/left': left,
    'node_modules/right': right,
    'node_modules/rihgt': entry('rihgt', '1.0.0'),
    'node_modules/closed': entry('closed', '1.0.0', { license: 'UNLICENSED' }),
    'node_modules/silent': entry('silent', '1.0.0', { license: undefined }),
    'node_modules/bare': entry('bare', '1.0.0', { integrity: undefined }),
    'node_modules/far': entry('far', '1.0.0', { resolved: 'https://a:b@cdn.example.org/far.tgz' }),
    'node_modules/fork': entry('fork', '1.0.0', {
      resolved: 'git+ssh://git@example.org/f.git#abc',
      integrity: 'x',
    }),
    'node_modules/other': entry('thing', '1.0.0', { name: 'thing' }),
  });
  expect(await audited(base, { 'package-lock.json': lock })).toEqual({
    added: [
      'rihgt@1.0.0: its name is one edit away from right',
      'closed@1.0.0: its licence UNLICENSED is not allowed',
      'silent@1.0.0: its licence is not known',
      'bare@1.0.0: no hash of its content is kept',
      'far@1.0.0: it comes from https://cdn.example.org/far.tgz',
      'fork@1.0.0: it comes from git+ssh://example.org/f.git',
      'thing@1.0.0: ',
    ],
    unread: [],
    decision: 'hold',
  });
});

it('a known version that loses its hash or comes from elsewhere is an addition', async () => {
  const lock = lockOf({
    'node_modules/left': { ...left, integrity: undefined },
    'node_modules/right': { ...right, resolved: 'https://cdn.example.org/right.tgz' },
  });
  expect(await audited(base, { 'package-lock.json': lock })).toMatchObject({
    added: [
      'left@1.0.0 (known): no hash of its content is kept',
      'right@1.0.0 (known): it comes from https://cdn.example.org/right.tgz',
    ],
    decision: 'hold',
  });
});

it('a manifest counts where no lock file names the package', async () => {
  const more = JSON.stringify({ dependencies: { left: '^1.0.0', right: '^2.0.0', third: '^1.0.0' } });
  expect((await audited({ 'package.json': manifest }, { 'package.json': more }))?.added).toEqual([
    'right@^2.0.0 (known): ',
    'third@^1.0.0: its licence is not known',
  ]);
  expect((await audited(base, { 'package.json': more }))?.added).toEqual([
    'third@^1.0.0: its licence is not known',
  ]);
});

it('a file that cannot be read is held: broken, with marks of a merge, a link, or huge', async () => {
  const unread = async (text: string) => {
    const found = await audited(base, { 'package-lock.json': text });
    return [found?.decision, found?.unread];
  };
  const why = (text: string) => ['hold', [`package-lock.json: ${text}`]];
  expect(await unread('{')).toEqual(why('it is no JSON object'));
  expect(await unread(`<<<<<<< HEAD\n${both}`)).toEqual(why('it is no JSON object'));
  expect(await unread(' '.repeat(10 * 1024 * 1024 + 1))).toEqual(why('it is larger than 10 MB'));
});

it('a large lock file is read in moments', async () => {
  const many = (count: number): Packages =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `node_modules/package-${at}`,
        entry(`package-${at}`, '1.0.0'),
      ]),
    );
  const started = performance.now();
  const found = await audited(
    { 'package-lock.json': lockOf(many(8_000)) },
    { 'package-lock.json': lockOf(many(8_001)) },
  );
  expect(found?.added).toHaveLength(1);
  expect(performance.now() - started).toBeLessThan(20_000);
});

it('a hash beside a go.mod counts, and a package of the repository in a requirements file does not', async () => {
  const go = (lines: string) => `module example.org/own\n\nrequire (\n${lines})\n`;
  const found = await audited(
    {
      'go.mod': go('\texample.org/a v1.0.0\n'),
      'go.sum': 'example.org/a v1.0.0 h1:x=\n',
      'requirements.txt': '',
    },
    {
      'go.mod': go('\texample.org/a v1.0.0\n\texample.org/b v1.0.0\n\texample.org/c v1.0.0\n'),
      'go.sum': 'example.org/a v1.0.0 h1:x=\nexample.org/b v1.0.0 h1:y=\n',
      'requirements.txt': '-e ./own\n',
    },
  );
  expect(found?.added).toEqual([
    'example.org/b@v1.0.0: its licence is not known',
    'example.org/c@v1.0.0: no hash of its content is kept; its licence is not known',
  ]);
});
