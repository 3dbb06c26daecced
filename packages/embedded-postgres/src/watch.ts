import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { bareEnvironment } from './as-root.ts';
import { formatIdentity, parseIdentity } from './entries.ts';
import type { Home } from './home.ts';
import type { Postmaster } from './postmaster.ts';
import { findProcess, isAlive, type ProcessIdentity } from './process-table.ts';

/** Between two looks for a process that uses the server; it is ended when none was there at two looks. */
const lookSeconds = 5;

const isSource = import.meta.url.endsWith('.ts');
const decider = fileURLToPath(new URL(isSource ? './watch-main.ts' : './watch-main.js', import.meta.url));

/**
 * Looks, for a megabyte of memory, whether a user's process lives; `"$@"` decides under the home's lock. On Linux a pid with another
 * start time is another process; elsewhere the decider finds that out. Seconds are counted by looks, which no clock can move; each
 * user who wants the server kept writes another line, and the count begins again. Where the installation that would decide is gone,
 * an unused server is ended by the signal for a fast shutdown, if the data directory says that the process is its server.
 * The number of the server comes on standard input. Where it does not, its starter was killed: the data directory names the server that
 * was on its way. The watch ends with the server and not before, whatever was decided: a server that begins has no pid file yet.
 */
const script = `users=$1; keep=$2; pause=$3; data=$4; decider=$5; shift 5
read -r server || for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
  sleep "$pause"
  { read -r server < "$data/postmaster.pid"; } 2>/dev/null && break
done
[ -n "$server" ] || exit 0
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
unused=0; asked=
while kill -0 "$server" 2>/dev/null; do
  sleep "$pause"
  if used; then unused=0; continue; fi
  line=; { read -r line < "$keep"; } 2>/dev/null
  if [ "$line" != "$asked" ]; then unused=0; asked=$line; fi
  unused=$((unused + 1))
  wanted=\${line%% *}
  case $wanted in ''|*[!0-9]*) wanted=0 ;; esac
  [ "$unused" -lt 2 ] && continue
  [ $(((unused - 1) * pause)) -lt "$wanted" ] && continue
  if [ ! -x "$1" ] || [ ! -e "$decider" ]; then
    { read -r line < "$data/postmaster.pid"; } 2>/dev/null && [ "$line" = "$server" ] && kill -INT "$server"
    continue
  fi
  "$@" "$server"
  unused=0
done`;

/**
 * Has the watch keep the server for so long after its last use; the caller holds the home's lock.
 *
 * @returns false: no watch would end it
 */
export async function keepForNow(home: Home, seconds: number): Promise<boolean> {
  if (seconds <= 0 || !(await isWatched(home))) return false;
  await writeFile(home.keepFile, `${Math.round(seconds)} ${(await timesKept(home)) + 1}`, { mode: 0o600 });
  return true;
}

/**
 * A use ends what earlier users asked for: one that is killed asks for nothing. The mark stays, so that the watch can tell the next
 * request from the last; the caller holds the home's lock.
 */
export async function endKeeping(home: Home): Promise<void> {
  const times = await timesKept(home);
  if (times > 0) await writeFile(home.keepFile, `0 ${times}`, { mode: 0o600 });
}

const timesKept = async (home: Home): Promise<number> =>
  Number((await readFile(home.keepFile, 'utf8').catch(() => '')).split(' ')[1] ?? 0);

/** Whether the process that ends an unused server lives. */
export async function isWatched(home: Home): Promise<boolean> {
  const watch = await watchOf(home);
  return watch !== undefined && isAlive(watch);
}

/** The watch of a home's server, as its file names it. */
export async function watchOf(home: Home): Promise<ProcessIdentity | undefined> {
  return parseIdentity(await readFile(home.watchFile, 'utf8').catch(() => ''));
}

/** Starts the watch of a server that runs. */
export async function watchServer(
  home: Home,
  server: Pick<Postmaster, 'pid'>,
  program = decider,
): Promise<void> {
  const tell = await beginWatch(home, program);
  tell(server);
}

/**
 * Starts a small process that ends the server once the last process that uses it was killed. It belongs to no process,
 * as the server does, and ends with it. It is there before the server, so that no moment is left in which a starter can be killed and leave
 * a server without a watch.
 *
 * @returns what names the server to it; null: there is none
 */
export async function beginWatch(
  home: Home,
  program = decider,
): Promise<(server: Pick<Postmaster, 'pid'> | null) => void> {
  const decide = [
    process.execPath,
    ...(isSource ? ['--conditions=@baton/source'] : []),
    ...[program, home.root],
  ];
  const args = [
    '-c',
    script,
    'baton-postgres-watch',
    home.usersDir,
    home.keepFile,
    String(lookSeconds),
    home.dataDir,
    program,
    ...decide,
  ];
  const stdio = ['pipe', 'ignore', 'ignore'] as const;
  const child = spawn('/bin/sh', args, { cwd: '/', env: bareEnvironment, detached: true, stdio: [...stdio] });
  child.on('error', () => undefined); // no shell: as without a watch, the next command that ends stops the server
  child.stdin?.on('error', () => undefined);
  child.unref();
  const watch = findProcess(child.pid ?? 0);
  if (watch) await writeFile(home.watchFile, formatIdentity(watch), { mode: 0o600 });
  return (server) => void child.stdin?.end(`${server?.pid ?? ''}\n`);
}
