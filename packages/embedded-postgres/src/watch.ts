import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { bareEnvironment } from './as-root.ts';
import { formatIdentity } from './entries.ts';
import type { Home } from './home.ts';
import type { Postmaster } from './postmaster.ts';
import { findProcess } from './process-table.ts';

/** Between two looks for a process that uses the server; it is ended when none was there at two looks. */
const lookSeconds = 5;

const isSource = import.meta.url.endsWith('.ts');
const decider = fileURLToPath(new URL(isSource ? './watch-main.ts' : './watch-main.js', import.meta.url));

/**
 * Looks, for a megabyte of memory, whether a user's process lives; `"$@"` decides under the home's lock. On Linux a pid with another
 * start time is another process; elsewhere the decider finds that out.
 */
const script = `users=$1; server=$2; pause=$3; shift 3
used() {
  for file in "$users"/*; do
    name=\${file##*/}; pid=\${name%%-*}; start=\${name#*-}; start=\${start%%-*}
    case $pid in ''|*[!0-9]*) continue ;; esac
    if [ -d /proc/self ]; then
      { read -r line < "/proc/$pid/stat"; } 2>/dev/null || continue
      set -- \${line##*) }
      [ "$1" = Z ] && continue
      shift 19
      [ "$1" = "$start" ] && return 0
    elif kill -0 "$pid" 2>/dev/null; then return 0
    fi
  done
  return 1
}
unused=0
while kill -0 "$server" 2>/dev/null; do
  sleep "$pause"
  if used; then unused=0; continue; fi
  unused=$((unused + 1))
  [ "$unused" -lt 2 ] && continue
  "$@" && exit 0
  unused=0
done`;

/**
 * Starts a small process that ends the server once the last process that uses it was killed without a word. It belongs to nobody,
 * as the server does, and ends with it.
 */
export async function watchServer(home: Home, { pid }: Pick<Postmaster, 'pid'>): Promise<void> {
  const decide = [
    process.execPath,
    ...(isSource ? ['--conditions=@baton/source'] : []),
    ...[decider, home.root, String(pid)],
  ];
  const args = [
    '-c',
    script,
    'baton-postgres-watch',
    home.usersDir,
    String(pid),
    String(lookSeconds),
    ...decide,
  ];
  const child = spawn('/bin/sh', args, { cwd: '/', env: bareEnvironment, detached: true, stdio: 'ignore' });
  child.on('error', () => undefined); // no shell: as without a watch, the next command that ends stops the server
  child.unref();
  const watch = findProcess(child.pid ?? 0);
  if (watch) await writeFile(home.watchFile, formatIdentity(watch), { mode: 0o600 });
}
