import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf, type Step } from '../support/plans.ts';

const does = (script: string) => ({ command: ['sh', '-c', `cat >/dev/null; ${script}`] });

const statusesOf = (stdout: string) => {
  const { tasks } = JSON.parse(stdout) as { tasks: { key: string; status: string }[] };
  return Object.fromEntries(tasks.map(({ key, status }) => [key, status]));
};

const entry = (name: string, version: string, licence = 'MIT') => ({
  version,
  resolved: `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`,
  integrity: `sha512-${name}`,
  license: licence,
});
const lockOf = (packages: Record<string, object>) =>
  `${JSON.stringify({ lockfileVersion: 3, packages }, null, 2)}\n`;
const manifestOf = (dependencies: Record<string, string>) => `${JSON.stringify({ dependencies }, null, 2)}\n`;

/** A project in a folder of its own, and an agent that writes both of its files. */
const project = (folder: string, asked: Record<string, string>, packages: Record<string, object>) => ({
  [`${folder}/package.json`]: manifestOf(asked),
  [`${folder}/package-lock.json`]: lockOf(packages),
});
const rewrites = (folder: string, asked: Record<string, string>, packages: Record<string, object>) =>
  does(
    Object.entries(project(folder, asked, packages))
      .map(([file, text]) => `cat > ${file} <<'END'\n${text}END\n`)
      .join(''),
  );

const [lodash, other] = [entry('lodash', '4.0.0'), entry('other', '1.0.0')];
const asked = { lodash: '^4.0.0' };
const config = (dependencies: object) => JSON.stringify({ audit: { dependencies } });

test('honest changes of dependencies land, what speaks against one is held for a person, with the list as evidence', async () => {
  const before = { 'node_modules/lodash': lodash, 'node_modules/other': other };
  await using bench = await createBench({
    'baton.yaml': config({ licences: ['MIT'] }),
    ...project('a', asked, before),
    ...project('b', asked, before),
    ...project('c', asked, before),
  });
  const steps: Step[] = [
    {
      key: 'sorted',
      agent: rewrites(
        'a',
        { lodash: '^4.1.0' },
        {
          'node_modules/other': other,
          'node_modules/lodash': entry('lodash', '4.1.0'),
        },
      ),
      files: ['a'],
    },
    {
      key: 'adds',
      agent: rewrites(
        'b',
        { ...asked, third: '^1.0.0' },
        { ...before, 'node_modules/third': entry('third', '1.0.0') },
      ),
      files: ['b'],
    },
    {
      key: 'typo',
      agent: rewrites(
        'c',
        { ...asked, lodahs: '^4.0.0' },
        { ...before, 'node_modules/lodahs': entry('lodahs', '4.0.0') },
      ),
      files: ['c'],
    },
  ];
  await bench.repo.write({ 'plan.yaml': planOf('honest', steps) });
  const ended = await bench.baton(['run', 'plan.yaml', '--json']);
  expect(statusesOf(ended.stdout), ended.stderr).toEqual({
    sorted: 'CLOSED',
    adds: 'CLOSED',
    typo: 'PENDING_APPROVAL',
  });
  const held = await bench.baton(['explain', 'typo']);
  expect(held.stdout).toContain('npm lodahs 4.0.0 (its name is one edit away from lodash)');
  const shown = await bench.baton(['task', 'adds']);
  expect(shown.stdout).toContain('dependencies (builtin, advisory) adds 1 new dependency');
  expect(shown.stdout).toContain('npm third 1.0.0: new');
  const approved = await bench.baton(['approve', 'typo', '--reason', 'it is meant']);
  expect(approved.exitCode, approved.stderr).toBe(0);
});

test(
  'a licence that is not allowed refuses the work where the rules say so, and one that set-up installed is read there',
  { tags: ['long'] },
  async () => {
    const lock = (names: string[]) =>
      `lockfileVersion: '9.0'\npackages:\n${names.map((name) => `  ${name}@1.0.0: {resolution: {integrity: sha512-x}}\n`).join('')}`;
    const install = `for n in free closed; do mkdir -p node_modules/$n; done
echo '{"version":"1.0.0","license":"MIT"}' > node_modules/free/package.json
echo '{"version":"1.0.0","license":"BUSL-1.1"}' > node_modules/closed/package.json
`;
    await using bench = await createBench({
      'baton.yaml': JSON.stringify({
        workspace: { setup: ['sh', 'install.sh'] },
        audit: { dependencies: { licences: ['MIT'], flagged: 'refuse' } },
      }),
      'install.sh': install,
      '.gitignore': 'node_modules\n',
      'package.json': manifestOf({}),
      'pnpm-lock.yaml': lock(['old']),
    });
    const adds = (name: string) =>
      does(
        `cat > pnpm-lock.yaml <<'END'\n${lock(['old', name])}END\ncat > package.json <<'END'\n${manifestOf({ [name]: '^1' })}END\n`,
      );
    const step = (key: string): Step => ({ key, agent: adds(key), max_retries: 0 });
    await bench.repo.write({
      'plan.yaml': planOf('licences', [step('closed'), { ...step('free'), depends_on: [] }]),
    });
    const ended = await bench.baton(['run', 'plan.yaml', '--json']);
    const { closed, free } = statusesOf(ended.stdout);
    expect([closed, free], ended.stderr).toEqual(['FAILED', 'CLOSED']);
    const shown = await bench.baton(['task', 'closed']);
    expect(shown.stdout).toMatch(
      /✘ dependencies \(builtin\) .*closed 1\.0\.0 \(its licence BUSL-1\.1 is not allowed\)/,
    );
  },
);
