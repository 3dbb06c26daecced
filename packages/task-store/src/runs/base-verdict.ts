import type { Verdict } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import { type Db, retried } from '../db/query.ts';

export const baseVerdict =
  (db: Db): Store['runs']['baseVerdict'] =>
  async (runId, checksHash) =>
    ((
      await retried(true, () =>
        db.prisma.baseVerdict.findUnique({
          where: { runId, ...(checksHash !== undefined && { checksHash }) },
        }),
      )
    )?.verdict ?? null) as unknown as Verdict | null;

export const saveBaseVerdict =
  (db: Db): Store['runs']['saveBaseVerdict'] =>
  async (runId, saved) => {
    await retried(true, () =>
      db.prisma.baseVerdict.upsert({ where: { runId }, create: { runId, ...saved }, update: saved }),
    );
  };
