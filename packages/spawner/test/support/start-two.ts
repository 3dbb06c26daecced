/**
 * A process that runs two programs by its helper: one that ends with it, and one that has to finish. Its argument is a folder. With a
 * second argument it waits for a message before it starts either.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createExec } from '../../src/index.ts';
import { clock, env } from './real.ts';

const folder = process.argv[2] ?? '';
const exec = createExec({ clock });
const at = { cwd: folder, env, timeoutMs: 60_000 };
let starter = process.pid;
while (starter === process.pid) {
  starter = Number((await exec(['sh', '-c', 'echo $PPID'], at)).stdout);
  await delay(10);
}
if (process.argv[3] !== undefined) {
  process.send?.(starter);
  await once(process, 'message');
}
void exec(['sh', '-c', 'echo $PPID > helper; echo $$ > guarded; exec env -i sleep 60'], at);
const finishing = exec(
  ['sh', '-c', 'echo no > finished; echo $$ > finishes; sleep 3; echo yes; echo yes > finished'],
  {
    ...at,
    finishes: true,
  },
);
process.send?.('asked');
await finishing;
