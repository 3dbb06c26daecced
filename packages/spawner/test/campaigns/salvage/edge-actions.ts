import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
} from 'node:fs';
import path from 'node:path';
import { agentGit, append, beside, nest, pipe, write, type Action, type Dice } from './agent-tools.ts';

/** A commit whose objects lie in another repository alone, which the agent's own borrows from. */
function foreign(root: string, dice: Dice): string {
  const outside = beside(root, dice);
  nest(outside, 'repo', dice);
  const own = path.join(outside, 'repo/.git');
  append(path.join(root, '.git/objects/info/alternates'), `${path.join(own, 'objects')}\n`);
  const branch = readFileSync(path.join(own, 'HEAD'), 'utf8').replace('ref: ', '').trim();
  return readFileSync(path.join(own, branch), 'utf8').trim();
}

/** What lies at the edge of a worktree or beyond it, and what file systems have besides names and bytes. */
export const edgeActions: Readonly<Record<string, Action>> = {
  'hard link out': (root, dice) => {
    const outside = beside(root, dice);
    write(path.join(outside, 'theirs.txt'), dice.text());
    linkSync(path.join(outside, 'theirs.txt'), path.join(root, 'shared-name'));
    append(path.join(root, 'shared-name'), dice.text());
  },
  'work behind a link': (root, dice) => {
    const outside = beside(root, dice);
    write(path.join(outside, 'work.txt'), dice.text());
    rmSync(path.join(root, 'src'), { recursive: true, force: true });
    symlinkSync(dice.pick([outside, path.relative(root, outside)]), path.join(root, 'src'));
  },
  'pipes behind a link': (root, dice) => {
    const outside = beside(root, dice);
    mkdirSync(path.join(outside, 'deep'));
    for (const name of ['.gitignore', 'deep/.gitattributes']) pipe(path.join(outside, name));
    write(path.join(outside, 'f1.txt'), dice.text());
    rmSync(path.join(root, 'src'), { recursive: true, force: true });
    symlinkSync(outside, path.join(root, 'src'));
  },
  'attributes beside files': (root, dice) => {
    write(path.join(root, 'src/.gitattributes'), dice.pick(['* text eol=crlf\n', '* ident\n*.txt text\n']));
    write(path.join(root, 'src/f1.txt'), dice.text());
    write(path.join(root, 'src/deep/f3.txt'), dice.pick(['three\r\n', 'THREE\n']));
    write(path.join(root, 'crlf.bat'), 'echo\n');
    write(path.join(root, 'id.txt'), '$Id: mine $\n');
  },
  'link to outside by a link': (root, dice) => {
    const outside = beside(root, dice);
    symlinkSync(outside, path.join(root, 'first'));
    symlinkSync('first/gone', path.join(root, 'second'));
    symlinkSync('first', path.join(root, 'third'));
  },
  'empty folders': (root) => {
    for (const name of ['empty', 'src/empty/deeper', 'out/empty', 'caf\u00e9-empty'])
      mkdirSync(path.join(root, name), { recursive: true });
  },
  'emptied folder': (root) => {
    rmSync(path.join(root, 'src/deep/f3.txt'), { force: true });
  },
  'same size, same time': (root) => {
    const { atime, mtime } = statSync(path.join(root, 'src/f2.txt'));
    write(path.join(root, 'src/f2.txt'), 'OWT\n');
    utimesSync(path.join(root, 'src/f2.txt'), atime, mtime);
  },
  'clock ahead': (root, dice) => {
    const later = new Date('2099-01-01');
    write(path.join(root, 'src/f1.txt'), dice.text());
    write(path.join(root, 'ahead.txt'), dice.text());
    for (const name of ['src/f1.txt', 'ahead.txt', 'src', '.git/index', '.git'])
      utimesSync(path.join(root, name), later, later);
  },
  'clock at zero': (root, dice) => {
    write(path.join(root, 'src/f1.txt'), dice.text());
    for (const name of ['src/f1.txt', '.git/index']) utimesSync(path.join(root, name), 0, 0);
  },
  'closed folders': (root, dice) => {
    mkdirSync(path.join(root, 'shut/in/deep'), { recursive: true });
    write(path.join(root, 'shut/in/deep/x.txt'), dice.text());
    for (const name of ['shut/in/deep', 'shut/in', 'shut', 'src']) chmodSync(path.join(root, name), 0);
  },
  'sparse file': (root, dice) => {
    write(path.join(root, 'sparse.bin'), dice.text());
    truncateSync(path.join(root, 'sparse.bin'), 3 * 1024 ** 2);
  },
  attributed: (root, dice) => {
    write(path.join(root, 'attributed.txt'), dice.text());
    const set = "import os; os.setxattr('attributed.txt', 'user.note', b'x')";
    spawnSync('python3', ['-c', set], { cwd: root, stdio: 'ignore' });
    chmodSync(path.join(root, 'attributed.txt'), 0o4755);
  },
  'bind mount': (root, dice) => {
    const outside = beside(root, dice);
    write(path.join(outside, 'theirs.txt'), dice.text());
    mkdirSync(path.join(root, 'bound here'), { recursive: true });
    spawnSync('mount', ['--bind', outside, path.join(root, 'bound here')], { stdio: 'ignore' });
  },
  'file system': (root, dice) => {
    mkdirSync(path.join(root, 'mounted'), { recursive: true });
    spawnSync('mount', ['-t', 'tmpfs', 'none', path.join(root, 'mounted')], { stdio: 'ignore' });
    write(path.join(root, 'mounted/x.txt'), dice.text());
  },
  'worktree elsewhere': (root, dice) => {
    const outside = path.join(beside(root, dice), 'tree');
    agentGit(root, 'worktree', 'add', '-q', '-b', `w-${path.basename(path.dirname(outside))}`, outside);
    write(path.join(outside, 'committed.txt'), dice.text());
    agentGit(outside, 'add', '-A');
    agentGit(outside, 'commit', '-qm', 'in another worktree');
    write(path.join(outside, 'uncommitted.txt'), dice.text());
  },
  'foreign alternates': (root, dice) => {
    const commit = foreign(root, dice);
    agentGit(root, 'branch', '-f', 'foreign', commit);
  },
  'foreign head': (root, dice) => {
    const commit = foreign(root, dice);
    agentGit(root, 'checkout', '-q', '-f', '-B', 'foreign-head', commit);
    write(path.join(root, 'upon.txt'), dice.text());
    agentGit(root, 'add', 'upon.txt');
    agentGit(root, 'commit', '-qm', 'upon what is foreign');
  },
  'git folder elsewhere': (root, dice) =>
    void agentGit(root, 'init', '-q', '--separate-git-dir', path.join(beside(root, dice), 'own.git')),
  'objects elsewhere': (root, dice) => {
    const outside = path.join(beside(root, dice), 'objects');
    renameSync(path.join(root, '.git/objects'), outside);
    symlinkSync(outside, path.join(root, '.git/objects'));
  },
  'pipe in objects elsewhere': (root, dice) => {
    const outside = path.join(beside(root, dice), 'objects');
    renameSync(path.join(root, '.git/objects'), outside);
    mkdirSync(path.join(outside, 'pack'), { recursive: true });
    const place = dice.pick([`pack/pack-${'a'.repeat(40)}.idx`, 'info/alternates', 'info/commit-graph']);
    rmSync(path.join(outside, place), { force: true });
    pipe(path.join(outside, place));
    if (dice.pick([true, false])) symlinkSync(outside, path.join(root, '.git/objects'));
    else write(path.join(root, '.git/objects/info/alternates'), `${outside}\n`);
  },
  'parts of objects elsewhere': (root, dice) => {
    const outside = path.join(beside(root, dice), 'objects');
    mkdirSync(outside, { recursive: true });
    const objects = path.join(root, '.git/objects');
    if (dice.pick([true, false])) agentGit(root, 'repack', '-qd');
    for (const name of readdirSync(objects).filter((one) => /^([0-9a-f]{2}|pack)$/.test(one))) {
      renameSync(path.join(objects, name), path.join(outside, name));
      symlinkSync(path.join(outside, name), path.join(objects, name));
    }
  },
};
