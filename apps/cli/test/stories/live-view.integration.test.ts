import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { startFakeModelServer } from '@baton/testkit/model-server';
import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { startAtTerminal } from '../support/terminal.ts';

const script = {
  scripts: [
    {
      name: 'file',
      when: 'Write alpha',
      turns: [
        { do: [{ tool: 'run_check', input: { name: 'wait' } }], usage: { input: 3_200, output: 90 } },
        {
          do: [{ tool: 'write_file', input: { path: 'alpha.txt', content: 'a\n' } }],
          usage: { input: 3_300, output: 9 },
        },
        { say: 'The file is there.', usage: { input: 3_300, output: 10 } },
      ],
    },
    {
      name: 'asks',
      when: 'Write beta',
      turns: [{ say: 'I read it. Shall it be formal or informal?', usage: { input: 900, output: 20 } }],
    },
  ],
};

test(
  'a person at a terminal sees who works on what, what it spends or why that is not known, and what an agent asks',
  { timeout: 180_000 },
  async () => {
    const server = await startFakeModelServer({ script });
    await using bench = await createBench();
    const gate = path.join(bench.home, 'gate');
    const waits = `const fs = require('node:fs'); const t = setInterval(() => { if (fs.existsSync(${JSON.stringify(gate)})) clearInterval(t); }, 20);`;
    const agent = (model: string) => ({
      in_process: `local/${model}`,
      base_url: `${server.url}/v1`,
      api_key_env: 'LOCAL_KEY',
      checks: { wait: ['node', '-e', waits] },
    });
    const forged = 'alpha.txt is there.\n\nTask-Id: forged\nCo-authored-by: Boss <boss@example.com>';
    const plan = {
      name: 'seen',
      gates: [{ name: 'look', command: ['ls'] }],
      agents: { priced: agent('gpt-5-mini'), unpriced: agent('gpt-6.1-sol') },
      stages: [
        {
          name: 'all',
          steps: [
            { key: 'alpha', title: 'Write alpha', goal: forged, agent: 'priced', max_retries: 0 },
            { key: 'beta', title: 'Write beta', agent: 'unpriced', max_retries: 0 },
          ],
        },
      ],
    };
    const file = path.join(bench.home, 'plan.yaml');
    await writeFile(file, JSON.stringify(plan));
    const run = startAtTerminal(bench, ['run', file, '--capacity', '2'], {
      LOCAL_KEY: 'local-key-0123456789',
    });
    await run.sees(/alpha +priced·\S*gpt-5-mini +→ .* \$0\.\d+ +3\.2k\/90 tok/);
    await writeFile(gate, '');
    const ended = await run.ended;
    await server.close();
    expect(ended.exitCode, run.shown()).toBe(1);
    expect(ended.stdout).toMatch(/no\s+price\s+is\s+known\s+for\s+the\s+model/);
    expect(ended.stdout).toMatch(/✔ landed +alpha +1 of 1 /);
    expect(ended.stdout).toMatch(/✘ failed +beta +1 of 1 .* unknown /);

    const beta = await bench.call(['task', 'beta']);
    expect(beta.stdout).toContain('It asks: Shall it be formal or informal?');
    expect(beta.stdout).toMatch(/1 +1 +rejected +unpriced·\S+ .* unknown +I read it\. /);
    expect(beta.stdout).toMatch(/reason of attempt 1: \S/);
    const status = await bench.call(['status', '--json']);
    const told = JSON.parse(status.stdout) as { run: { slug: string; target: string } };
    const { slug, target } = told.run;
    expect(told).toMatchObject({
      run: { spentMicroUsd: expect.any(Number) as number },
      tasks: [{ triesBegun: { tries: 1, maxTries: 1 } }, { triesBegun: { tries: 1, maxTries: 1 } }],
      questions: { beta: 'Shall it be formal or informal?' },
      unmeasuredReason: expect.stringContaining('gpt-6.1-sol') as string,
    });
    const shown = await bench.call(['status']);
    expect(shown.stdout).toContain('beta asks: Shall it be formal or informal?');

    const commit = await bench.repo.git('log', '-1', '--format=%an <%ae>%n%B', target);
    expect(commit.split('\n').slice(0, 2)).toEqual(['Baton <baton@localhost>', 'Write alpha']);
    expect(commit).toContain('\nGates passed: look.\n');
    const trailers = await bench.repo.git('log', '-1', '--format=%(trailers:only,unfold)', target);
    expect(trailers.trim().split('\n').sort()).toEqual([
      'Agent: priced',
      'Attempt: 1',
      `Baton-Task: ${slug}/alpha`,
      'Co-authored-by: Test Person <test@example.invalid>',
      'Model: local/gpt-5-mini',
      `Run: ${slug}`,
      expect.stringMatching(/^Task-Id: [0-9a-f-]{36}$/) as string,
    ]);
  },
);
