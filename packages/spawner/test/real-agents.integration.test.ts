import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { listProcessesWithMarker } from '@baton/testkit';
import type { AgentDefinition } from '@baton/contracts';
import { expect, test, type TestContext } from 'vitest';
import { startFakeModelServer } from '@baton/testkit/model-server';
import { agentEnvironment, commitTask, openAgent, redactor, startTask } from '../src/index.ts';
import { clock, git } from './support/real.ts';
import { run, task } from './support/agents.ts';
import { show, workspaces } from './support/workspaces.ts';

const turn = (say: string, write?: string) => ({
  say,
  ...(write === undefined ? {} : { do: [{ do: 'write', path: `{{cwd}}/${write}`, content: `${write}\n` }] }),
  usage: { input: 1_200, output: 40, cached: 200 },
});
const script = {
  side: 'Title',
  scripts: [
    {
      name: 'batch',
      turns: [
        turn('I write the first file.', 'first.txt'),
        turn('First done.'),
        turn('I write the second file.', 'second.txt'),
        turn('Second done.'),
      ],
    },
  ],
};

interface RealAgent {
  program: string;
  definition(url: string, home: string): AgentDefinition;
}

const agents: Record<string, RealAgent> = {
  gemini: {
    program: 'gemini',
    definition(url, home) {
      mkdirSync(path.join(home, '.gemini'), { recursive: true });
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, maxAttempts: 2 },
        telemetry: { enabled: false },
      };
      writeFileSync(path.join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
      return {
        acp: ['gemini', '--acp', '-m', 'gemini-2.5-flash', '--skip-trust', '--approval-mode', 'yolo'],
        env: { GEMINI_CLI_HOME: home, GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: url },
      };
    },
  },
  opencode: {
    program: 'opencode',
    definition(url) {
      const model = {
        name: 'Fake',
        tool_call: true,
        cost: { input: 3, output: 15, cache_read: 0.3 },
        limit: { context: 200_000, output: 8_192 },
      };
      const provider = {
        npm: '@ai-sdk/openai-compatible',
        name: 'Fake',
        options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
        models: { 'fake-model': model },
      };
      const config = {
        autoupdate: false,
        share: 'disabled',
        model: 'fake/fake-model',
        enabled_providers: ['fake'],
        provider: { fake: provider },
      };
      return {
        acp: ['opencode', 'acp'],
        env: {
          OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
          OPENCODE_DISABLE_MODELS_FETCH: '1',
          npm_config_offline: 'true',
        },
      };
    },
  },
};

/** The folder with the real programs, or a note why the test is left out. */
function programs(context: TestContext, program: string): string {
  const folder = process.env['BATON_TEST_AGENTS'];
  const bin = path.join(folder ?? '', 'node_modules', '.bin');
  if (folder === undefined || !existsSync(path.join(bin, program))) {
    context.skip(
      `${program} is not installed: set BATON_TEST_AGENTS to a folder with node_modules/.bin/${program}`,
    );
  }
  return bin;
}

for (const [name, real] of Object.entries(agents)) {
  test(
    `the real ${name} works through a batch of two tasks over ACP, and its work is committed`,
    { timeout: 120_000 },
    async (context) => {
      const bin = programs(context, real.program);
      await using w = await workspaces({ 'README.md': '# Test\n' });
      const server = await startFakeModelServer({ script });
      const home = path.join(w.state.path, 'home');
      const definition = real.definition(server.url, home);
      const base = {
        PATH: `${bin}${path.delimiter}${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH']}`,
        TERM: 'dumb',
      };
      const workspace = await w.pool.acquire({ head: w.head, owner: { taskId: 't1', fence: 1 } });
      const marker = `real-${name}-${process.pid}`;
      const logFile = path.join(w.state.path, 'agent.log');
      const runner = openAgent({
        name,
        definition,
        workspace,
        env: agentEnvironment({ base, definition, home }),
        marker,
        clock,
        logFile,
        redact: redactor([]),
      });
      try {
        const first = await run(runner, task('Write the first file.', { timeoutMs: 60_000 }));
        expect(first.finished, readFileSync(logFile, 'utf8')).toMatchObject({
          outcome: 'done',
          summary: expect.stringContaining('First done.'),
        });
        expect(first.types).toEqual(
          expect.arrayContaining(['ready', 'message', 'tool_started', 'tool_completed', 'usage', 'finished']),
        );
        const one = await commitTask(workspace, {
          git,
          startCommit: w.head,
          message: 'first',
          trailers: { 'Task-Id': 't1' },
        });
        const start = await startTask(workspace, { head: one.headCommit, owner: { taskId: 't2', fence: 1 } });
        const second = await run(runner, task('Write the second file.', { timeoutMs: 60_000 }));
        expect(second.finished).toMatchObject({ outcome: 'done' });
        expect(second.spawned).toEqual(first.spawned);
        const two = await commitTask(workspace, {
          git,
          startCommit: start.startCommit,
          message: 'second',
          trailers: { 'Task-Id': 't2' },
        });
        expect([one.changedPaths, two.changedPaths]).toEqual([['first.txt'], ['second.txt']]);
        expect(await show(w.clone, two.headCommit, 'second.txt')).toBe('second.txt\n');
      } finally {
        await runner.close();
        await server.close();
      }
      expect(listProcessesWithMarker(marker)).toEqual([]);
    },
  );
}
