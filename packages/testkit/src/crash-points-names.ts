import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A named function of a source file, by its lines. */
export interface SourceFunction {
  name: string;
  firstLine: number;
  lastLine: number;
}

/** Every place where production code can change the world. */
export interface CrashCatalogue {
  /** Folder that the files' paths are relative to. */
  root: string;
  files: Record<string, SourceFunction[]>;
  /** Names of all points, sorted: their place is their number. */
  points: string[];
  /** Named statements of the store: true for one that only reads. */
  statements: Record<string, boolean>;
}

/** Functions of `node:fs` and `node:fs/promises` that change something. */
export const fsWriters: readonly string[] = [
  'appendFile',
  'chmod',
  'chown',
  'copyFile',
  'cp',
  'createWriteStream',
  'link',
  'mkdir',
  'mkdtemp',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'truncate',
  'unlink',
  'utimes',
  'writeFile',
];

const gitWriters: ReadonlySet<string> = new Set(
  (
    'add am apply branch checkout cherry-pick clean clone commit commit-tree config fetch gc hash-object init merge ' +
    'merge-tree mktree mv notes pack-refs prune push read-tree rebase repack reset restore rm stash switch ' +
    'symbolic-ref tag unpack-objects update-index update-ref worktree write-tree'
  ).split(' '),
);

/** The command's name when it changes a repository, a ref or a tree; null when it only reads. */
export function gitWriter(args: readonly string[]): string | null {
  const [name = '', second = ''] = args;
  const reads = /^(worktree list|config --get|symbolic-ref --quiet|stash list|hash-object --)$/;
  return gitWriters.has(name) && !reads.test(`${name} ${second}`) ? name : null;
}

/** `spawner/tree/clone:makeClone`: readable, and the same after lines were added above. */
export function placeName(file: string, functions: readonly SourceFunction[], line: number): string {
  const short = file
    .replace(/^(packages|apps)\//, '')
    .replace('/src/', '/')
    .replace(/\.ts$/, '');
  const around = functions.filter(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
  const innermost = around.reduce<SourceFunction | null>(
    (best, one) => (best === null || one.firstLine >= best.firstLine ? one : best),
    null,
  );
  return `${short}:${innermost?.name ?? 'top'}`;
}

/** What every program is started through: the place that wanted it lies below. */
const plumbing =
  /^packages\/spawner\/src\/(process\/(exec|spawn-helper|helped-child|open-child|child-run)|git\/(git|batch-git|object-reader))\.ts$|^packages\/janitor\/src\/run-git\.ts$/;

/** Names the point that a call has reached, from the stack of now; null when no production code called. */
export function reachedPoint(kind: string, catalogue: CrashCatalogue): string | null {
  const places = framesOf(new Error('where').stack ?? '', catalogue);
  const names = places.map(
    ({ file, line }) => `${kind} ${placeName(file, catalogue.files[file] ?? [], line)}`,
  );
  if (
    places.length === 0 ||
    (kind.startsWith('fs:') && !isCalledDirectly(new Error('where').stack ?? '', catalogue))
  )
    return null;
  const known = names.find((name) => catalogue.points.includes(name));
  if (known !== undefined) return known;
  const [wanted] = places.filter(({ file }) => !plumbing.test(file));
  if (wanted === undefined) return names[0] ?? null;
  // The command may be written down in another function of the file than the one that runs it.
  const file = `${kind} ${placeName(wanted.file, [], 0).replace(/:top$/, ':')}`;
  const [only, ...others] = catalogue.points.filter((point) => point.startsWith(file));
  if (only !== undefined && others.length === 0) return only;
  return `${kind} ${placeName(wanted.file, catalogue.files[wanted.file] ?? [], wanted.line)}`;
}

function framesOf(stack: string, catalogue: CrashCatalogue): { file: string; line: number }[] {
  return stack.split('\n').flatMap((frame) => {
    const [, url = '', line = ''] = /(file:\/\/[^\s)]+?):(\d+):\d+\)?$/.exec(frame) ?? [];
    if (url === '') return [];
    const file = path.relative(catalogue.root, fileURLToPath(url.replace(/\?.*$/, '')));
    return catalogue.files[file] === undefined ? [] : [{ file, line: Number(line) }];
  });
}

/** A library that a production function called may write files, too: only what our own text calls is a point. */
function isCalledDirectly(stack: string, catalogue: CrashCatalogue): boolean {
  const frames = stack.split('\n').slice(1);
  const caller = frames.find((frame) => !/crash-points-|node:internal/.test(frame));
  return caller !== undefined && framesOf(caller, catalogue).length > 0;
}
