import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { openAgent } from '@baton/spawner';
import { openMachine } from './machine.ts';

/*
 * A process as big as its first argument says, in megabytes. It starts programs and agents as a worker does, and some by itself, in turn, as
 * often as its second argument says, and prints how long each start blocked its loop.
 */

const [, , megabytes = '0', rounds = '1', folder = ''] = process.argv;
// Each page is written to: one that was only asked for is not in any page table.
const ballast = Array.from({ length: Number(megabytes) / 16 }, () => Buffer.alloc(16 * 2 ** 20, 1));

/** What blocks the loop for the longest while something goes on, in milliseconds. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let [last, longest, isOver] = [performance.now(), 0, false];
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setTimeout(tick, 0);
  };
  tick();
  await work();
  await delay(5);
  isOver = true;
  // A timer comes after a millisecond at the earliest: that is no block.
  return Math.max(0, longest - 1);
}

using machine = await openMachine();
const { exec, env, clock } = machine;
const taskFile = { id: 't', key: 't', title: 't', goal: '', files: [], attempt: 1, rejections: [] };
let agents = 0;

/** An agent from its order until it is started, and from there until nothing of it is left. */
async function blocksOfAgent(): Promise<{ start: number; end: number }> {
  const runner = openAgent({
    ...{ name: 'sleeper', definition: { command: ['sleep', '0.1'] }, env, clock, logFile: null },
    workspace: { path: folder, taskFileDir: folder, portBase: 1 },
    marker: `landing-bench-${process.pid}-${(agents += 1)}`,
    redact: (text) => text,
    stateDir: folder,
  });
  const { promise: started, resolve: onEvent } = Promise.withResolvers<unknown>();
  let ended: Promise<unknown> = Promise.resolve();
  const start = await longestBlock(() => {
    ended = runner.runTask({ prompt: 'x', taskFile, timeoutMs: 60_000 }, { onEvent });
    return started;
  });
  const end = await longestBlock(async () => {
    await ended;
    await runner.close();
  });
  return { start, end };
}

async function startHere(): Promise<void> {
  const child = spawn('cat', [], { cwd: '/', env, detached: true });
  child.stdout.resume();
  child.stdin.end('x');
  await once(child, 'close');
}

const names = ['program', 'agent', 'agentEnd', 'here', 'nothing'] as const;
const blocks = Object.fromEntries(names.map((name) => [name, [] as number[]]));
for (let round = -2; round < Number(rounds); round += 1) {
  const program = await longestBlock(() => exec(['cat'], { cwd: '/', env, stdin: 'x', timeoutMs: 60_000 }));
  const { start: agent, end: agentEnd } = await blocksOfAgent();
  const here = await longestBlock(startHere);
  const found = { program, agent, agentEnd, here, nothing: await longestBlock(() => delay(20)) };
  if (round < 0) continue; // code that runs for the first time is compiled first
  for (const name of names) blocks[name]?.push(found[name]);
}
process.stdout.write(JSON.stringify({ ...blocks, ballastMb: ballast.length * 16 }));
process.exit(0);
