// Whether what is installed and built is that of the sources as they are, without asking pnpm or turbo.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';

/** What an installation or a build reads; tests and documents are no part of it. */
const inputs = [
  'package.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'turbo.json',
  'apps',
  'packages',
  'tooling/tsconfig',
  'tooling/schema-engine',
  'tooling/*/package.json',
  'examples/*/package.json',
  ':(exclude,glob)**/test/**',
  ':(exclude,glob)**/*.test.ts',
  ':(exclude,glob)**/*.md',
];

const fileOf = (root) => path.join(root, '.turbo', 'built.json');

/**
 * Calls `make(isFirst)`, which installs and builds or ends the process, unless nothing changed since it last did. Of
 * several processes one builds and the others wait for it. A build that is interrupted, or during which a source
 * changes, leaves no stamp. Where git cannot tell (a download without a repository, or one of another user), `make` is
 * called each time, or with `trusting` only when its output changed.
 */
export async function ensureBuilt(root, { make, say, trusting = false }) {
  const isCurrent = () => {
    const state = readState(root);
    return (trusting || state.sources !== null) && JSON.stringify(state) === JSON.stringify(readStamp(root));
  };
  if (isCurrent()) return;
  const folder = path.join(root, '.turbo');
  mkdirSync(folder, { recursive: true });
  await withLock(path.join(folder, 'build.lock'), {
    onWait: (pid) => say(`Process ${pid} builds Baton in ${root}; waiting for it.`),
    run: () => {
      if (isCurrent()) return;
      const isFirst = readStamp(root) === undefined;
      rmSync(fileOf(root), { force: true });
      const before = readSources(root);
      make(isFirst);
      const state = readState(root);
      if (state.sources !== before) return;
      const draft = `${fileOf(root)}.${process.pid}`;
      writeFileSync(draft, `${JSON.stringify(state)}\n`);
      renameSync(draft, fileOf(root));
    },
  });
}

/** What there is to build, null where git cannot tell, and what was made of it. */
function readState(root) {
  const platform = `${process.platform}-${process.arch}`;
  return { sources: readSources(root), outputs: readOutputs(root), platform };
}

function readStamp(root) {
  try {
    return JSON.parse(readFileSync(fileOf(root), 'utf8'));
  } catch {
    return undefined;
  }
}

/** One hash over the content of every input: the index's word for what is unchanged, the file's own for the rest. */
function readSources(root) {
  const index = git(root, ['ls-files', '--stage', '-z', '--', ...inputs]);
  const dirty = git(root, [
    'ls-files',
    '--modified',
    '--others',
    '--exclude-standard',
    '-z',
    '--',
    ...inputs,
  ]);
  if (index === undefined || dirty === undefined) return null;
  const contents = new Map(
    list(index).map((line) => [line.slice(line.indexOf('\t') + 1), line.split(' ')[1]]),
  );
  // A folder that a repository around it ignores has no files here.
  if (!contents.has('package.json')) return null;
  const [present, gone] = split(new Set(list(dirty)), (file) => existsSync(path.join(root, file)));
  for (const file of gone) contents.delete(file);
  if (present.length > 0) {
    const ids = git(root, ['hash-object', '--stdin-paths'], present.join('\n'));
    if (ids === undefined) return null;
    present.forEach((file, at) => contents.set(file, ids.split('\n')[at]));
  }
  return hash([...contents].map(([file, id]) => `${file} ${id}`).sort());
}

/** One hash over what is installed (by its lock file) and built (by size and time of writing). */
function readOutputs(root) {
  const lock = path.join(root, 'node_modules/.pnpm/lock.yaml');
  const lines = [existsSync(lock) ? hash([readFileSync(lock)]) : 'not installed'];
  for (const group of ['apps', 'packages', 'examples'])
    for (const name of existsSync(path.join(root, group)) ? readdirSync(path.join(root, group)).sort() : []) {
      const folder = path.join(root, group, name);
      if (!existsSync(path.join(folder, 'package.json'))) continue;
      lines.push(`${group}/${name} ${existsSync(path.join(folder, 'node_modules'))}`);
      const dist = path.join(folder, 'dist');
      for (const file of existsSync(dist) ? readdirSync(dist, { recursive: true }).sort() : []) {
        const { size, mtimeMs } = statSync(path.join(dist, file));
        lines.push(`${group}/${name}/${file} ${size} ${mtimeMs}`);
      }
    }
  return hash(lines);
}

function git(cwd, args, input) {
  // A hook's repository is not this one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const options = { cwd, env, input, encoding: 'utf8', maxBuffer: 2 ** 28 };
  const { status, stdout } = spawnSync('git', args, options);
  return status === 0 ? stdout : undefined;
}

const list = (output) => output.split('\0').filter(Boolean);

function split(items, isLeft) {
  const sides = [[], []];
  for (const item of items) sides[isLeft(item) ? 0 : 1].push(item);
  return sides;
}

function hash(parts) {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part).update('\n');
  return sum.digest('hex');
}
