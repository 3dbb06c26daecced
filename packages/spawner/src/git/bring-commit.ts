import { openGuarded } from '../process/exec.ts';
import { killTree } from '../process/kill-tree.ts';

/** A commit of a clone of Baton's own that another repository on this machine is to have under a ref of Baton's own. */
export interface Bringing {
  clone: string;
  commit: string;
  ref: string;
}

const id = '[0-9a-f]{40}(?:[0-9a-f]{24})?';
const wanted = new RegExp(`^\\+(${id}):(refs/baton/[A-Za-z0-9][A-Za-z0-9._/-]*)$`);
const begin = ['-c', 'protocol.version=2', 'fetch'];
/** Settings for the one fetch: that no setting of the user's leads it elsewhere. */
const settings = /^GIT_CONFIG_(COUNT|(KEY|VALUE)_[01])$/;
const patienceMs = 60_000;

/** The `fetch` of one commit by its id, as `bringCommit` of the landing asks for it; null: the command is another. */
export function readBringing(
  args: readonly string[],
  { stdin, env = {} }: { stdin?: string; env?: Readonly<Record<string, string>> },
): Bringing | null {
  const [clone = '', spec = ''] = args.slice(-2);
  const flags = args.slice(begin.length, -2);
  const [, commit, ref] = wanted.exec(spec) ?? [];
  const isOne =
    begin.every((arg, at) => args[at] === arg) &&
    flags.every((flag) => flag.startsWith('--')) &&
    flags.includes('--no-write-fetch-head') &&
    flags.includes('--no-tags');
  const isPlain = stdin === undefined && Object.keys(env).every((name) => settings.test(name));
  return isOne && isPlain && commit !== undefined && ref !== undefined ? { clone, commit, ref } : null;
}

/**
 * Stores the objects of a pack in a repository by `git unpack-objects`, which refuses those that lead to what is not there. False: they
 * are not all stored, for whatever reason.
 *
 * @param git The program with all that goes before the name of a command.
 */
export async function unpack(
  git: readonly [string, ...string[]],
  { pack, ...options }: { cwd: string; env: Readonly<Record<string, string>>; pack: Buffer },
): Promise<boolean> {
  const command = ['unpack-objects', '-q', '--strict'];
  const child = await openGuarded([...git, ...command], options);
  if ('error' in child) return false;
  child.stdin.on('error', () => undefined); // it ended without having read all: its exit code says so
  child.stdout.resume();
  child.stderr.resume();
  const timer = setTimeout(() => void killTree(child, { graceMs: 0 }), patienceMs);
  child.stdin.end(pack);
  const { code } = await child.exited;
  clearTimeout(timer);
  return code === 0;
}
