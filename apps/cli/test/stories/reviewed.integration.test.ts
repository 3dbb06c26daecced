import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf } from '../support/plans.ts';

/** Writes what its first refusal tells it to write, else "rough". */
const author = {
  command: [
    'node',
    '-e',
    `const fs = require('node:fs');
const { rejections } = JSON.parse(fs.readFileSync(process.env.BATON_TASK_FILE, 'utf8'));
const [, wanted] = /write ([a-z]+)/.exec(rejections.join(' ')) ?? [, 'rough'];
fs.writeFileSync('text.txt', wanted + '\\n');`,
  ],
};
/** Accepts what is smooth, and says how anything else becomes so. */
const reviewer = {
  command: [
    'node',
    '-e',
    `const prompt = require('node:fs').readFileSync(0, 'utf8');
const [, review] = /"review": "([^"]+)"/.exec(prompt);
const verdict = prompt.includes('+smooth') ? 'accept' : 'reject';
const reasons = verdict === 'accept' ? [] : ['text.txt:1 is rough; write smooth'];
console.log(JSON.stringify({ review, answers: [{ question: 1, verdict, confidence: 1, reasons }] }));`,
  ],
};

const config = (agents: object, routing: object) => JSON.stringify({ agents, routing });

test('a reviewer refuses with a reason that the next attempt follows, and `task` says who let it land', async () => {
  await using bench = await createBench({
    'baton.yaml': config({ careful: reviewer }, { reviewer: { agent: 'careful' } }),
  });
  await bench.repo.write({ 'plan.yaml': planOf('reviewed', [{ key: 'text', agent: author }]) });
  const planned = await bench.baton(['run', 'plan.yaml', '--dry-run']);
  expect(planned.stdout).toContain('  reviewer   careful, which reads each change before it lands');
  const ended = await bench.baton(['run', 'plan.yaml', '--json']);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { stdout } = await bench.baton(['task', 'text']);
  expect(stdout).toMatch(/CLOSED|landed as/);
  expect(stdout).toContain('✔ review (builtin) accepted by careful');
  const { attempts } = JSON.parse((await bench.baton(['task', 'text', '--json'])).stdout) as {
    attempts: { outcome: string; rejections: string[]; review: { answers: { verdict: string }[] } }[];
  };
  expect(attempts.map(({ outcome, review }) => [outcome, review.answers[0]?.verdict])).toEqual([
    ['rejected', 'reject'],
    ['done', 'accept'],
  ]);
  expect(attempts[0]?.rejections).toEqual(['review: refused by careful: text.txt:1 is rough; write smooth']);
});

test(
  'a plan whose reviewer is missing, unknown or the author itself is refused before it starts, with the way out',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({
      'plan.yaml': planOf('asks', [{ key: 'text', agent: 'writer' }]),
    });
    const refusal = async (routing: object, more: object = {}) => {
      await bench.repo.write({
        'baton.yaml': config({ writer: author, ...more }, routing),
      });
      const { exitCode, stderr } = await bench.baton(['plan', 'check', 'plan.yaml']);
      expect(exitCode).toBe(2);
      return stderr;
    };
    expect(await refusal({ reviewer: { agent: 'writer' } })).toContain(
      'The reviewer would be the author of text: writer.',
    );
    expect(await refusal({ reviewer: { agent: 'wirter' } })).toContain('did you mean "writer"?');
    expect(await refusal({ reviewer: { agnet: 'writer' } })).toContain('agnet');
    expect(
      await refusal({ reviewer: { agent: 'gone' } }, { gone: { command: ['no-such-program'] } }),
    ).toContain('no-such-program');
    const two = [
      { key: 'other', agent: { command: ['false'] } },
      { key: 'text', agent: author },
    ];
    await bench.repo.write({ 'plan.yaml': planOf('asks', two) });
    expect(await refusal({ reviewer: { agent: author } })).toContain(
      'The reviewer would be the author of text: reviewer.',
    );
    const signals = [{ type: 'llm_review', prompt: 'It is polite.' }];
    await bench.repo.write({ 'plan.yaml': planOf('asks', [{ key: 'text', agent: 'writer', signals }]) });
    const alone = await refusal({});
    expect(alone).toContain('The step text asks for a review, and no reviewer is named.');
    expect(alone).toContain('`routing: { reviewer: { agent: codex } }`');
  },
);

test(
  'the draft of `baton plan` is not reviewed: a person reads it before anything of it starts',
  { tags: ['long'] },
  async () => {
    const draft = 'name: two\nstages: [{ name: all, steps: [{ key: a, title: Write a.txt }] }]\n';
    const planner = {
      command: ['node', '-e', `fs.writeFileSync('baton-plan.yaml', ${JSON.stringify(draft)})`],
    };
    await using bench = await createBench({
      'baton.yaml': JSON.stringify({
        agents: { planner, failing: { command: ['false'] } },
        agent: 'planner',
        routing: { reviewer: { agent: 'failing' } },
      }),
    });
    const written = await bench.baton(['plan', 'write two files for me', '--yes', '--json']);
    expect(written.exitCode, written.stderr).toBe(0);
  },
);
