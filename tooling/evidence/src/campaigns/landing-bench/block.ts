import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { z } from 'zod';
import { mustRun } from '../../run-program.ts';
import { median, ms, quantile, type Part, type Row } from './row.ts';

const mostMs = 3;
const main = path.join(import.meta.dirname, 'block-main.ts');
const times = z.array(z.number());
const told = z.object({
  ...{ program: times, agent: times, agentEnd: times, here: times, nothing: times },
  ballastMb: z.number(),
});

/** How long the start of a program and of an agent blocks the loop of a big process. */
export const block: Part = async ({ short, say }) => {
  await using folder = await tempDir();
  const [megabytes, rounds] = short ? [64, 4] : [1_024, 60];
  say(`a process of ${megabytes} MB starts programs and agents, ${rounds} times each`);
  const argv = [
    process.execPath,
    '--conditions=@baton/source',
    main,
    `${megabytes}`,
    `${rounds}`,
    folder.path,
  ];
  const ran = await mustRun(argv as [string, ...string[]], { cwd: folder.path });
  const blocks = told.parse(JSON.parse(ran.stdout));
  const row = (what: string, own: readonly number[], aim: Row['aim']): Row => ({
    what: `the loop is blocked by ${what}, p95, with ${blocks.ballastMb} MB in the process`,
    baton: ms(quantile(own, 0.95)),
    peer: `${ms(quantile(blocks.here, 0.95))} for a start by the process itself`,
    value: quantile(own, 0.95),
    unit: ' ms',
    aim,
    figures: {
      medianMs: median(own),
      itselfMedianMs: median(blocks.here),
      nothingP95Ms: quantile(blocks.nothing, 0.95),
    },
  });
  return [
    row('the start of a program', blocks.program, { most: mostMs }),
    row('the start of an agent', blocks.agent, { most: mostMs }),
    row('the end of an agent, with the look for what it left', blocks.agentEnd, null),
  ];
};
