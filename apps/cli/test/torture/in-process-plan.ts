import { glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { crashPointArguments, type CrashCatalogue, type CrashOrder, type CrashStrike } from '@baton/testkit';
import { startFakeModelServer, type FakeModelServer } from '@baton/testkit/model-server';
import { planOf } from '../support/plans.ts';

import type { RunPlace } from './run-place.ts';
import { runStep } from './run-trial.ts';
import type { RunStep } from './run-steps.ts';
import { nextOf, target, type TortureScript } from './tough-plan.ts';

const write = (file: string, content: string) => ({
  do: [{ tool: 'write_file', input: { path: file, content } }],
});

/** A model that writes, edits, removes and checks; whoever asks it again with the same history hears the same. */
export function scriptedModel(): Promise<FakeModelServer> {
  const checked = [{ do: [{ tool: 'run_check', input: { name: 'look' } }] }, { say: 'It is done.' }];
  const scripts = [
    {
      name: 'thinks',
      when: 'thinks',
      turns: [
        write('made/thinks.txt', 'thinks\n'),
        write('draft.txt', 'not to be kept\n'),
        { do: [{ tool: 'delete_file', input: { path: 'draft.txt' } }] },
        {
          do: [
            { tool: 'edit_file', input: { path: 'shared.txt', old: 'shared\n', new: 'thinks\nshared\n' } },
          ],
        },
        ...checked,
      ],
    },
    { name: 'goes-on', when: 'goes-on', turns: [write('made/goes-on.txt', 'goes-on\n'), ...checked] },
  ];
  return startFakeModelServer({ script: { scripts } });
}

/** Two tasks of one process of Baton's own loop around a model. That process is watched, too. */
export function inProcessPlan({ url, catalogue }: { url: string; catalogue: CrashCatalogue }): TortureScript {
  return {
    text(folder) {
      const order = { log: path.join(folder, 'unheard'), catalogue, strike: null };
      const agent = {
        in_process: 'local/scripted',
        base_url: `${url}/v1`,
        checks: { look: ['ls'] },
        env: {
          NODE_OPTIONS: crashPointArguments(agentOrder(folder), order).join(' '),
          NODE_COMPILE_CACHE: '${NODE_COMPILE_CACHE}',
        },
      };
      const batch = { role: 'docs', scope: 'small' };
      return planOf(
        'minds',
        [
          { key: 'thinks', ...batch, agent, files: ['made', 'shared.txt'] },
          { key: 'goes-on', ...batch, agent, files: ['made'] },
        ],
        { target, batch_size: 2, max_agents: 1, files_strict: false },
      );
    },
    nextText: nextOf(),
    // Neither the end of Baton's process nor that of an agent which had a checkpoint costs a try.
    tries: { thinks: 0, 'goes-on': 0 },
    shared: /^thinks\nshared$/,
  };
}

const agentOrder = (folder: string) => path.join(folder, 'order-of-agents');

/**
 * The run of {@link inProcessPlan}. Its agents stand under the same order as Baton's process, and under what is still to fall:
 * one that dies is followed by another while Baton lives.
 */
export const inProcessStep = (strikes: readonly CrashStrike[]): RunStep => ({
  ...runStep,
  async call(place, how) {
    const [, file = ''] = /order=(file:\S+)/.exec(decodeURIComponent(how.watched.join(' '))) ?? [];
    const order = JSON.parse(await readFile(new URL(file), 'utf8')) as CrashOrder;
    await writeFile(agentOrder(place.home), JSON.stringify({ ...order, more: strikes.slice(how.at + 1) }));
    return runStep.call(place, how);
  },
  judge: async (place) => [...((await runStep.judge?.(place)) ?? []), ...(await wrongFiles(place))],
});

/** Exactly what the model asked for has landed; nothing that a killed process left of it. */
async function wrongFiles({ repo, home }: RunPlace): Promise<string[]> {
  const listed = (await repo.git('ls-tree', '-r', '--name-only', target)).split('\n');
  const wanted = ['.gitignore', 'made/goes-on.txt', 'made/thinks.txt', 'shared.txt'];
  const found = listed.filter((file) => !file.startsWith('next-'));
  const wrong = found.join() === wanted.join() ? [] : [`what landed is ${found.join(', ')}`];
  for await (const file of glob('projects/*/checkpoints/*', { cwd: home }))
    wrong.push(`a log that the store has is left: ${file}`);
  for (const key of ['goes-on', 'thinks']) {
    const text = await repo.git('show', `${target}:made/${key}.txt`).catch(() => null);
    if (text !== key) wrong.push(`made/${key}.txt is ${JSON.stringify(text)}`);
  }
  return wrong;
}
