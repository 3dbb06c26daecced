import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { jsonLines } from '@baton/spawner';
import { lineOf } from './agent-lines.ts';

/*
 * Reads so many lines of an agent, as its first argument says, in the ways that are compared, in turn, as often as its second argument says,
 * and prints the CPU nanoseconds that each way needs for a line.
 */

const [, , lines = '1000', rounds = '1'] = process.argv;
const pieceBytes = 64 * 1024;
const bytes = Buffer.from(Array.from({ length: Number(lines) }, (_, at) => lineOf(at)).join(''));
const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
  bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
);
const source = () => createInterface({ input: Readable.from(pieces), crlfDelay: Infinity });

/** Ways to turn the bytes into values; each gives how many came. */
const ways = {
  baton() {
    let count = 0;
    const reader = jsonLines({
      onValue: () => void (count += 1),
      onOther: () => undefined,
      onFlood: () => undefined,
      maxLineBytes: 2 ** 25,
    });
    for (const piece of pieces) reader.push(piece);
    reader.end();
    return Promise.resolve(count);
  },
  async awaited() {
    let count = 0;
    for await (const line of source()) {
      JSON.parse(line);
      count += 1;
    }
    return count;
  },
  async heard() {
    let count = 0;
    const reading = source().on('line', (line) => {
      JSON.parse(line);
      count += 1;
    });
    await new Promise<void>((resolve) => reading.once('close', resolve));
    return count;
  },
};

const names = ['baton', 'awaited', 'heard'] as const;
const ns: Record<string, number[]> = { baton: [], awaited: [], heard: [] };
for (let round = -3; round < Number(rounds); round += 1) {
  for (const name of names) {
    const before = process.cpuUsage();
    const count = await ways[name]();
    const { user, system } = process.cpuUsage(before);
    if (count !== Number(lines)) throw new Error(`${name} read ${count} of ${lines} lines`);
    // The first rounds compile.
    if (round >= 0) ns[name]?.push(((user + system) * 1_000) / count);
  }
}
process.stdout.write(JSON.stringify({ ...ns, bytesALine: Math.round(bytes.length / Number(lines)) }));
