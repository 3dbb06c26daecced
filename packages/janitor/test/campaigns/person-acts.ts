import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { at, must, put, tryGit, type Dice } from './odd-trees.ts';

type Act = (root: string, dice: Dice) => void;

function tracked(root: string, dice: Dice): string {
  const files = must(root, 'ls-files', '-z')
    .split('\0')
    .filter((name) => name !== '');
  return files.length === 0 ? 'none' : dice.pick(files);
}

const edit: Act = (root, dice) => {
  const file = at(root, tracked(root, dice));
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === true) appendFileSync(file, dice.text());
};

const set =
  (key: string, value: string): Act =>
  (root) =>
    void tryGit(root, 'config', key, value);

/** What a person may have done to a checkout and its repository before work lands there. */
export const personActs: Readonly<Record<string, Act>> = {
  edit,
  untracked: (root, dice) =>
    put(root, `own-${dice.under(3)}.txt`, (place) => writeFileSync(place, dice.text())),
  'untracked where work may come': (root, dice) =>
    put(
      root,
      dice.pick(['fresh.txt', 'dir/fresh.txt', 'd/y/fresh.txt', 'moved-1.txt', 'A.txt', 'out/new/x']),
      (place) => writeFileSync(place, dice.text()),
    ),
  ignored: (root, dice) => {
    appendFileSync(join(root, '.git/info/exclude'), 'out/\nmoved-*\n');
    put(root, dice.pick(['out/mine', 'moved-0.txt']), (place) => writeFileSync(place, dice.text()));
  },
  staged: (root, dice) => {
    edit(root, dice);
    tryGit(root, 'add', '--update');
  },
  'staged and put back': (root, dice) => {
    const name = tracked(root, dice);
    edit(root, dice);
    tryGit(root, 'add', '--update');
    tryGit(root, 'restore', '--source=HEAD', '--worktree', '--', name);
  },
  'intent to add': (root, dice) => {
    put(root, 'intended.txt', (place) => writeFileSync(place, dice.text()));
    tryGit(root, 'add', '--intent-to-add', 'intended.txt');
  },
  'removed from the index': (root, dice) =>
    void tryGit(root, 'rm', '--cached', '--quiet', '--', tracked(root, dice)),
  touch: (root, dice) => {
    const file = at(root, tracked(root, dice));
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === true) utimesSync(file, 1, 1);
  },
  mode: (root, dice) => {
    const file = at(root, tracked(root, dice));
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === true) chmodSync(file, 0o777);
  },
  'assume unchanged': (root, dice) => {
    tryGit(root, 'update-index', '--assume-unchanged', '--', tracked(root, dice));
    edit(root, dice);
  },
  'skip worktree': (root, dice) => {
    tryGit(root, 'update-index', '--skip-worktree', '--', tracked(root, dice));
    edit(root, dice);
  },
  sparse: (root, dice) =>
    void tryGit(
      root,
      'sparse-checkout',
      'set',
      ...dice.pick([['dir'], ['d', 'out'], ['--no-cone', '/*.txt']]),
    ),
  merging: (root) => void tryGit(root, 'merge', '--no-commit', '--no-ff', 'theirs'),
  picking: (root) => void tryGit(root, 'cherry-pick', 'theirs'),
  bisecting: (root) => void tryGit(root, 'bisect', 'start'),
  rebasing: (root) => void tryGit(root, 'rebase', 'theirs'),
  stash: (root, dice) => {
    edit(root, dice);
    tryGit(root, 'stash', '--quiet');
  },
  'index lock': (root) => writeFileSync(join(root, '.git/index.lock'), ''),
  'split index': (root) => void tryGit(root, 'update-index', '--split-index'),
  'untracked cache': (root) => void tryGit(root, 'update-index', '--untracked-cache'),
  'index of version 4': (root) => void tryGit(root, 'update-index', '--index-version', '4'),
  pipe: (root, dice) =>
    put(root, dice.pick(['pipe', 'dir/fresh.txt']), (place) =>
      execFileSync('mkfifo', [place.toString('latin1')]),
    ),
  link: (root, dice) =>
    put(root, dice.pick(['own-link', 'dir/fresh.txt', 'out']), (place) =>
      symlinkSync(dice.pick(['..', '/tmp', 'own-link']), place),
    ),
  'nested repository': (root, dice) => {
    const folder = join(root, dice.pick(['own', 'dir/own', 'out']));
    mkdirSync(folder, { recursive: true });
    tryGit(folder, 'init', '--quiet');
    writeFileSync(join(folder, 'kept.txt'), dice.text());
  },
  'empty folder': (root, dice) =>
    mkdirSync(join(root, dice.pick(['fresh.txt', 'empty', 'out/new/x'])), { recursive: true }),
  attributes: (root, dice) =>
    appendFileSync(
      join(root, '.git/info/attributes'),
      `${dice.pick(['* text=auto', '*.txt eol=crlf', '*.up filter=up', '* -text'])}\n`,
    ),
  filter: (root) => {
    tryGit(root, 'config', 'filter.up.smudge', 'tr a-z A-Z');
    tryGit(root, 'config', 'filter.up.clean', 'tr A-Z a-z');
  },
  'pack and prune': (root) => {
    tryGit(root, 'pack-refs', '--all');
    tryGit(root, 'gc', '--quiet', '--prune=now');
  },
  detached: (root) => void tryGit(root, 'checkout', '--quiet', '--detach'),
  'another branch': (root) => void tryGit(root, 'checkout', '--quiet', '-b', 'mine'),
  'a worktree too': (root) =>
    void tryGit(root, 'worktree', 'add', '--quiet', '--force', join(root, '.git/linked'), 'main'),
  replaced: (root) => void tryGit(root, 'replace', 'HEAD', 'theirs'),
  grafted: (root) => {
    mkdirSync(join(root, '.git/info'), { recursive: true });
    writeFileSync(join(root, '.git/info/grafts'), `${must(root, 'rev-parse', 'HEAD')}\n`);
  },
  'hooks of their own': (root) => {
    const hook = '#!/bin/sh\ntouch "$GIT_DIR/hook-ran" .git/hook-ran 2>/dev/null\nexit 1\n';
    for (const name of [
      'pre-commit',
      'post-merge',
      'post-checkout',
      'reference-transaction',
      'pre-merge-commit',
    ])
      writeFileSync(join(root, '.git/hooks', name), hook, { mode: 0o755 });
  },
  autocrlf: set('core.autocrlf', 'true'),
  'no modes': set('core.fileMode', 'false'),
  'no links': set('core.symlinks', 'false'),
  'case ignored': set('core.ignoreCase', 'true'),
  'no fast-forward': set('merge.ff', 'false'),
  'submodules recurse': set('submodule.recurse', 'true'),
  'many files': set('feature.manyFiles', 'true'),
  'minimal stat': set('core.checkStat', 'minimal'),
  'safe line ends': set('core.safecrlf', 'true'),
  'no protection of names': set('core.protectNTFS', 'false'),
  'an autostash': set('merge.autoStash', 'true'),
  'columns in status': set('status.showUntrackedFiles', 'all'),
};

/** What may become of the target itself while work lands on it. */
export const targetActs: Readonly<Record<string, Act>> = {
  'target deleted': (root) => void tryGit(root, 'update-ref', '-d', 'refs/heads/main'),
  'target moved': (root) => void tryGit(root, 'update-ref', 'refs/heads/main', 'theirs'),
  'target reset': (root) => void tryGit(root, 'reset', '--quiet', '--hard', 'theirs'),
  'target renamed': (root) => void tryGit(root, 'branch', '--move', 'main', 'renamed'),
  'target symbolic': (root) => void tryGit(root, 'symbolic-ref', 'refs/heads/main', 'refs/heads/theirs'),
  'target committed to': (root) => void tryGit(root, 'commit', '--quiet', '--allow-empty', '-m', 'theirs'),
  'target amended': (root) => void tryGit(root, 'commit', '--quiet', '--amend', '-m', 'theirs'),
};
