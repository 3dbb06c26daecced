import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { startFakeModelServer } from '@baton/testkit/model-server';
import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';

const script = {
  scripts: [
    {
      name: 'file',
      when: 'Write the file (\\w+)\\.txt',
      turns: [
        {
          say: 'I write it.',
          do: [{ tool: 'write_file', input: { path: '{{1}}.txt', content: '{{1}}\n' } }],
          usage: { input: 1_200, output: 40, cached: 200 },
        },
        { do: [{ tool: 'run_check', input: { name: 'look' } }], usage: { input: 1_250, output: 5 } },
        { say: 'Written.', usage: { input: 1_300, output: 10, cached: 1_200 } },
      ],
    },
  ],
};

const names = ['alpha', 'beta'];

test(
  'baton run lands tasks of an in-process agent, accounts for its tokens, and baton agents shows it',
  { tags: ['long'], timeout: 120_000 },
  async () => {
    const server = await startFakeModelServer({ script });
    await using bench = await createBench();
    const file = path.join(bench.home, 'plan.yaml');
    const plan = {
      name: 'mind',
      batch_size: 2,
      agents: {
        small: {
          in_process: 'local/gpt-5-mini',
          base_url: `${server.url}/v1`,
          api_key_env: 'LOCAL_KEY',
          checks: { look: ['ls'] },
        },
      },
      agent: 'small',
      stages: [
        {
          name: 'all',
          steps: names.map((name) => ({
            key: name,
            title: `Write the file ${name}.txt`,
            files: [`${name}.txt`],
            signals: [{ type: 'file_contains', path: `${name}.txt`, text: name }],
          })),
        },
      ],
    };
    await writeFile(file, JSON.stringify(plan));
    const refused = await bench.call(['run', file, '--json']);
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr + refused.stdout).toContain('LOCAL_KEY');
    const ended = await bench.baton(['run', file, '--json'], { env: { LOCAL_KEY: 'local-key-0123456789' } });
    await server.close();
    expect(ended.exitCode, ended.stderr).toBe(0);
    const result = JSON.parse(ended.stdout) as {
      target: string;
      tasks: { status: string; attempts: number }[];
    };
    expect(result.tasks.map((task) => [task.status, task.attempts])).toEqual(names.map(() => ['CLOSED', 1]));
    for (const name of names) expect(await bench.repo.git('show', `${result.target}:${name}.txt`)).toBe(name);
    const shown = JSON.parse((await bench.baton(['agents', '--all', '--json'])).stdout) as {
      sessions: Record<string, unknown>[];
      agents: { name: string }[];
    };
    expect(
      shown.sessions.map(({ adapter, status, activity, visual }) => [adapter, status, activity, visual]),
    ).toEqual(shown.sessions.map(() => ['in-process', 'stopped', 'idle', 'DEAD']));
    expect(shown.sessions.length).toBeGreaterThan(0);
    expect(shown.agents.map(({ name }) => name)).toContain('in-process');
    const status = JSON.parse((await bench.baton(['status', '--json'])).stdout) as { agents: unknown[] };
    expect(status.agents).toEqual([]);
    const people = await bench.baton(['agents']);
    expect(people.stdout).toContain('No agent is at work.');
    const prune = async (age: string) =>
      JSON.parse((await bench.baton(['prune', '--older-than', age, '--json'])).stdout) as {
        checkpoints: number;
      };
    expect(await prune('1h')).toMatchObject({ checkpoints: 0 });
    expect((await prune('0d')).checkpoints).toBeGreaterThan(0);
  },
);
