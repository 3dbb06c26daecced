import type { z } from 'zod';
import type { situationOfAttempts } from './sql/load-situation.ts';

/** A situation as it is read, with the parents of its tasks. */
export type LoadedSituation = z.output<typeof situationOfAttempts.row>;
