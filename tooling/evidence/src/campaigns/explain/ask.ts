import type { Explanation } from '@baton/task-store';
import { appArguments, compileCache, tempDir } from '@baton/testkit';
import { z } from 'zod';
import { createBatonClient } from '../../../../../apps/server/src/client.ts';
import { readServerEnv, startServer } from '../../../../../apps/server/src/index.ts';
import { makeApiKey } from '../../../../../apps/server/src/access/keys.ts';
import { mustRun } from '../../run-program.ts';
import type { Stage } from './stage.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const answer = z.object({ cause: z.string(), owner: z.string(), unblock: z.string().nullable() });

/** What two ways of asking must agree on. */
export type Answer = z.output<typeof answer>;

/** Where else than in the store itself a case is asked. */
export type Door = 'server' | 'command';

/** Asks for a task's explanation as a user would. */
export const doors: Record<Door, (stage: Stage, taskId: string) => Promise<Answer>> = {
  async server({ store, url }, taskId) {
    await using folder = await tempDir();
    const { key, hash, prefix } = makeApiKey();
    await store.keys.create({ id: `key-${prefix}`, name: 'asks', hash, prefix, scopes: ['viewer'] });
    const env = readServerEnv({ DATABASE_URL: url, BATON_PORT: '0', BATON_HOME: folder.path });
    const server = await startServer(env, { log: quiet });
    try {
      return answer.parse(await createBatonClient({ url: server.url, key }).tasks.explain.query({ taskId }));
    } finally {
      await server.close();
    }
  },
  async command({ url }, taskId) {
    await using folder = await tempDir();
    const env = {
      ...{ PATH: process.env['PATH'], HOME: folder.path, BATON_HOME: folder.path, DATABASE_URL: url },
      ...compileCache(),
    };
    const { stdout } = await mustRun(
      [process.execPath, ...appArguments('cli'), 'explain', taskId, '--json'],
      { cwd: folder.path, env },
    );
    return answer.parse(JSON.parse(stdout));
  },
};

/** What stands in the way of the claim, or null. */
export function disagreement(asked: Answer, known: Explanation, door: Door): string | null {
  const same = asked.cause === known.cause && asked.owner === known.owner && asked.unblock === known.unblock;
  const told = ({ cause, owner, unblock }: Answer) => `${cause} (${owner}; ${unblock ?? 'nothing to do'})`;
  return same ? null : `the ${door} says ${told(asked)}, the store says ${told(known)}`;
}
