// `npm run link` and `npm run unlink`: the command `baton` for one user, started from this checkout.
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const mark =
  '# The baton command of the checkout below. Made by "npm run link", removed there by "npm run unlink".';

/** Where commands of one user lie: $XDG_BIN_HOME, else ~/.local/bin. */
export function binFolder(env) {
  const wanted = env.XDG_BIN_HOME;
  return wanted && path.isAbsolute(wanted) ? wanted : path.join(env.HOME || homedir(), '.local', 'bin');
}

/** Writes the command. Returns the lines to print and the exit code. */
export function link(root, env) {
  const file = path.join(binFolder(env), 'baton');
  const there = look(file);
  if (there.kind === 'foreign') return refused(file, 'Move it away and try again');
  if (there.kind === 'edited') return edited(file, 'Move it away and try again.');
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, script(root));
  chmodSync(draft, 0o755);
  renameSync(draft, file);
  const before = there.kind === 'shim' && there.root !== root ? `, in place of that of ${there.root}` : '';
  return { exitCode: 0, lines: [`Linked ${file} to ${root}${before}.`, ...next(file, env)] };
}

/** What a user who has no command types for `baton`, from the folder where they typed `npm start`; null where the command is theirs. */
export function typedFor(root, env) {
  const file = path.join(binFolder(env), 'baton');
  if (isLinked(file, root) && firstInPath(env) === path.dirname(file)) return null;
  const isThere = path.resolve(env.INIT_CWD ?? root) === root;
  return `npm ${isThere ? '' : `--prefix ${quoted(root)} `}start --silent --`;
}

function isLinked(file, root) {
  try {
    return look(file).root === root;
  } catch {
    return false; // it cannot be read, so it cannot be started
  }
}

const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll(`'`, `'\\''`)}'`);

/** Removes the command if it is this checkout's. */
export function unlink(root, env) {
  const file = path.join(binFolder(env), 'baton');
  const there = look(file);
  if (there.kind === 'none') return { exitCode: 0, lines: [`Nothing to remove: there is no ${file}.`] };
  if (there.kind === 'foreign') return refused(file, 'It was left as it is');
  if (there.kind === 'edited') return edited(file, 'It was left as it is; remove it yourself.');
  if (there.root !== root)
    return { exitCode: 1, lines: [`${file} belongs to ${there.root}: run "npm run unlink" there.`] };
  rmSync(file);
  return { exitCode: 0, lines: [`Removed ${file}.`] };
}

/** What lies at the place of the command. */
function look(file) {
  try {
    if (!lstatSync(file).isFile()) return { kind: 'foreign' };
  } catch (error) {
    if (error.code === 'ENOENT') return { kind: 'none' };
    throw error;
  }
  const text = readFileSync(file, 'utf8');
  const root = /^root='(.*)'$/ms.exec(text.split('\nnode=')[0])?.[1];
  if (!text.includes(mark) || root === undefined) return { kind: 'foreign' };
  const of = root.replaceAll(`'\\''`, `'`);
  return text === script(of) ? { kind: 'shim', root: of } : { kind: 'edited' };
}

/** Any POSIX shell; the Node that npm installed for this checkout comes first. */
const script = (root) => `#!/bin/sh
${mark}
root='${root.replaceAll(`'`, `'\\''`)}'
node="$root/node_modules/.bin/node"
if [ ! -f "$root/tooling/run.mjs" ]; then
  echo "baton: the checkout $root is gone. Clone it again and run \\"npm run link\\" there, or remove $0." >&2
  exit 127
fi
[ -x "$node" ] || node=node
exec "$node" "$root/tooling/run.mjs" baton "$@"
`;

const refused = (file, what) => ({
  exitCode: 1,
  lines: [`${file} is not from "npm run link". ${what}, or set XDG_BIN_HOME to another folder of your PATH.`],
});

/** A person's own lines in it are nowhere else. */
const edited = (file, what) => ({
  exitCode: 1,
  lines: [`${file} was changed after "npm run link" made it. ${what}`],
});

/** How to reach the command from here. */
function next(file, env) {
  const folder = path.dirname(file);
  const first = firstInPath(env);
  if (first === folder) return ['Try it in a repository of yours: baton doctor'];
  const lines = [
    `Put its folder first in your PATH, then open a new terminal:`,
    `  ${pathLine(folder, env)}`,
  ];
  if (first === undefined) return lines;
  return [`Note: your PATH finds ${path.join(first, 'baton')} first.`, ...lines];
}

/** The folder of the user's PATH whose `baton` a shell starts. */
function firstInPath(env) {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => !isNpmFolder(folder));
  const first = folders.find((one) => isExecutable(path.join(one, 'baton')));
  return first === undefined ? undefined : path.resolve(first);
}

/** npm puts folders of its own before the user's while it runs a script. */
const isNpmFolder = (folder) => /[\\/]node_modules[\\/]|[\\/]node_modules$/.test(folder);

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return lstatSync(file).isFile() || lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}

/** The line for the user's shell; `$HOME` is written as such. */
function pathLine(folder, env) {
  const home = env.HOME || homedir();
  const short = folder.startsWith(`${home}${path.sep}`) ? `$HOME${folder.slice(home.length)}` : folder;
  const shell = path.basename(env.SHELL ?? '');
  if (shell === 'fish') return `fish_add_path "${short}"`;
  const file = shell === 'zsh' ? '~/.zshrc' : shell === 'bash' ? '~/.bashrc' : '~/.profile';
  return `echo 'export PATH="${short}:$PATH"' >> ${file}`;
}
