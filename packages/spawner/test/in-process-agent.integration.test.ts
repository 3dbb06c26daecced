import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { AgentEvent } from '@baton/contracts';
import type { Checkpoint } from '@baton/fsm-core';
import { tempDir } from '@baton/testkit';
import { startFakeModelServer } from '@baton/testkit/model-server';
import { describe, expect, test } from 'vitest';
import type { OpenAgentOptions, TaskRequest } from '../src/index.ts';
import { openIn, task } from './support/agents.ts';
import { env } from './support/real.ts';

const key = 'sk-canary-0123456789abcdef';

/** An in-process agent on a scripted model server, working on one task. */
async function work(
  turns: unknown[],
  options: {
    checks?: Record<string, string[]>;
    max_steps?: number;
    open?: Partial<OpenAgentOptions>;
    request?: Partial<TaskRequest>;
    before?: (folder: string) => void;
    onEvent?: (event: AgentEvent, at: { pid: number; abortTool(id: string): boolean }) => void;
  } = {},
) {
  await using stack = new AsyncDisposableStack();
  const state = stack.use(await tempDir());
  const bodies = path.join(state.path, 'asked');
  const server = await startFakeModelServer({ script: turns, bodies });
  stack.defer(() => server.close());
  const agent = stack.use(
    await openIn(
      {
        in_process: 'local/scripted',
        base_url: `${server.url}/v1`,
        api_key_env: 'MODEL_KEY',
        ...(options.checks === undefined ? {} : { checks: options.checks }),
        ...(options.max_steps === undefined ? {} : { max_steps: options.max_steps }),
      },
      { env: { ...env, MODEL_KEY: key }, stateDir: state.path, ...options.open },
    ),
  );
  options.before?.(agent.folder);
  const events: AgentEvent[] = [];
  const pids: number[] = [];
  const checkpoints: Checkpoint[] = [];
  const finished = await agent.runner.runTask(task('Write a.txt', options.request), {
    onSpawn: ({ pid }) => void pids.push(pid),
    onEvent(event) {
      events.push(event);
      options.onEvent?.(event, {
        pid: pids.at(-1) ?? 0,
        abortTool: (id) => agent.runner.abortTool(id),
      });
    },
    onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint),
  });
  const closed = await agent.runner.close();
  const read = (file: string) => readFileSync(path.join(agent.folder, file), 'utf8');
  const files = new Map(
    ['a.txt', 'b.txt', 'env.txt'].flatMap((name) =>
      existsSync(path.join(agent.folder, name)) ? [[name, read(name)] as const] : [],
    ),
  );
  return {
    finished,
    events,
    pids,
    checkpoints,
    closed,
    files,
    asked: server.requests.length,
    questions: readdirSync(bodies).map((name) => readFileSync(path.join(bodies, name), 'utf8')),
    log: readFileSync(agent.logFile, 'utf8'),
  };
}

const write = { tool: 'write_file', input: { path: 'a.txt', content: 'a\n' } };

describe('an in-process agent', () => {
  test.each([['high'], [null]] as const)('asks its model for the effort that is set: %s', async (effort) => {
    const done = await work([{ do: [write] }, { say: 'Written.' }], { open: { effort } });
    expect(done.finished.outcome).toBe('done');
    for (const question of done.questions)
      expect(question.includes('"reasoning_effort":"high"')).toBe(effort !== null);
  });

  test('writes a file, reports its tokens and ends well, with its moves kept', async () => {
    const done = await work([
      { do: [write], usage: { input: 1_200, output: 40, cached: 200 } },
      { say: 'Written.', usage: { input: 1_300, output: 10, cached: 1_200 } },
    ]);
    expect(done.finished).toMatchObject({ outcome: 'done', summary: 'Written.', abortReason: null });
    expect(done.files.get('a.txt')).toBe('a\n');
    const usages = done.events.flatMap((event) => (event.type === 'usage' ? [event] : []));
    expect(
      usages.map(({ offset, usage }) => [
        offset,
        usage.inputTokens,
        usage.cacheReadTokens,
        usage.outputTokens,
      ]),
    ).toEqual([
      [0, 1_000, 200, 40],
      [1, 100, 1_200, 10],
    ]);
    expect(done.checkpoints.map((one) => one.timing)).toEqual([
      'TASK_CREATED',
      'REASON_DONE',
      'TOOL_CALL_COMPLETED',
      'REASON_DONE',
      'TASK_COMPLETED',
    ]);
    expect(done.closed).toEqual({ exitCode: 0, abortReason: null });
  });

  test('is killed in the middle and continues in a new process, without doing anything twice', async () => {
    let killed = false;
    const done = await work(
      [
        { do: [write] },
        { do: [{ tool: 'write_file', input: { path: 'b.txt', content: 'b\n' } }] },
        { say: 'Both.' },
      ],
      {
        onEvent(event, { pid }) {
          if (killed || event.type !== 'tool_completed') return;
          killed = true;
          process.kill(pid, 'SIGKILL');
        },
      },
    );
    expect(done.finished).toMatchObject({ outcome: 'done', summary: 'Both.' });
    expect(new Set(done.pids).size).toBe(2);
    expect([...done.files.keys()]).toEqual(['a.txt', 'b.txt']);
    const seqs = done.checkpoints.flatMap((one) => (one.kind === 'reflection' ? [] : [one.transition.seq]));
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(new Set(seqs).size).toBe(seqs.length);
  });

  test('suspends itself on SIGTERM with its whole context, and is resumed', async () => {
    let told = false;
    const done = await work([{ do: [write] }, { say: 'Slow.', delayMs: 1_500 }], {
      onEvent(event, { pid }) {
        if (told || event.type !== 'tool_completed') return;
        told = true;
        process.kill(pid, 'SIGTERM');
      },
    });
    expect(done.finished).toMatchObject({ outcome: 'done', summary: 'Slow.' });
    const suspended = done.checkpoints.find((one) => one.timing === 'TASK_SUSPENDED');
    expect(suspended).toMatchObject({ kind: 'full', transition: { to: 'suspended' } });
    expect(new Set(done.pids).size).toBe(2);
  });

  test('whose process dies again and again has crashed', async () => {
    const done = await work([{ do: [write] }, { say: 'Never.', delayMs: 60_000 }], {
      onEvent(event, { pid }) {
        if (event.type === 'tool_completed' || event.type === 'ready') process.kill(pid, 'SIGKILL');
      },
    });
    expect(done.finished).toMatchObject({ outcome: 'crashed', abortReason: 'oom' });
  });

  test('keeps to its workspace, and its programs get no key', async () => {
    const done = await work(
      [
        {
          do: [
            { tool: 'write_file', input: { path: '../out.txt', content: 'x' } },
            { tool: 'write_file', input: { path: 'link/x.txt', content: 'x' } },
            { tool: 'write_file', input: { path: '.git/config', content: 'x' } },
            { tool: 'read_file', input: { path: '/etc/passwd' } },
            { tool: 'run_check', input: { name: 'env' } },
            { tool: 'run_check', input: { name: 'rm' } },
          ],
        },
        { say: `Here is the key ${key}` },
      ],
      {
        checks: {
          env: [
            process.execPath,
            '-e',
            'require("fs").writeFileSync("env.txt", JSON.stringify(process.env))',
          ],
        },
        before(folder) {
          mkdirSync(path.join(folder, '.git'));
          symlinkSync('/tmp', path.join(folder, 'link'));
        },
      },
    );
    const results = done.events.flatMap((event) => (event.type === 'tool_completed' ? [event.failed] : []));
    expect(results).toEqual([true, true, true, true, false, true]);
    expect(done.files.get('env.txt')).not.toContain(key);
    expect(JSON.stringify([done.finished, done.events, done.checkpoints.at(-1)]) + done.log).not.toContain(
      key,
    );
  });

  test('learns of a check that fails and of one tool call that is stopped alone', async () => {
    const done = await work(
      [
        { do: [{ tool: 'run_check', input: { name: 'red' } }] },
        { do: [{ tool: 'run_check', input: { name: 'endless' } }] },
        { say: 'Enough.' },
      ],
      {
        checks: {
          red: [process.execPath, '-e', 'console.error("broken"); process.exit(3)'],
          endless: [process.execPath, '-e', 'setInterval(() => {}, 1000)'],
        },
        onEvent(event, { abortTool }) {
          if (event.type === 'tool_started' && event.title.includes('endless')) abortTool(event.toolId);
        },
      },
    );
    const outputs = done.events.flatMap((event) => (event.type === 'tool_completed' ? [event.output] : []));
    expect(outputs[0]).toContain('exit code 3');
    expect(outputs[1]).toContain('It was stopped.');
    expect(done.finished).toMatchObject({ outcome: 'done', summary: 'Enough.' });
  });

  test.each([
    [
      'cancelled by its caller',
      { signal: AbortSignal.abort('user_interrupt') },
      { outcome: 'cancelled', abortReason: 'user_interrupt' },
    ],
    ['out of time', { timeoutMs: 700 }, { outcome: 'timeout', abortReason: 'timeout' }],
  ])('ends when it is %s', async (_, request, expected) => {
    const done = await work([{ hang: true }], { request });
    expect(done.finished).toMatchObject(expected);
  });

  test('fails at its step limit, and by what its provider says', async () => {
    const endless = await work([{ do: [write] }, { do: [write] }, { do: [write] }], { max_steps: 2 });
    expect(endless.finished).toMatchObject({ outcome: 'failed', transitionReason: 'max_turns' });
    const refused = await work([{ error: { status: 401 } }]);
    expect(refused.finished).toMatchObject({ outcome: 'not_logged_in' });
  });
});
