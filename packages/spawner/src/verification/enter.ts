/** How a command is shut off from other processes: the programs of util-linux, and whether a user namespace is needed. */
export interface Namespaces {
  /** Absolute path of unshare(1). */
  unshare: string;
  /** Absolute path of mount(8). */
  mount: string;
  /** The user's ids when mounting needs a user namespace; null: this process may mount. */
  user: { uid: number; gid: number } | null;
}

/** What a command sees in place of a folder, in a mount namespace of its own. */
export interface View {
  /** Absolute folder that relative layers start from; a file `mounted` is written there once the view is mounted. */
  runDir: string;
  /** Absolute mount point. */
  tree: string;
  /** Folder that is bound there; or layers, topmost first, relative to `runDir`. */
  show: { bind: string } | { layers: readonly string[]; upper: boolean };
  /** Absolute folders that are covered by an empty one. */
  hidden: readonly string[];
  /** Absolute folders that cannot be written. */
  readOnly: readonly string[];
}

/** File in `runDir` that shows that the view was mounted before the command began. */
export const mountedMark = 'mounted';
/** File in `runDir` that shows that the program was not found. */
export const missingMark = 'missing';

/**
 * The shell that runs as the first process of the namespaces. Arguments: mount program, run folder, tree, `bind` or `overlay`, what
 * to show, number of hidden folders, these, number of read-only folders, these, then the command. When it ends, the kernel ends
 * whatever the command left running. The absence of the mark file reports any failure before the command, never an exit code.
 */
const script = `
mount=$1 run=$2 tree=$3
cd -- "$run" || exit 1
if [ "$4" = bind ]; then "$mount" -n --bind "$5" "$tree" || exit 1
else "$mount" -n -t overlay -o "$5" baton "$tree" || exit 1; fi
count=$6; shift 6
while [ "$count" -gt 0 ]; do
  "$mount" -n -t tmpfs -o ro,size=4k,mode=755 baton "$1" || exit 1
  shift; count=$((count - 1))
done
count=$1; shift
while [ "$count" -gt 0 ]; do
  "$mount" -n --bind "$1" "$1" && "$mount" -n -o remount,bind,ro "$1" || exit 1
  shift; count=$((count - 1))
done
prefix=$1; shift
skip=$prefix
( cd -- "$tree" && while [ "$skip" -gt 0 ]; do shift; skip=$((skip - 1)); done && command -v "$1" >/dev/null 2>&1 ) || : >${missingMark}
: >${mountedMark} || exit 1
cd -- "$tree" || exit 1
"$@"
exit $?
`;

/** The arguments that run a command in namespaces of its own, where it sees the given view. */
export function enterArgv(
  namespaces: Namespaces,
  { view, command }: { view: View; command: readonly string[] },
): [string, ...string[]] {
  const { unshare, mount, user } = namespaces;
  const asUser = user === null ? [] : ['--user', '--map-root-user'];
  const [kind, shown] =
    'bind' in view.show ? ['bind', view.show.bind] : ['overlay', overlayOptions(view.show, user)];
  // In a user namespace the command gets its own ids back: as "root" some programs refuse to work.
  const asSelf =
    user === null ? [] : [unshare, '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`, '--'];
  return [
    unshare,
    ...asUser,
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
    '--',
    'sh',
    '-c',
    script,
    'baton',
    mount,
    view.runDir,
    view.tree,
    kind,
    shown,
    String(view.hidden.length),
    ...view.hidden,
    String(view.readOnly.length),
    ...view.readOnly,
    String(asSelf.length),
    ...asSelf,
    ...command,
  ];
}

function overlayOptions(
  { layers, upper }: { layers: readonly string[]; upper: boolean },
  user: Namespaces['user'],
): string {
  // Without a redirect, renaming a folder of a lower layer fails as between two file systems; user namespaces have none.
  const own = user === null ? `redirect_dir=${upper ? 'on' : 'follow'}` : 'userxattr';
  const writable = upper ? ',upperdir=upper,workdir=work' : '';
  return `lowerdir=${layers.join(':')}${writable},${own}`;
}
