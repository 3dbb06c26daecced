import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { tempDir } from '@baton/testkit';
import { stringify } from 'yaml';
import { z } from 'zod';
import { emptyDatabase } from '../../empty-database.ts';
import { mustRun } from '../../run-program.ts';
import { makeBenchRepo } from '../bench-repo.ts';
import { median, ms, quantile, type Part } from './row.ts';

const mostMs = 100;
const result = z.object({ target: z.string() });
const main = path.resolve(import.meta.dirname, '../../../../../apps/cli/src/main.ts');

/** From the claim of a batch to the first instruction of its agent: what Baton itself needs, in a run of its own command. */
export const overhead: Part = async ({ short, seed, say }) => {
  const [files, tasks] = short ? [100, 2] : [5_000, 40];
  await using folder = await tempDir();
  await using database = await emptyDatabase();
  const repo = path.join(folder.path, 'repo');
  mkdirSync(repo);
  await makeBenchRepo(repo, { files, seed });
  const plan = path.join(folder.path, 'plan.yaml');
  writeFileSync(plan, planOf(tasks));
  say(`baton run: ${tasks} batches of one task, one after the other, ${files} files`);
  const argv = [process.execPath, '--conditions=@baton/source', main, 'run', plan, '--repo', repo, '--json'];
  const ran = await mustRun(argv as [string, ...string[]], {
    cwd: folder.path,
    env: { ...process.env, DATABASE_URL: database.url, BATON_HOME: path.join(folder.path, 'home') },
  });
  const { target } = result.parse(JSON.parse(ran.stdout));
  const times: number[] = [];
  for (const [key, claimedMs] of await claimsOf(database.url)) {
    const { stdout } = await mustRun(['git', 'show', `${target}:out/${key}.txt`], { cwd: repo });
    times.push(Number(stdout) / 1e6 - claimedMs);
  }
  const own = quantile(times, 0.95);
  return [
    {
      what: `from a claim through the worktree to the agent's first instruction, p95, ${files} files`,
      ...{ baton: ms(own), peer: '–', value: own, unit: ' ms', aim: { most: mostMs } },
      figures: { batches: times.length, medianMs: median(times), longestMs: quantile(times, 1) },
    },
  ];
};

/** An agent writes down when it began, in nanoseconds. */
function planOf(tasks: number): string {
  const steps = Array.from({ length: tasks }, (_, at) => {
    const key = `task-${String(at).padStart(3, '0')}`;
    return {
      ...{ key, title: `Write ${key}`, scope: 'small', complexity: 'low', files: [`out/${key}.txt`] },
      agent: { command: ['sh', '-c', `date +%s%N > out/${key}.txt`] },
    };
  });
  return stringify({ name: 'overhead', batch_size: 1, max_agents: 1, stages: [{ name: 'all', steps }] });
}

/** When each task was claimed, in milliseconds since 1970, by its key. */
async function claimsOf(url: string): Promise<[key: string, claimedMs: number][]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ key: string; ms: string }>(`
      SELECT t.key, extract(epoch FROM s.created_at) * 1000 AS ms
      FROM agent_session s JOIN attempt a ON a.session_id = s.id JOIN task t ON t.id = a.task_id
      ORDER BY s.created_at`);
    return rows.map((row) => [row.key, Number(row.ms)]);
  } finally {
    await client.end();
  }
}
