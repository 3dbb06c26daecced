// A lock file that names the process that holds it; that of a dead process is taken over.
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than any build: whoever has the number of the process by then is not the builder. */
const longestMs = 3_600_000;

/** Calls `run` while this process holds `file`. `onWait` is told once who holds it. */
export async function withLock(file, { run, onWait }) {
  for (let waited = false; !take(file); waited = true) {
    const holder = readHolder(file);
    if (holder === undefined) continue;
    if (!isAlive(holder)) {
      release(file, holder.pid);
      continue;
    }
    if (!waited) onWait(holder.pid);
    await sleep(200);
  }
  // Whatever ends this process while it builds: the next one must not wait for it.
  const drop = () => rmSync(file, { force: true });
  process.once('exit', drop);
  try {
    return run();
  } finally {
    process.removeListener('exit', drop);
    drop();
  }
}

/** Appears with its content at once: nobody reads a lock without a holder. */
function take(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function readHolder(file) {
  try {
    return { pid: Number(readFileSync(file, 'utf8')), sinceMs: statSync(file).mtimeMs };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive({ pid, sinceMs }) {
  if (Date.now() - sinceMs > longestMs) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Removes the lock of a dead process; one that another waiter took meanwhile goes back. */
function release(file, deadPid) {
  const aside = `${file}.${process.pid}.dead`;
  try {
    renameSync(file, aside);
    if (readHolder(aside)?.pid !== deadPid) linkSync(aside, file);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(error.code)) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
