import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { tempDir } from '@baton/testkit';
import { migrate, openStore } from '@baton/task-store';
import pg from 'pg';
import { runProgram } from '../../run-program.ts';
import { capture } from './capture.ts';
import { inLoops, type ContenderKind, type Work } from './contender.ts';
import { cutAtIds, jobSteps, type JobSteps } from './job-steps.ts';
import { pgbenchScript } from './pgbench-script.ts';
import type { BenchServer } from './server.ts';
import { carryOut, fillStore, storeLeft } from './store-contender.ts';

/** Comes with Postgres's own client programs; found on the PATH or not at all. */
const program = 'pgbench';
const countDone = `SELECT count(*)::int AS done FROM task WHERE status = 'DONE'`;

/** Whether pgbench is on the PATH. */
export async function hasPgbench(): Promise<boolean> {
  return (await runProgram([program, '--version'], { cwd: '/' })).exitCode === 0;
}

/**
 * The store's own statements of one job, captured and sent again by pgbench, or by bare `pg` where there is no pgbench: what is
 * left of the store's time when nobody decides, parses or checks on the client.
 */
export function statementsFloor(name: string, by: 'pgbench' | 'pg'): ContenderKind {
  return {
    name,
    usesStore: true,
    async open(url, server) {
      await migrate(url);
      const made: string[] = [];
      const uuid = () => {
        const id = randomUUID();
        made.push(id);
        return id;
      };
      const store = await openStore({ url, poolSize: 2, ids: { uuid } });
      let fills = 0;
      const fill = async (tasks: number) => {
        await fillStore(store, { tasks, name: `fill-${fills++}` });
      };
      await fill(2); // one to warm up on, one to capture
      await carryOut(store, { workerId: 'warm' });
      made.length = 0;
      const statements = await capture(url, () =>
        carryOut(store, { workerId: 'bench-0' }).then(() => undefined),
      );
      const steps = jobSteps(
        statements.filter(({ text }) => !text.includes('pg_notify')),
        made,
      );
      return {
        name,
        url,
        fill,
        leftSql: storeLeft,
        start: () => (by === 'pgbench' ? startPgbench(url, steps, server) : startReplay(url, steps, server)),
        close: () => store.close(),
      };
    },
  };
}

async function startPgbench(url: string, steps: JobSteps, server: BenchServer): Promise<Work> {
  const folder = await tempDir();
  const script = `${folder.path}/job.sql`;
  await writeFile(script, pgbenchScript(steps, await parameterTypes(url, steps, server)));
  const clients = String(server.claimers);
  const args = ['-n', '-M', 'prepared', '-c', clients, '-j', '2', '-T', '3600', '-f', script, url];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const count = async () => Number((await server.sql(url, countDone))[0]?.['done']);
  const before = await count();
  return {
    clientPid: child.pid ?? 0,
    async done() {
      const failure = /error[^\n]*/i.exec(said)?.[0];
      if (failure !== undefined) throw new Error(`pgbench: ${failure}`);
      return (await count()) - before;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      // What the server was about to finish when its client went is finished.
      for (let last = -1, now = await count(); now !== last; now = await count()) {
        last = now;
        await delay(50);
      }
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** What the server takes each parameter for. */
async function parameterTypes(url: string, { steps }: JobSteps, server: BenchServer): Promise<string[][]> {
  const types: string[][] = [];
  for (const { text } of steps) {
    await server.sql(url, `PREPARE bench_step AS ${text}`);
    const [row] = await server.sql(
      url,
      `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'bench_step'`,
    );
    await server.sql(url, 'DEALLOCATE bench_step');
    types.push((row?.['types'] ?? []) as string[]);
  }
  return types;
}

async function startReplay(url: string, { made, steps }: JobSteps, { claimers }: BenchServer): Promise<Work> {
  const pool = new pg.Pool({ connectionString: url, max: claimers });
  pool.on('error', () => undefined);
  const varying = new Set([...made, ...steps.flatMap(({ gets }) => gets.map(({ id }) => id))]);
  const cut = steps.map(({ values }) =>
    values.map((text) => (text === null ? null : cutAtIds(text, varying))),
  );
  const work = inLoops(claimers, async () => {
    const ids = new Map(made.map((id) => [id, randomUUID() as string]));
    for (const [at, { text, gets }] of steps.entries()) {
      const values = (cut[at] ?? []).map((pieces) =>
        pieces === null ? null : pieces.map((piece, n) => (n % 2 === 0 ? piece : ids.get(piece))).join(''),
      );
      const { rows } = await pool.query<Record<string, unknown>>({ name: `step-${at}`, text, values });
      for (const { id, column, path } of gets) {
        let value: unknown = rows[0]?.[column];
        for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
        if (typeof value !== 'string') return 0;
        ids.set(id, value);
      }
    }
    return 1;
  });
  return {
    done: () => work.done(),
    async stop() {
      await work.stop();
      await pool.end();
    },
  };
}
