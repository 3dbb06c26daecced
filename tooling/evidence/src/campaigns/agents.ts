import { existsSync } from 'node:fs';
import path from 'node:path';
import { createRepo, tempDir } from '@baton/testkit';
import { startFakeModelServer } from '@baton/testkit/model-server';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { runProgram } from '../run-program.ts';
import { realAgents, type RealAgent } from './agents/known.ts';
import { situations, type Stage } from './agents/situations.ts';
import { awaitNoServer, isInPath, surroundings } from './first-hour/stranger.ts';
import { shop } from './terminal/shop.ts';

/** Agents that people have, over the Agent Client Protocol, with a scripted model behind them. */
export const agentsCampaign: Campaign = {
  name: 'agents',
  shows:
    'with the real Claude Code, Codex, Gemini CLI and OpenCode, as far as they are installed, what happens in anybody’s first days ends as it should',
  parts: realAgents.map(({ name }) => name),
  run,
};

const command = path.resolve(import.meta.dirname, '../../../../apps/cli/dist/main.js');

/** What came of one agent; a problem or null for each situation that was played. */
interface Tried {
  agent: RealAgent;
  results: readonly (string | null)[];
  seconds: readonly number[];
}

async function run({ short, only, say }: CampaignOptions): Promise<Findings> {
  if (!existsSync(command)) throw new Error('The command is not built. Run: pnpm build');
  const wanted = realAgents.filter(({ name }) => only?.includes(name) ?? true);
  const here: RealAgent[] = [];
  for (const agent of wanted) if (await isInPath(agent.program)) here.push(agent);
  const missing = wanted.filter((agent) => !here.includes(agent));
  for (const { name, install } of missing) say(`${name}: left out, it is not installed: ${install}`);
  const tried: Tried[] = [];
  for (const agent of here.slice(0, short ? 1 : here.length))
    tried.push(await tryAgent(agent, { short, say }));
  const broken = tried.flatMap(({ agent, results }) =>
    results.flatMap((problem, at) =>
      problem === null ? [] : [`${agent.name}, ${situations[at]?.name ?? ''}: ${problem}`],
    ),
  );
  return {
    // Where nothing is installed, nothing is claimed: `figures` says so.
    holds: broken.length === 0,
    figures: {
      agents: tried.map(({ agent, seconds }) => ({ agent: agent.name, seconds })),
      leftOut: missing.map(({ name }) => name),
    },
    table: {
      columns: ['situation', ...wanted.map(({ name }) => name)],
      rows: situations.map(({ name }, at) => [
        name,
        ...wanted.map((agent) =>
          cellOf(
            tried.find((one) => one.agent === agent),
            at,
          ),
        ),
      ]),
    },
    broken,
  };
}

function cellOf(tried: Tried | undefined, at: number): string {
  if (tried === undefined) return 'not installed';
  const problem = tried.results[at];
  if (problem === undefined) return 'not tried';
  return problem === null ? `as it should be, ${tried.seconds[at] ?? 0} s` : 'not as it should be';
}

async function tryAgent(
  agent: RealAgent,
  { short, say }: Pick<CampaignOptions, 'short' | 'say'>,
): Promise<Tried> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await tempDir()).path;
  const repo = stack.use(await createRepo(shop));
  const server = await startFakeModelServer();
  stack.defer(() => server.close());
  const own = await agent.setUp({ home, url: server.url, key: 'scripted-model-key' });
  const env = { ...withoutKeys(surroundings(path.join(home, 'state'))), HOME: home, ...own };
  stack.defer(() => awaitNoServer(home));
  const stage: Stage = {
    agent: agent.name,
    models: [
      ...agent.models.map((name) => ({ name, isPriced: true })),
      ...(agent.unpriced ?? []).map((name) => ({ name, isPriced: false })),
    ],
    baton: (...args) => runProgram([process.execPath, command, ...args], { cwd: repo.path, env }),
    git: (...args) => repo.git(...args),
    write: (files) => repo.write(files),
    model: (script) => server.setScript(script),
  };
  const init = await stage.baton('init');
  if (init.exitCode !== 0) throw new Error(`baton init ends with ${init.exitCode}: ${init.stderr}`);
  const results: (string | null)[] = [];
  const seconds: number[] = [];
  for (const { name, play } of short ? situations.slice(0, 1) : situations) {
    const startedMs = performance.now();
    const problem = await play(stage);
    results.push(problem);
    seconds.push(Math.round((performance.now() - startedMs) / 1_000));
    say(`${agent.name}, ${name}: ${problem ?? 'as it should be'}`);
  }
  return { agent, results, seconds };
}

/** Keys and settings of the person who runs the campaign are not for these agents. */
function withoutKeys(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const foreign = /^(ANTHROPIC_|CLAUDE|CODEX_|OPENAI_|GEMINI_|GOOGLE_|OPENCODE|AWS_|XDG_)/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
}
