import path from 'node:path';
import { z } from 'zod';
import { mustRun } from '../../run-program.ts';
import { median, type Part, type Row } from './row.ts';

const timesAsFast = 1.5;
const main = path.join(import.meta.dirname, 'parsing-main.ts');
const times = z.array(z.number());
const told = z.object({ baton: times, awaited: times, heard: times, bytesALine: z.number() });

/** What it costs to turn the bytes of an agent into values, against the module of Node that is made for lines. */
export const parsing: Part = async ({ short, say }) => {
  const [lines, rounds] = short ? [2_000, 3] : [60_000, 15];
  say(`${lines} lines of an agent are read in three ways, ${rounds} times each`);
  const argv = [process.execPath, '--conditions=@baton/source', main, `${lines}`, `${rounds}`];
  const ran = await mustRun(argv as [string, ...string[]], { cwd: import.meta.dirname });
  const found = told.parse(JSON.parse(ran.stdout));
  const own = median(found.baton);
  const row = (way: string, peer: number, aim: Row['aim']): Row => ({
    what: `lines of ${found.bytesALine} bytes that become values in one second of CPU, against readline ${way} and JSON.parse`,
    baton: perSecond(own),
    peer: perSecond(peer),
    value: peer / own,
    unit: '×',
    aim,
  });
  return [
    row('read with `for await`', median(found.awaited), { least: timesAsFast }),
    row('read by its events', median(found.heard), null),
  ];
};

const perSecond = (ns: number): string => `${(1e9 / ns).toFixed(0)} lines`;
