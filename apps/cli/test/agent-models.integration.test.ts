import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { fakeAgent, type FakeScript } from '@baton/testkit';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';

import { createBench } from './support/bench.ts';
import { bareMachine } from './support/fake-program.ts';

const acp = (script: FakeScript) => ({ acp: fakeAgent(script, { speaks: 'acp' }).argv });
const option = (id: string, category: string, currentValue: string, ...values: string[]) => ({
  ...{ id, category, currentValue },
  options: values.map((value) => ({ value })),
});

test('baton agents --models lists what each agent offers, and why one does not say', async () => {
  await using machine = await bareMachine();
  const env = { PATH: machine.path };
  const folder = await mkdtemp(path.join(tmpdir(), 'offers-'));
  try {
    const prompted = path.join(folder, 'prompted');
    const agents = {
      rich: acp({
        steps: [{ write: { [prompted]: 'x' } }],
        acp: {
          newSession: {
            configOptions: [
              option('model', 'model', 'sonnet', 'sonnet', 'opus'),
              option('effort', 'thought_level', 'default', 'default', 'high'),
            ],
          },
        },
      }),
      bare: acp({ steps: [] }),
      stranger: acp({
        steps: [],
        acp: { failOn: { 'session/new': { code: -32000, message: 'log in first' } } },
      }),
      gone: { acp: ['no-such-agent-anywhere'] },
      unset: { ...acp({ steps: [] }), env: { KEY: '${NOT_SET_HERE}' } },
      hand: { command: ['true'] },
    };
    await using bench = await createBench({ 'baton.yaml': stringify({ agents }) });
    const told = await bench.call(['agents', '--models', '--json'], { env });
    expect(told.exitCode, told.stderr).toBe(0);
    const { offers } = JSON.parse(told.stdout) as { offers: { name: string; offer: object }[] };
    expect(Object.fromEntries(offers.map(({ name, offer }) => [name, offer]))).toEqual({
      rich: { models: ['sonnet', 'opus'], current: 'sonnet', efforts: ['default', 'high'] },
      bare: { models: [], current: null, efforts: [] },
      stranger: { why: expect.stringContaining('log in first') as string },
      gone: { why: 'no-such-agent-anywhere cannot be started (ENOENT)' },
      unset: { why: expect.stringContaining('NOT_SET_HERE') as string },
    });
    const shown = await bench.call(['agents', '--models'], { env });
    expect(shown.stderr).toContain('No prompt is sent.');
    expect(shown.stdout).toContain(
      'rich\n  sonnet (where nothing is said)\n  opus\n  levels of thought: default, high\n',
    );
    expect(shown.stdout).toContain('bare\n  lists no models; it accepts any model name\n');
    expect(existsSync(prompted)).toBe(false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a file that cannot be read is refused, and where no agent is, a message says how to get one', async () => {
  await using machine = await bareMachine();
  const env = { PATH: machine.path };
  await using bench = await createBench({ 'baton.yaml': 'agent: [\n' });
  const refused = await bench.call(['agents', '--models'], { env });
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('baton.yaml')]);
  await bench.repo.write({ 'baton.yaml': 'gates: []\n' });
  expect((await bench.call(['agents', '--models'], { env })).stdout).toContain(
    '`baton doctor` says which are missing',
  );
  await bench.repo.write({ 'baton.yaml': stringify({ agents: { ours: acp({ steps: [] }) } }) });
  const named = await bench.call(['agents', '--models', '--json', '--repo', bench.repo.path], {
    cwd: bench.home,
    env,
  });
  expect(named.stdout).toContain('"name": "ours"');
  const nowhere = await bench.call(['agents', '--models', '--repo', '/nowhere'], { cwd: bench.home, env });
  expect([nowhere.exitCode, nowhere.stderr]).toEqual([2, expect.stringContaining('REPO_NOT_FOUND')]);
  const outside = await bench.call(['agents', '--models', '--json'], { cwd: bench.home, env });
  expect([outside.exitCode, outside.stdout]).toEqual([0, expect.stringContaining('"offers": []')]);
});
