import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { startFakeModelServer } from '@baton/testkit/model-server';
import { expect, test, type TestContext } from 'vitest';

import { createBench } from '../support/bench.ts';

const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];

/** The model behind the agent: it writes the file that the prompt's title names, then says so. */
const script = {
  side: 'Title',
  scripts: [
    {
      name: 'file',
      when: 'Write the file (\\w+)\\.txt',
      turns: [
        {
          say: 'I write it.',
          do: [{ do: 'write', path: '{{cwd}}/{{1}}.txt', content: '{{1}}\n' }],
          usage: { input: 1_200, output: 40, cached: 200 },
        },
        { say: 'Written.', usage: { input: 1_300, output: 10, cached: 1_200 } },
      ],
    },
  ],
};

/** The folder with the real program, or a note why the test is left out. */
function gemini(context: TestContext): string {
  const bin = path.join(process.env['BATON_TEST_AGENTS'] ?? '', 'node_modules', '.bin');
  if (process.env['BATON_TEST_AGENTS'] === undefined || !existsSync(path.join(bin, 'gemini'))) {
    context.skip(
      'gemini is not installed: `npm install --prefix DIR @google/gemini-cli`, then set BATON_TEST_AGENTS=DIR',
    );
  }
  return bin;
}

test(
  'baton run lands five tasks of the real Gemini CLI over ACP and accounts for their tokens',
  { timeout: 180_000 },
  async (context) => {
    const bin = gemini(context);
    const server = await startFakeModelServer({ script });
    await using bench = await createBench();
    const home = path.join(bench.home, 'gemini-home');
    await mkdir(path.join(home, '.gemini'), { recursive: true });
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, maxAttempts: 2 },
      telemetry: { enabled: false },
    };
    await writeFile(path.join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
    const plan = {
      name: 'gemini',
      batch_size: 1,
      agents: {
        'local-gemini': {
          acp: [
            path.join(bin, 'gemini'),
            '--acp',
            '-m',
            'gemini-2.5-flash',
            '--skip-trust',
            '--approval-mode',
            'yolo',
          ],
          env: { GEMINI_CLI_HOME: home, GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: server.url },
          model: 'gemini-2.5-flash',
        },
      },
      agent: 'local-gemini',
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
    const file = path.join(bench.home, 'plan.yaml');
    await writeFile(file, JSON.stringify(plan));
    const ended = await bench.baton(['run', file, '--json', '--capacity', '2']);
    await server.close();
    expect(ended.exitCode, ended.stderr).toBe(0);
    const result = JSON.parse(ended.stdout) as {
      target: string;
      costMicroUsd: number;
      tasks: { status: string; attempts: number }[];
    };
    expect(result.tasks.map((task) => [task.status, task.attempts])).toEqual(names.map(() => ['CLOSED', 1]));
    expect(result.costMicroUsd).toBeGreaterThan(0);
    for (const name of names) expect(await bench.repo.git('show', `${result.target}:${name}.txt`)).toBe(name);
  },
);
