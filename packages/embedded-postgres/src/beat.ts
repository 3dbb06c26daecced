import { spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';

import { bareEnvironment } from './as-root.ts';
import { formatIdentity, parseIdentity } from './entries.ts';
import type { Home } from './home.ts';
import { findProcess, isAlive } from './process-table.ts';

/**
 * Renews the beat each second while the starter or the server lives. The file keeps its size, so that a full disk does not stop it. When
 * another machine has taken the home, the server is ended at once. A newer beat of this machine replaces this one.
 */
const script = `machine=$1; own=$2; beat=$3; beater=$4; data=$5; starter=$6
server=; n=0; : >> "$beat"
while :; do
  n=$((n + 1))
  { printf '%010d %010d\\n' "$$" "$n" 1<> "$beat"; } 2>/dev/null
  sleep 1
  line=; { read -r line < "$machine"; } 2>/dev/null || exit 0
  if [ "$line" != "$own" ]; then
    [ -n "$server" ] && kill -QUIT "$server"
    exit 0
  fi
  newest=; { read -r newest rest < "$beater"; } 2>/dev/null
  case $newest in ''|*[!0-9]*) newest=$$ ;; esac
  [ "$newest" != "$$" ] && kill -0 "$newest" 2>/dev/null && exit 0
  pid=; { read -r pid < "$data/postmaster.pid"; } 2>/dev/null
  case $pid in ''|*[!0-9]*) server= ;; *) kill -0 "$pid" 2>/dev/null && server=$pid || server= ;; esac
  [ -n "$server" ] || kill -0 "$starter" 2>/dev/null || exit 0
done 2>/dev/null`;

/** Whether a process renews the beat of this home here. */
export async function isBeating(home: Home): Promise<boolean> {
  const beater = parseIdentity(await readFile(home.beaterFile, 'utf8').catch(() => ''));
  return beater !== undefined && isAlive(beater);
}

/** Starts the process that renews the beat; the home is claimed, and the caller holds its lock. */
export async function startBeat(home: Home): Promise<void> {
  const args = [
    ...[
      '-c',
      script,
      'baton-postgres-beat',
      home.machineFile,
      (await readFile(home.machineFile, 'utf8')).trim(),
    ],
    ...[home.beatFile, home.beaterFile, home.dataDir, String(process.pid)],
  ];
  const child = spawn('/bin/sh', args, { cwd: '/', env: bareEnvironment, detached: true, stdio: 'ignore' });
  child.on('error', () => undefined); // no shell: as without a beat, another machine waits and then takes the home
  child.unref();
  const beater = findProcess(child.pid ?? 0);
  if (beater) await writeFile(home.beaterFile, formatIdentity(beater), { mode: 0o600 });
}

/** Removes what the beat left; its process ends by itself at its next look. */
export async function forgetBeat(home: Home): Promise<void> {
  for (const file of [home.beatFile, home.beaterFile]) await rm(file, { force: true });
}
