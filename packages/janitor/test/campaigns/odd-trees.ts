import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { seededRandom } from '@baton/testkit';
import { gitEnvironment } from '../helpers/run.ts';

/** Chance that a seed repeats. */
export interface Dice {
  under(most: number): number;
  pick<T>(from: readonly T[]): T;
  text(): string;
}

/** Chance by a seed, which also tells texts of one case from those of another. */
export function diceOf(seed: number): Dice {
  const random = seededRandom(seed);
  const under = (most: number): number => Math.floor(random() * most);
  let count = 0;
  return {
    under,
    pick: (from) => from[under(from.length)] as never,
    text: () => `text ${seed} ${(count += 1)}\nsecond line\n`,
  };
}

/** A path below a folder, one character for each of its bytes. */
export function at(root: string, key: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(key, 'latin1')]);
}

/** Git as a person runs it; null where it fails. */
export function tryGit(cwd: string, ...args: string[]): string | null {
  try {
    return execFileSync('git', args, {
      cwd,
      env: { ...gitEnvironment, GIT_EDITOR: 'true' },
      encoding: 'latin1',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1e8,
    });
  } catch {
    return null;
  }
}

/** Git as a person runs it, which must succeed. */
export function must(cwd: string, ...args: string[]): string {
  const said = tryGit(cwd, ...args);
  if (said === null) throw new Error(`git ${args.join(' ')} failed in ${cwd}`);
  return said.trim();
}

const keys = [
  ...['a.txt', 'A.txt', 'dir/b.txt', 'dir/sub/c.txt', 'd', 'd/x.txt', 'd/y/z.txt', 'D/x.txt'],
  ...[
    'new\nline.txt',
    'quo"te.txt',
    ' lead',
    '-dash.txt',
    'dot.',
    'caf\xe9.txt',
    '\xfctf',
    ':(top)x',
    '*.up',
  ],
  ...[
    'crlf.bat',
    'wide.ps1',
    'ident.id',
    'tab\tbed',
    'back\\slash.txt',
    'x.up',
    'sub/.gitattributes',
    'a.txt/deep',
  ],
  ...['.gitignore', 'out/kept.txt', 'x'.repeat(200), `${'long/'.repeat(30)}end.txt`],
];
const contents: readonly ((dice: Dice) => string)[] = [
  (dice) => dice.text(),
  (dice) => dice.text().replaceAll('\n', '\r\n'),
  (dice) => `\x00\xff${dice.text()}`,
  () => '',
  (dice) => `$Id$\n${dice.text()}`,
  (dice) => dice.text().repeat(2_000),
  () => 'same\n',
];
const attributeLines = [
  ...['*.txt text eol=crlf', '* text=auto', '*.id ident', '*.ps1 text working-tree-encoding=UTF-16LE'],
  ...[
    '*.up filter=up',
    'dir/** export-ignore',
    '* -text',
    '*.bat text eol=crlf',
    '*.txt merge=union',
    '*.txt binary',
  ],
];

/** Writes, and makes place for it; gives up where that is not possible, as a person would. */
export function put(root: string, key: string, write: (place: Buffer) => void): void {
  const parts = key.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const folder = at(root, parts.slice(0, depth).join('/'));
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
      rmSync(folder, { force: true });
  }
  const folder = parts.slice(0, -1).join('/');
  if (folder !== '') mkdirSync(at(root, folder), { recursive: true });
  const place = at(root, key);
  rmSync(place, { recursive: true, force: true });
  write(place);
}

type Change = (root: string, dice: Dice) => void;

const writes: Change = (root, dice) =>
  put(root, dice.pick(keys), (place) => writeFileSync(place, dice.pick(contents)(dice), 'latin1'));

/** What a commit may do to a tree. */
export const changes: readonly Change[] = [
  writes,
  writes,
  writes,
  (root, dice) => rmSync(at(root, dice.pick(keys)), { recursive: true, force: true }),
  (root, dice) =>
    put(root, dice.pick(keys), (place) => {
      writeFileSync(place, dice.text());
      chmodSync(place, 0o755);
    }),
  (root, dice) =>
    put(root, dice.pick(keys), (place) =>
      symlinkSync(dice.pick(['a.txt', '/nowhere', '..', 'dir', '.', '../../outside', 'caf\xe9.txt']), place),
    ),
  (root, dice) =>
    put(root, '.gitattributes', (place) =>
      writeFileSync(place, `${dice.pick(attributeLines)}\n${dice.pick(attributeLines)}\n`),
    ),
  (root, dice) => {
    const tracked = must(root, 'ls-files', '-z')
      .split('\0')
      .filter((name) => name !== '');
    if (tracked.length > 0) tryGit(root, 'mv', '-f', '--', dice.pick(tracked), `moved-${dice.under(3)}.txt`);
  },
];

/** Makes a commit of some changes in a working tree. */
export function commitSome(root: string, dice: Dice, most = 6): string {
  for (let left = 1 + dice.under(most); left > 0; left -= 1) dice.pick(changes)(root, dice);
  // Not all content fits each encoding.
  if (tryGit(root, 'add', '--all', '--force') === null) {
    put(root, '.gitattributes', (place) => writeFileSync(place, ''));
    must(root, 'add', '--all', '--force');
  }
  must(root, 'commit', '--quiet', '--allow-empty', '-m', `change ${dice.text()}`);
  return must(root, 'rev-parse', 'HEAD');
}

/** What lies below a folder, but for a git folder: kind, mode and content by key. */
export function inventory(root: string, folder = ''): Map<string, string> {
  const found = new Map<string, string>();
  const options = { withFileTypes: true, encoding: 'buffer' } as const;
  for (const entry of readdirSync(at(root, folder), options)) {
    const key = (folder === '' ? '' : `${folder}/`) + entry.name.toString('latin1');
    if (key === '.git') continue;
    const place = at(root, key);
    if (entry.isDirectory()) for (const [name, what] of inventory(root, key)) found.set(name, what);
    else if (entry.isSymbolicLink()) found.set(key, `link ${readlinkSync(place, 'latin1')}`);
    else if (!entry.isFile()) found.set(key, 'special');
    else {
      const mode = (lstatSync(place).mode & 0o100) === 0 ? 'file' : 'program';
      found.set(key, `${mode} ${readFileSync(place, 'latin1')}`);
    }
  }
  return found;
}
