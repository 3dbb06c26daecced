import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { PluginBus } from '@baton/plugins';
import { until } from '@baton/testkit';
import type { Worker } from '../../src/worker.ts';
import type { Rig } from './rig.ts';

/** A task for each name, whose agent writes this text into a file of that name. */
export const writing = (
  works: Readonly<Record<string, string>>,
  {
    then = 'true',
    step = () => ({}),
    ...more
  }: { then?: string; step?: (key: string) => object; [key: string]: unknown } = {},
) => ({
  name: 'train',
  max_agents: 8,
  ...more,
  stages: [
    {
      name: 'all',
      steps: Object.entries(works).map(([key, text]) => ({
        ...{ key, title: key, scope: 'small', signals: [], max_retries: 0 },
        agent: { command: ['sh', '-c', `printf '%s\\n' '${text}' > ${key.split('_')[0]}.txt; ${then}`] },
        ...step(key),
      })),
    },
  ],
});

/** A gate that is red where a file says so, and writes down that it was asked. */
export const counting = (rig: Rig) => ({
  gates: [
    {
      name: 'tests',
      command: ['sh', '-c', `echo asked >> '${path.join(rig.stateDir, 'asked')}'; ! grep -q red *.txt`],
    },
  ],
});

/** How often that gate was asked. */
export const asked = async (rig: Rig): Promise<number> =>
  (await readFile(path.join(rig.stateDir, 'asked'), 'utf8')).split('\n').length - 1;

/** A store with something in the way of its lanes. */
export const withLanes = (store: Rig['store'], lanes: Partial<Rig['store']['lanes']>): Rig['store'] => ({
  ...store,
  lanes: { ...store.lanes, ...lanes },
});

/** A worker that lands nothing before all agents are done. */
export async function landsLater(
  rig: Rig,
  {
    runId,
    done,
    plugins,
    isHeld = false,
    capacity = 8,
    idleProcessors = () => 0,
  }: {
    runId: string;
    done: number;
    plugins?: PluginBus;
    isHeld?: boolean;
    capacity?: number;
    idleProcessors?: () => number;
  },
  store = rig.store,
): Promise<Worker> {
  const gate = { open: false };
  const worker = await rig.worker({
    ...(plugins === undefined ? {} : { plugins }),
    ...{ capacity, idleProcessors },
    isolation: 'copy',
    store: withLanes(store, {
      takeForLanding: async (...given) => (gate.open ? store.lanes.takeForLanding(...given) : null),
    }),
  });
  await until(
    async () =>
      [...(await rig.tasks(runId)).values()].filter(({ status }) => status === 'DONE').length === done
        ? true
        : undefined,
    { what: `${done} tasks are done`, timeoutMs: 60_000 },
  );
  gate.open = !isHeld;
  return worker;
}

/** So many works that no gate minds. */
export const green = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, `green ${at}`]));

/** One work that gates refuse, done after one that they do not. */
export const redLast = {
  works: { ...green(1), culprit: 'red' },
  step: (key: string) =>
    key === 'culprit' ? { agent: { command: ['sh', '-c', 'sleep 1; echo red > culprit.txt'] } } : {},
};

/** Statuses of a run's tasks by their keys. */
export const statuses = async (rig: Rig, runId: string) =>
  Object.fromEntries([...(await rig.tasks(runId)).values()].map(({ key, status }) => [key, status]));
