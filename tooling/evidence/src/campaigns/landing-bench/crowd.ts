import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { z } from 'zod';
import { mustRun } from '../../run-program.ts';
import { textPieces } from './agent-lines.ts';
import type { Part } from './row.ts';

const linesASecond = 5;
const mostPercent = 10;
const main = path.join(import.meta.dirname, 'crowd-main.ts');
const told = z.object({ cpuMs: z.number(), lastedMs: z.number(), told: z.number(), done: z.number() });

/** How much of a core a process needs for what many agents say. */
export const crowd: Part = async ({ short, say }) => {
  await using folder = await tempDir();
  const [agents, seconds] = short ? [5, 1] : [200, 20];
  say(`${agents} agents say ${linesASecond} lines a second for ${seconds} s`);
  const argv: [string, ...string[]] = [process.execPath, '--conditions=@baton/source', main];
  const sizes = [agents, linesASecond, seconds].map(String);
  const ran = await mustRun([...argv, ...sizes, folder.path], { cwd: folder.path });
  const found = told.parse(JSON.parse(ran.stdout));
  const lines = agents * linesASecond * seconds;
  const isWhole = found.done === agents && found.told === agents * textPieces(linesASecond * seconds);
  if (!isWhole) say(`${found.done} agents are done, ${found.told} pieces of text came`);
  const percent = isWhole ? (100 * found.cpuMs) / found.lastedMs : Number.NaN;
  return [
    {
      what: `${agents} agents at ${linesASecond} lines a second`,
      ...{ baton: `${percent.toFixed(1)} % of a core`, peer: '–', value: percent, unit: ' %' },
      aim: { most: mostPercent },
      figures: { microsecondsALine: (1_000 * found.cpuMs) / lines, seconds: found.lastedMs / 1_000 },
    },
  ];
};
