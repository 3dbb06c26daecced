import { existsSync } from 'node:fs';

import { homeAt, withHomeLocked } from './home.ts';
import { findProcess } from './process-table.ts';
import { stopUnlessUsed } from './stop-unused.ts';

const stopped = 0;
const inUse = 3;

/** Ends an unused server: `watch-main <home> <pid of the server>`. Exit code 3 when it is in use. */
async function main([root = '', server = '']: readonly string[]): Promise<number> {
  const home = homeAt(root);
  if (existsSync(home.usersDir))
    return (await withHomeLocked(home, () => stopUnlessUsed(home))) ? stopped : inUse;
  // Somebody deleted the folder below a running server: nothing is left that it could serve.
  const pid = Number(server);
  if (findProcess(pid)?.commandLine.includes(home.dataDir)) process.kill(pid, 'SIGQUIT');
  return stopped;
}

void main(process.argv.slice(2)).then(
  (exitCode) => (process.exitCode = exitCode),
  () => (process.exitCode = inUse), // it is tried again at the next look
);
