import type { Campaign } from '../campaign.ts';
import { kernelTables } from './kernel-tables.ts';

/** The tables of the five machines, by the kernel and by the database. */
export const tables: Campaign = {
  name: 'tables',
  shows:
    'every legal cell of the five machines is reached and every other refused, by kernel and by database',
  run: async () => {
    const kernel = kernelTables();
    const broken = kernel.flatMap((machine) => machine.broken);
    return {
      holds: broken.length === 0,
      figures: { kernel: kernel.map(({ broken: _, ...counts }) => counts) },
      table: {
        columns: ['machine', 'states', 'cells', 'legal', 'kernel: reached', 'kernel: refused', 'overrides'],
        rows: kernel.map(({ machine, states, cells, legal, reached, refused, overrides }) => [
          machine,
          states,
          cells,
          legal,
          reached,
          refused,
          overrides,
        ]),
      },
      broken,
    };
  },
};
