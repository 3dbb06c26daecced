import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { shallowRecord } from './clone-shallow.ts';

/** What of a clone only Baton writes, and writes once: any other content can make our git run or see what it should not. */
const guarded = [
  'HEAD',
  'config',
  'config.worktree',
  'commondir',
  'hooks',
  'info',
  'objects/info/alternates',
  'objects/info/http-alternates',
];
/** Refs below it move with the work. */
const ownRefs = 'refs/baton/';

/** Looks after the settings, hooks and foreign refs of one clone, by reading files alone: no git runs on what was planted. */
export interface CloneGuard {
  /** Hash over all that is guarded. */
  fingerprint(): string;
  /** Puts back what differs from how Baton made the clone, and names it; empty: nothing does. */
  restore(): string[];
  /** Takes over where the user's shallow repository begins now; after each fetch. */
  acceptShallow(): Promise<void>;
}

/** Content by path, relative to the clone. */
type Snapshot = Map<string, string>;

/**
 * Guards a clone. How it was made is kept in a file beside it; a clone without that file is taken as it is.
 *
 * @param bare Absolute path of the bare repository.
 * @param options.shallowSource Absolute path of the user's `shallow` file; null: on another machine.
 */
export function cloneGuard(bare: string, options: { shallowSource: string | null }): CloneGuard {
  const baselineFile = path.join(path.dirname(bare), 'clone-baseline.json');
  const baseline = readBaseline(baselineFile) ?? writeBaseline(baselineFile, snapshot(bare));
  const made = /^file (.*)$/.exec(baseline.get('shallow') ?? '')?.[1];
  baseline.delete('shallow'); // older versions kept it here, as if it never changed
  const shallow = shallowRecord({
    bare,
    source: options.shallowSource,
    ...(made === undefined ? {} : { made: Buffer.from(made, 'base64').toString('latin1') }),
  });
  return {
    fingerprint: () => {
      const hash = createHash('sha256');
      for (const [name, content] of snapshot(bare)) hash.update(`${name}\0${content}\0`);
      return hash.digest('hex');
    },
    restore: () => [...restore(bare, baseline), ...(shallow.restore() ? ['shallow'] : [])],
    acceptShallow: () => shallow.accept(),
  };
}

function snapshot(bare: string): Snapshot {
  const found: Snapshot = new Map();
  const add = (name: string): void => {
    const file = path.join(bare, name);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (stat.isSymbolicLink()) found.set(name, `link ${readlinkSync(file)}`);
    else if (stat.isDirectory()) for (const child of readdirSync(file).sort()) add(`${name}/${child}`);
    else if (stat.isFile() && !name.endsWith('.lock'))
      found.set(name, `file ${readFileSync(file).toString('base64')}`);
  };
  guarded.forEach(add);
  addForeignRefs(bare, { found, add });
  return found;
}

function addForeignRefs(
  bare: string,
  { found, add }: { found: Snapshot; add: (name: string) => void },
): void {
  for (const child of readdirSync(path.join(bare, 'refs')).sort())
    if (child !== 'baton') add(`refs/${child}`);
  for (const line of packedRefs(bare).filter(isForeign)) found.set(`packed-refs ${line}`, 'line');
}

function packedRefs(bare: string): string[] {
  try {
    return readFileSync(path.join(bare, 'packed-refs'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

function isForeign(line: string): boolean {
  const ref = /^[0-9a-f]+ (\S+)$/.exec(line)?.[1];
  return ref !== undefined && !ref.startsWith(ownRefs);
}

function restore(bare: string, baseline: Snapshot): string[] {
  const now = snapshot(bare);
  const changed = [...new Set([...now.keys(), ...baseline.keys()])].filter(
    (name) => now.get(name) !== baseline.get(name),
  );
  for (const name of changed) {
    const file = path.join(bare, name);
    const before = baseline.get(name);
    if (name.startsWith('packed-refs ')) continue;
    rmSync(file, { recursive: true, force: true });
    if (before?.startsWith('file ') === true) {
      mkdirSync(path.dirname(file), { recursive: true });
      writeWhole(file, Buffer.from(before.slice('file '.length), 'base64'));
    }
  }
  if (changed.some((name) => name.startsWith('packed-refs '))) {
    const kept = packedRefs(bare).filter((line) => !isForeign(line) || baseline.has(`packed-refs ${line}`));
    writeWhole(path.join(bare, 'packed-refs'), Buffer.from(kept.join('\n')));
  }
  return changed;
}

function writeWhole(file: string, content: Buffer): void {
  writeFileSync(`${file}.baton-new`, content);
  renameSync(`${file}.baton-new`, file);
}

function readBaseline(file: string): Snapshot | null {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>));
  } catch {
    return null;
  }
}

function writeBaseline(file: string, baseline: Snapshot): Snapshot {
  writeWhole(file, Buffer.from(JSON.stringify(Object.fromEntries(baseline))));
  return baseline;
}
