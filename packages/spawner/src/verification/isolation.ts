import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BatonError, type Exec } from '@baton/contracts';
import { enterArgv, mountedMark, type Namespaces } from './enter.ts';
import { removeTree } from '../tree/remove-tree.ts';

/** `overlay`: mount namespaces or an error; `copy`: full copies; `auto`: the first where it works. */
export type IsolationWish = 'auto' | 'overlay' | 'copy';

/** How commands of a verification are kept apart on this machine. */
export type Isolation =
  | { kind: 'overlay'; namespaces: Namespaces }
  /** `why`: one sentence part, what rules out namespaces. */
  | { kind: 'copy'; why: string };

/** What {@link findIsolation} looks at. */
export interface FindIsolationOptions {
  exec: Exec;
  env: Readonly<Record<string, string>>;
  /** Absolute folder that verification will use: the file system decides. */
  dir: string;
  wish: IsolationWish;
}

const places = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/**
 * Finds out by trying: mounts a small overlay in namespaces, as verification would, first as who we are, then in a user namespace.
 *
 * @throws CONFIG_INVALID when `overlay` is wished for and cannot be had
 */
export async function findIsolation(options: FindIsolationOptions): Promise<Isolation> {
  if (options.wish === 'copy') return { kind: 'copy', why: 'BATON_VERIFY asks for copies' };
  const found = await tryNamespaces(options);
  if (options.wish === 'auto' || found.kind === 'overlay') return found;
  throw new BatonError('CONFIG_INVALID', `BATON_VERIFY is "overlay", but ${found.why}.`, {
    fix: 'Set BATON_VERIFY=auto, or allow mount namespaces (on Linux: root, or unprivileged user namespaces).',
    at: 'BATON_VERIFY',
  });
}

async function tryNamespaces(options: FindIsolationOptions): Promise<Isolation> {
  if (process.platform !== 'linux') return { kind: 'copy', why: 'only Linux has mount namespaces' };
  const [unshare, mount] = [programIn('unshare'), programIn('mount')];
  if (unshare === null || mount === null)
    return { kind: 'copy', why: 'unshare and mount (util-linux) are not installed' };
  const ids = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  let why = 'mount namespaces do not work here';
  for (const user of ids.uid === 0 ? [null, ids] : [ids]) {
    const namespaces = { unshare, mount, user };
    const failure = await tryOne(namespaces, options);
    if (failure === null) return { kind: 'overlay', namespaces };
    why = failure;
  }
  return { kind: 'copy', why };
}

/** Null when an overlay works in `dir`; else what was said. */
async function tryOne(
  namespaces: Namespaces,
  { exec, env, dir }: FindIsolationOptions,
): Promise<string | null> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const probe = mkdtempSync(path.join(dir, 'probe-'));
  try {
    for (const name of ['run/upper', 'run/work', 'top', 'below', 'tree', 'hidden'])
      mkdirSync(path.join(probe, name), { recursive: true });
    writeFileSync(path.join(probe, 'below', 'file'), 'before');
    const view = {
      runDir: path.join(probe, 'run'),
      tree: path.join(probe, 'tree'),
      show: { layers: ['../top', '../below'], upper: true },
      hidden: [path.join(probe, 'hidden')],
      readOnly: [path.join(probe, 'top')],
    };
    const command = ['sh', '-c', 'printf after >file && mkdir new && rm -r new'];
    const argv = enterArgv(namespaces, { view, command });
    const ended = await exec(argv, { cwd: '/', env, timeoutMs: 10_000 });
    const read = (name: string): string => {
      const file = path.join(probe, name);
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    };
    const works =
      ended.exitCode === 0 &&
      existsSync(path.join(view.runDir, mountedMark)) &&
      read('below/file') === 'before' &&
      read('run/upper/file') === 'after';
    if (works) return null;
    const said = ended.stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
    return `mount namespaces do not work here${said === '' ? '' : ` (${said})`}`;
  } finally {
    await removeTree(probe);
  }
}

function programIn(name: string): string | null {
  return places.map((folder) => path.join(folder, name)).find((file) => existsSync(file)) ?? null;
}
