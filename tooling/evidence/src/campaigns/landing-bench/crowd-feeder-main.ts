import { openSync, writeSync, closeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { lineOf } from './agent-lines.ts';

/*
 * Writes lines as an agent of the Agent Client Protocol would say them into each pipe that it is given, so many a second and so long, and
 * closes them. Says when it begins and when it is done.
 */

const [, , linesASecond = '5', seconds = '1', ...pipes] = process.argv;

// For reading as well: a pipe that nobody reads yet would hold this process up.
const files = pipes.map((pipe) => openSync(pipe, 'r+'));
process.send?.('begins');
const count = Number(linesASecond) * Number(seconds);
const startedMs = performance.now();
for (let at = 0; at < count; at += 1) {
  // Spread over the time between two lines of the same agent.
  for (const [number, file] of files.entries()) {
    const dueMs = startedMs + ((at + number / files.length) * 1_000) / Number(linesASecond);
    const wait = dueMs - performance.now();
    if (wait > 1) await delay(wait);
    writeSync(file, lineOf(at));
  }
}
process.send?.('done');
for (const file of files) closeSync(file);
process.disconnect();
