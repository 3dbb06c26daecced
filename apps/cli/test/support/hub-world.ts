import { createTestDatabase } from '@baton/testkit';

import { createBench } from './bench.ts';
import { createHub, type Hub } from './hub.ts';
import { planOf, type Step } from './plans.ts';

/** A machine that is busy otherwise may take its time. */
export const patience = { timeout: 60_000 };
const emptyDatabase = () => createTestDatabase({ migrate: () => Promise.resolve(), templateKey: 'empty' });
const gates = [
  { name: 'whole', command: ['node', '-e', "if (require('node:fs').existsSync('broken')) process.exit(1)"] },
];
const settings = { landing: 'pull_request', gates };

/** A plan of one stage whose tasks are pull requests. */
export const shipping = (...steps: Step[]) => planOf('ship', steps, settings);

/** What `baton run --json` prints. */
export interface Told {
  status: string;
  tasks: { key: string; status: string; commit: string | null }[];
}

/** A bench with a host and a database, and the command with all of it. */
export async function openHubWorld(files: Record<string, string>, { at }: { at?: 'hub' | 'gitlab' } = {}) {
  const bench = await createBench(files);
  const hub = await createHub(bench.repo, at === undefined ? {} : { at });
  const database = await emptyDatabase();
  const env = { ...hub.env, DATABASE_URL: database.url };
  return {
    ...{ bench, hub, env },
    call: (...args: string[]) => bench.call(args, { env }),
    start: (...args: string[]) => bench.start(args, { env }),
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
      await Promise.all([hub[Symbol.asyncDispose](), database[Symbol.asyncDispose]()]);
    },
  };
}

/** Whether a request is the open one of a task. */
export const isOpen =
  (branch: string) =>
  ({ state, head }: { state: string; head: string }) =>
    state === 'OPEN' && head.endsWith(`/${branch}`);

/** Branches of the host. */
export async function branchesOf(hub: Hub): Promise<string[]> {
  return (await hub.git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads')).split('\n');
}
