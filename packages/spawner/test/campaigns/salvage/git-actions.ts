import { chmodSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { agentGit, append, nest, pipe, write, type Action } from './agent-tools.ts';

/** What agents do with git, by name. */
export const gitActions: Readonly<Record<string, Action>> = {
  commit: (root) =>
    void (agentGit(root, 'add', '-A', '--ignore-errors'), agentGit(root, 'commit', '-qm', 'by the agent')),
  amend: (root) =>
    void (
      agentGit(root, 'add', '-A', '--ignore-errors'),
      agentGit(root, 'commit', '-q', '--amend', '-m', 'again')
    ),
  stash: (root) => void agentGit(root, 'stash', '-u', '-q'),
  'stash tracked': (root) => void agentGit(root, 'stash', '-q'),
  'stash drop': (root) => void (agentGit(root, 'stash', '-u', '-q'), agentGit(root, 'stash', 'drop', '-q')),
  branch: (root, dice) => {
    agentGit(root, 'checkout', '-q', '-b', `b-${dice.text().replaceAll(/\W/g, '')}`);
    agentGit(root, 'add', '-A', '--ignore-errors');
    agentGit(root, 'commit', '-qm', 'on a branch');
    agentGit(root, 'checkout', '-q', '-f', '--detach', 'HEAD~1');
  },
  tag: (root, dice) =>
    void agentGit(root, 'tag', '-a', '-m', dice.text(), `t-${dice.text().replaceAll(/\W/g, '')}`),
  'reset hard': (root) => void agentGit(root, 'reset', '-q', '--hard', 'HEAD~1'),
  orphan: (root) => void agentGit(root, 'checkout', '-q', '--orphan', 'alone'),
  'stage and delete': (root, dice) => {
    write(path.join(root, 'staged.txt'), dice.text());
    agentGit(root, 'add', 'staged.txt');
    rmSync(path.join(root, 'staged.txt'), { force: true });
  },
  'force ignored': (root, dice) => {
    mkdirSync(path.join(root, 'out'), { recursive: true });
    write(path.join(root, 'out/forced.txt'), dice.text());
    agentGit(root, 'add', '-f', 'out/forced.txt');
  },
  'intent to add': (root, dice) => {
    write(path.join(root, 'later.txt'), dice.text());
    agentGit(root, 'add', '-N', 'later.txt');
  },
  'hide changes': (root, dice) => {
    agentGit(root, 'update-index', dice.pick(['--assume-unchanged', '--skip-worktree']), 'src/f1.txt');
    if (isFile(path.join(root, 'src/f1.txt'))) append(path.join(root, 'src/f1.txt'), dice.text());
  },
  sparse: (root) => void agentGit(root, 'sparse-checkout', 'set', 'src/deep'),
  'sparse and a file': (root, dice) => {
    agentGit(root, 'sparse-checkout', 'set', '--no-cone', '/crlf.bat');
    rmSync(path.join(root, 'src'), { recursive: true, force: true });
    write(path.join(root, 'src'), dice.text());
  },
  'split index': (root) => void agentGit(root, 'update-index', '--split-index'),
  'broken index': (root, dice) => write(path.join(root, '.git/index'), dice.text()),
  'index lock': (root) => write(path.join(root, '.git/index.lock'), ''),
  'closed index': (root) => chmodSync(path.join(root, '.git/index'), 0),
  'index a folder': (root) => {
    rmSync(path.join(root, '.git/index'), { recursive: true, force: true });
    mkdirSync(path.join(root, '.git/index/x'), { recursive: true });
  },
  'other settings': (root, dice) => {
    const [name, value] = dice.pick([
      ['core.worktree', '/nowhere'],
      ['core.bare', 'true'],
      ['core.hooksPath', 'hooks-of-mine'],
      ['core.repositoryFormatVersion', '7'],
      ['extensions.nosuch', 'true'],
      ['extensions.worktreeConfig', 'true'],
      ['extensions.objectFormat', 'sha256'],
      ['core.ignoreCase', 'true'],
      ['core.autocrlf', 'true'],
      ['core.fileMode', 'false'],
      ['filter.gone.clean', 'cat /dev/null'],
    ] as const);
    agentGit(root, 'config', name, value);
    write(path.join(root, '.git/config.worktree'), '[core]\n\tbare = true\n');
    write(path.join(root, 'filtered.lfs'), dice.text());
  },
  'merge conflict': (root, dice) => {
    const to = (name: string) => {
      if (isFile(path.join(root, 'src/f1.txt'))) write(path.join(root, 'src/f1.txt'), dice.text());
      agentGit(root, 'commit', '-qam', name);
    };
    agentGit(root, 'checkout', '-q', '-b', 'ours');
    to('ours');
    agentGit(root, 'checkout', '-q', '-f', '-b', 'theirs', 'HEAD~1');
    to('theirs');
    agentGit(root, dice.pick(['merge', 'cherry-pick', 'rebase']), 'ours');
  },
  'failed am': (root, dice) => {
    write(
      path.join(root, 'a.patch'),
      `From x\nFrom: a <a@b>\nSubject: x\n\n---\n--- a/no\n+++ b/no\n@@ -1 +1 @@\n-x\n+${dice.text()}\n`,
    );
    agentGit(root, 'am', '-3', 'a.patch');
  },
  bisect: (root) => void (agentGit(root, 'bisect', 'start'), agentGit(root, 'bisect', 'bad')),
  notes: (root, dice) => void agentGit(root, 'notes', 'add', '-f', '-m', dice.text()),
  replace: (root, dice) => {
    gitActions['commit']?.(root, dice);
    agentGit(root, 'replace', 'HEAD', 'HEAD~1');
  },
  graft: (root) => {
    mkdirSync(path.join(root, '.git/info'), { recursive: true });
    write(path.join(root, '.git/info/grafts'), `${'1'.repeat(40)} ${'2'.repeat(40)}\n`);
  },
  'odd alternates': (root) => append(path.join(root, '.git/objects/info/alternates'), '/nowhere/objects\n'),
  'git moved': (root) => {
    renameSync(path.join(root, '.git'), path.join(root, 'real.git'));
    write(path.join(root, '.git'), 'gitdir: real.git\n');
  },
  'git a link': (root) => {
    renameSync(path.join(root, '.git'), path.join(root, 'linked.git'));
    symlinkSync('linked.git', path.join(root, '.git'));
  },
  gc: (root) => void agentGit(root, 'gc', '-q', '--prune=now'),
  rebase: (root, dice) => {
    gitActions['commit']?.(root, dice);
    if (isFile(path.join(root, 'src/f1.txt'))) append(path.join(root, 'src/f1.txt'), dice.text());
    gitActions['commit']?.(root, dice);
    agentGit(root, '-c', 'sequence.editor=sed -i s/pick/edit/', 'rebase', '-q', '-i', 'HEAD~1');
  },
  worktree: (root, dice) => {
    agentGit(root, 'worktree', 'add', '-q', '--detach', 'beside');
    if (existsSync(path.join(root, 'beside'))) write(path.join(root, 'beside/mine.txt'), dice.text());
  },
  'git away': (root) => {
    if (existsSync(path.join(root, '.git')))
      renameSync(path.join(root, '.git'), path.join(root, 'git-before'));
  },
  'git a file': (root) => {
    rmSync(path.join(root, '.git'), { recursive: true, force: true });
    write(path.join(root, '.git'), 'gitdir: /nowhere\n');
  },
  'git a pipe': (root) => pipe(path.join(root, '.git')),
  'broken object': (root, dice) => {
    gitActions['commit']?.(root, dice);
    mkdirSync(path.join(root, '.git/objects/ab'), { recursive: true });
    write(path.join(root, '.git/objects/ab', 'c'.repeat(38)), 'no object');
  },
  submodule: (root, dice) => {
    nest(root, 'out/origin', dice);
    agentGit(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', './out/origin', 'vend');
    agentGit(
      root,
      '-c',
      'protocol.file.allow=always',
      'submodule',
      'add',
      '-q',
      path.join(root, 'out/origin'),
      'vend',
    );
    if (existsSync(path.join(root, 'vend'))) write(path.join(root, 'vend/edited.txt'), dice.text());
  },
  'bad modules': (root) => {
    write(path.join(root, '.gitmodules'), '[submodule "x"]\n\tpath = x\n\turl = ./x\n\tupdate = !true\n');
    agentGit(
      root,
      'update-index',
      '--add',
      '--cacheinfo',
      '160000,1234567890123456789012345678901234567890,x',
    );
    agentGit(root, 'add', '.gitmodules');
    agentGit(root, 'commit', '-qm', 'modules');
  },
};

function isFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
