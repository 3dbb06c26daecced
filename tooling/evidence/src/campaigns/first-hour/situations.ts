import { json, type Repository } from './repository.ts';

const shellTest = { Makefile: 'test:\n\t@test -f README.md\n', 'README.md': '# Readme\n' };

const bareNpm = (test: string) =>
  json({ name: 'plain', version: '1.0.0', type: 'module', scripts: { test } });

/** Repositories whose state or names are out of the ordinary. */
export const situations: readonly Repository[] = [
  { name: 'documents only', files: { 'README.md': '# Readme\n', 'docs/a.md': 'a\n' }, gates: [] },
  {
    name: 'nothing committed',
    needs: ['make'],
    isEmpty: true,
    files: shellTest,
    gates: ['tests'],
    steps: [
      { type: ['init'], exit: 2, says: /git add \. && git commit/ },
      { type: ['git', 'add', '.'] },
      { type: ['git', 'commit', '--quiet', '-m', 'first commit'], moves: true },
      { type: ['init'] },
      { type: ['run', 'plan.yaml'], lands: true },
      { type: ['merge'], moves: true },
    ],
  },
  {
    name: 'a base that is red',
    needs: ['npm'],
    files: { 'package.json': bareNpm('echo "expected 3, got 4"; exit 1'), 'README.md': '# Readme\n' },
    gates: ['tests'],
    steps: [
      { type: ['init'], exit: 1, says: /expected 3, got 4/ },
      { type: ['run', 'plan.yaml'], exit: 2, says: /expected 3, got 4/ },
      { type: ['run', 'plan.yaml', '--allow-red', 'tests'], lands: true },
      { type: ['merge'], moves: true },
    ],
  },
  {
    name: '20,000 ignored files',
    needs: ['make'],
    files: { ...shellTest, '.gitignore': 'data\n' },
    after: ({ run }) =>
      run(
        'sh',
        '-c',
        'for a in $(seq 100); do mkdir -p data/$a; (cd data/$a && seq 200 | xargs touch); done',
      ),
    gates: ['tests'],
  },
  {
    name: 'a submodule',
    needs: ['make'],
    files: { Makefile: 'test:\n\t@test -f Makefile\n' },
    before: async ({ run, beside }) => {
      await run('git', 'init', '--quiet', beside);
      await run('git', '-C', beside, 'commit', '--quiet', '--allow-empty', '-m', 'first commit');
      await run(
        'git',
        '-c',
        'protocol.file.allow=always',
        'submodule',
        '--quiet',
        'add',
        beside,
        'vendor/part',
      );
    },
    gates: ['tests'],
  },
  {
    name: 'odd names',
    needs: ['make'],
    folder: "-it's ünï $HOME",
    files: {
      ...shellTest,
      'a b/ c.txt': 'c\n',
      '-rf': 'x\n',
      'ünï/日本.txt': 'x\n',
      'quote"d\\.txt': 'x\n',
    },
    gates: ['tests'],
  },
  {
    name: 'a file of the environment, in .worktreeinclude',
    needs: ['make'],
    files: { Makefile: 'test:\n\t@grep -q KEY .env\n', '.gitignore': '.env\n', '.worktreeinclude': '.env\n' },
    after: ({ write }) => write({ '.env': 'KEY=1\n' }),
    gates: ['tests'],
  },
  {
    name: 'an unnamed file of the environment',
    needs: ['make'],
    files: { Makefile: 'test:\n\t@cat .env\n', '.gitignore': '.env\n' },
    after: ({ write }) => write({ '.env': 'KEY=1\n' }),
    gates: ['tests'],
    steps: [
      { type: ['init'], exit: 1, says: /Write `workspace: \{ copy: \[\.env\] \}` in baton\.yaml/ },
      {
        type: ['init'],
        edits: {
          'baton.yaml': 'gates: [{ name: tests, command: [make, test] }]\nworkspace: { copy: [.env] }\n',
        },
      },
      { type: ['run', 'plan.yaml'], lands: true },
      { type: ['merge'], moves: true },
    ],
  },
  {
    name: 'a service that does not run',
    needs: ['npm'],
    files: {
      'package.json': bareNpm('node test.js'),
      'test.js': "import net from 'node:net';\nnet.connect(1, '127.0.0.1');\n",
    },
    gates: ['tests'],
    steps: [
      { type: ['init'], exit: 1, says: /Start what the gate could not reach: 127\.0\.0\.1:1\./ },
      { type: ['run', 'plan.yaml', '--allow-red', 'tests'], lands: true },
      { type: ['merge'], moves: true },
    ],
  },
  {
    name: 'a plan.yaml, folder and branch of another program',
    needs: ['make'],
    files: { ...shellTest, 'plan.yaml': 'floor: 3\n', 'baton/conductor.txt': 'x\n', 'bin/baton': 'x\n' },
    after: ({ run }) => run('git', 'branch', 'batons'),
    gates: ['tests'],
    steps: [
      { type: ['init'], says: /wrote baton\.yaml and baton-plan\.yaml/ },
      { type: ['plan', 'check', 'baton-plan.yaml'] },
      { type: ['run', 'baton-plan.yaml'], lands: true },
      { type: ['merge'], moves: true },
      { type: ['clean'] },
      { type: ['status'], says: /✔ landed/ },
    ],
  },
  {
    name: 'a linked worktree',
    needs: ['make'],
    files: shellTest,
    after: ({ run }) => run('git', 'switch', '--quiet', '-c', 'topic'),
    gates: ['tests'],
    steps: [
      { type: ['git', 'worktree', 'add', '--quiet', 'linked', 'main'] },
      { type: ['init', '--repo', 'linked'] },
      { type: ['run', 'linked/plan.yaml', '--repo', 'linked'], lands: true },
      { type: ['merge', '--repo', 'linked', '--dry-run'] },
    ],
  },
  {
    name: 'typed wrong',
    needs: ['make'],
    files: shellTest,
    gates: ['tests'],
    steps: [
      { type: ['inti'], exit: 2, says: /Did you mean init\?/ },
      { type: ['init'] },
      { type: ['plan', 'chek', 'plan.yaml'], exit: 2, says: /did you mean "check"\?/ },
      { type: ['run', 'plan.yml'], exit: 2, says: /Did you mean plan\.yaml\?/ },
      { type: ['run', 'plan.yaml'], lands: true },
      { type: ['diff', 'ntoes'], exit: 2, says: /Did you mean notes\?/ },
      { type: ['merge'], moves: true },
    ],
  },
  {
    name: 'a dirty checkout, from a subfolder',
    needs: ['make'],
    files: { ...shellTest, 'src/a.txt': 'a\n', 'src/b.txt': 'b\n', '.gitignore': '.env\n' },
    after: ({ write, run }) =>
      write({ 'src/a.txt': 'edited\n', 'src/new.txt': 'new\n', '.env': 'KEY=1\n' }).then(() =>
        run('git', 'rm', '--quiet', '--cached', 'src/b.txt'),
      ),
    cwd: 'src',
    gates: ['tests'],
    steps: [{ type: ['init'] }, { type: ['doctor'] }, { type: ['run', '../plan.yaml'], lands: true }],
  },
];
