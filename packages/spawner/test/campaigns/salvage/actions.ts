import { spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { agentGit, append, beside, nest, pipe, write, type Action, type Dice } from './agent-tools.ts';
import { gitActions } from './git-actions.ts';
import { gitFolderActions } from './git-folder-actions.ts';
import { edgeActions } from './edge-actions.ts';

/** Files of the repository that every case starts from. */
export const baseFiles = {
  'src/f1.txt': 'one\n',
  'src/f2.txt': 'two\n',
  'src/deep/f3.txt': 'three\n',
  'crlf.bat': 'echo\n',
  'utf16.ps1': Buffer.from('\ufeffecho\n', 'utf16le'),
  'id.txt': '$Id$\n',
  '.gitignore': 'out/\n*.log\n',
  '.gitattributes':
    '*.bat text eol=crlf\n*.ps1 text working-tree-encoding=UTF-16\nid.txt ident\n*.lfs filter=gone\n',
} satisfies Record<string, string | Buffer>;

const names: readonly (string | Buffer)[] = [
  'new.txt',
  'a b.txt',
  ' lead',
  'trail ',
  '-dash',
  '"quote".txt',
  'new\nline',
  'tab\there',
  'back\\slash',
  ':(top)x',
  '*',
  '[a]',
  '#hash',
  '!bang',
  'ü.txt',
  'NUL',
  'git~1',
  '.GIT',
  '.git ',
  '.git.',
  'x.lfs',
  'x.bat',
  'x.ps1',
  'id.txt',
  '.env',
  'secrets.json',
  '.gitattributes',
  '.gitignore',
  '.gitmodules',
  '.mailmap',
  'a\r',
  '%2egit',
  Buffer.from([0xff, 0xfe, 0x41]),
  Buffer.from('caf\u00e9', 'latin1'),
  'x'.repeat(200),
];
const folders: readonly (string | Buffer)[] = [
  '',
  '',
  'src',
  'src/deep',
  'made',
  'made/by/agent',
  '.GIT',
  'git~1',
  '.git/odd',
  'out',
  'out/sub',
  Buffer.concat([Buffer.from('fold-'), Buffer.from([0xe9])]),
];
const contents: readonly ((dice: Dice) => string | Buffer)[] = [
  (dice) => dice.text(),
  (dice) => `${dice.text()}\r\n`,
  (dice) => Buffer.from(`\ufeff${dice.text()}`, 'utf16le'),
  (dice) => `$Id$ ${dice.text()}`,
  (dice) => Buffer.concat([Buffer.from(dice.text()), Buffer.from([0, 255, 0, 10])]),
  () => '',
];
const attributeLines = [
  '* working-tree-encoding=NOSUCH',
  '*.txt working-tree-encoding=UTF-16',
  '* filter=gone',
  '* text eol=crlf',
  '*.txt ident',
  '[attr]x y z',
];

function place(root: string, dice: Dice): Buffer {
  const folder = dice.pick(folders);
  const inside = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(folder)]);
  const name = Buffer.from(dice.pick(names));
  try {
    mkdirSync(inside, { recursive: true });
    return Buffer.concat([inside, Buffer.from('/'), name]);
  } catch {
    return Buffer.concat([Buffer.from(`${root}/`), name]);
  }
}
const bindSocket = "import socket; socket.socket(socket.AF_UNIX).bind('talk.sock')";

/** What agents leave in a tree, by name. */
const treeActions: Readonly<Record<string, Action>> = {
  write: (root, dice) => write(place(root, dice), dice.pick(contents)(dice)),
  append: (root, dice) => append(path.join(root, 'src/f1.txt'), dice.text()),
  'same size': (root) => write(path.join(root, 'src/f2.txt'), 'TWO\n'),
  'edit utf16': (root, dice) => write(path.join(root, 'utf16.ps1'), dice.text()),
  'edit crlf': (root, dice) => append(path.join(root, 'crlf.bat'), dice.text()),
  delete: (root) => rmSync(path.join(root, 'src/f2.txt'), { force: true }),
  executable: (root) => chmodSync(path.join(root, 'src/f1.txt'), 0o755),
  attributes: (root, dice) => append(path.join(root, '.gitattributes'), `${dice.pick(attributeLines)}\n`),
  'ignore more': (root, dice) =>
    append(path.join(root, '.gitignore'), `${dice.pick(['made/', '*.tmp', 'NUL'])}\n`),
  'ignore own work': (root, dice) => {
    const ignored = dice.pick(['*', 'own/', 'own/*', '*.tmp', '/own', '!out/']);
    append(path.join(root, dice.pick(['.gitignore', 'src/.gitignore'])), `${ignored}\n`);
    mkdirSync(path.join(root, 'own'), { recursive: true });
    for (const file of ['own/a.tmp', 'src/own.tmp', 'own/.env']) write(path.join(root, file), dice.text());
  },
  'ignore by itself': (root, dice) => {
    mkdirSync(path.join(root, 'cache/deep'), { recursive: true });
    write(path.join(root, 'cache/.gitignore'), '*\n');
    write(path.join(root, 'cache/deep/kept.txt'), dice.text());
  },
  'ignore no more': (root, dice) => {
    rmSync(path.join(root, '.gitignore'), { recursive: true, force: true });
    write(path.join(root, 'seen.log'), dice.text());
  },
  'ignore in git': (root, dice) => {
    append(path.join(root, '.git/info/exclude'), '*.hid\n');
    agentGit(root, 'config', 'core.excludesFile', path.join(root, 'excludes'));
    write(path.join(root, 'excludes'), '*.hid2\n');
    for (const name of ['a.hid', 'a.hid2']) write(path.join(root, name), dice.text());
  },
  'ignore much': (root, dice) => {
    append(path.join(root, '.gitignore'), 'many/\n');
    mkdirSync(path.join(root, 'many'), { recursive: true });
    for (let at = 0; at <= 1_000; at += 1) write(path.join(root, `many/${at}`), '');
    write(path.join(root, 'many/text'), dice.text());
  },
  'other line ends': (root, dice) => {
    append(path.join(root, '.gitattributes'), '* text=auto\n');
    agentGit(root, 'add', '.gitattributes');
    agentGit(root, 'commit', '-qm', 'attributes');
    write(path.join(root, 'src/deep/f3.txt'), dice.pick(['three\r\n', '\r\nthree\n', 'three\r\n\n']));
  },
  socket: (root) => void spawnSync('python3', ['-c', bindSocket], { cwd: root, stdio: 'ignore' }),
  'huge hole': (root) => {
    write(path.join(root, 'hole'), '');
    truncateSync(path.join(root, 'hole'), 100 * 1024 ** 3);
  },
  'hard link': (root, dice) => {
    write(path.join(root, 'one-name'), dice.text());
    rmSync(path.join(root, 'other-name'), { force: true });
    linkSync(path.join(root, 'one-name'), path.join(root, 'other-name'));
  },
  'link loop': (root) => {
    symlinkSync('loop-b', path.join(root, 'loop-a'));
    symlinkSync('loop-a', path.join(root, 'loop-b'));
  },
  'case twins': (root, dice) => {
    for (const name of ['Twin.txt', 'twin.txt', 'SRC', 'Src']) write(path.join(root, name), dice.text());
  },
  'beyond paths': (root) => {
    const deeper = `mkdir -p ${'d/'.repeat(1_900)} && cd ${'d/'.repeat(1_900)}`;
    spawnSync('sh', ['-c', `${deeper} && ${deeper} && ${deeper} && echo deep >x`], {
      cwd: root,
      stdio: 'ignore',
    });
  },
  unreadable: (root, dice) => {
    write(path.join(root, 'closed.txt'), dice.text());
    chmodSync(path.join(root, 'closed.txt'), 0);
  },
  'closed folder': (root, dice) => {
    mkdirSync(path.join(root, 'closed'), { recursive: true });
    write(path.join(root, 'closed/in.txt'), dice.text());
    chmodSync(path.join(root, 'closed'), 0);
  },
  link: (root, dice) => {
    const to = dice.pick(['outside', '../..', 'nowhere', 'src', '.git/config']);
    symlinkSync(to === 'outside' ? path.join(beside(root, dice), 'theirs.txt') : to, place(root, dice));
  },
  'link for folder': (root, dice) => {
    rmSync(path.join(root, 'src'), { recursive: true, force: true });
    symlinkSync(beside(root, dice), path.join(root, 'src'));
  },
  'folder for file': (root, dice) => {
    rmSync(path.join(root, 'src/f1.txt'), { recursive: true, force: true });
    mkdirSync(path.join(root, 'src/f1.txt'), { recursive: true });
    write(path.join(root, 'src/f1.txt/x'), dice.text());
  },
  'file for folder': (root, dice) => {
    rmSync(path.join(root, 'src'), { recursive: true, force: true });
    write(path.join(root, 'src'), dice.text());
  },
  pipe: (root, dice) =>
    pipe(
      path.join(
        root,
        dice.pick(['pipe', 'id.txt', '.gitignore', '.gitattributes', '.gitmodules', '.mailmap']),
      ),
    ),
  'pipe in git': (root, dice) => {
    const name = dice.pick([
      'index',
      'HEAD',
      'packed-refs',
      'config',
      'info/exclude',
      'objects/info/alternates',
      'refs/heads/x',
      'logs',
      'MERGE_HEAD',
    ]);
    const file = path.join(root, '.git', name);
    mkdirSync(path.dirname(file), { recursive: true });
    pipe(file);
  },
  deep: (root, dice) => {
    let folder = root;
    for (let level = 0; level < 15; level += 1) folder = path.join(folder, 'd'.repeat(200));
    mkdirSync(folder, { recursive: true });
    write(path.join(folder, 'x'), dice.text());
  },
  nested: (root, dice) => nest(root, dice.pick(['app', 'src/app', 'caf\u00e9', 'out/app']), dice),
  'nested deep': (root, dice) => {
    let name = 'n';
    for (let level = 0; level < 4; level += 1, name += '/n') nest(root, name, dice);
  },
  'nested pipe': (root, dice) => {
    nest(root, 'piped', dice);
    pipe(path.join(root, 'piped/.git/HEAD'));
  },
  'nested link': (root, dice) => {
    nest(root, 'linked', dice);
    agentGit(root, 'add', 'linked');
    agentGit(root, 'commit', '-qm', 'a link');
  },
};

/** All that agents do, by name. */
export const actions: Readonly<Record<string, Action>> = {
  ...treeActions,
  ...gitActions,
  ...gitFolderActions,
  ...edgeActions,
};
