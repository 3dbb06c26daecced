import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { appArguments, compileCache, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createBatonClient } from '../src/client.ts';
import { draft, nowhere, twoSteps } from './plans.ts';
import { createBench, type Bench } from './support.ts';

/** A server of its own process with one plugin, which is asked for each task that is added. */
async function startWith(bench: Bench, onTask: string) {
  const text = `import net from 'node:net';
export const plugin = { name: 'stray', version: '1.0.0', setup(api) {
  api.intercept('task:beforeCreate', { onError: 'allow' }, async ({ draft }) => { ${onTask} });
} };`;
  await writeFile(path.join(bench.folder, 'stray.mjs'), text);
  const child = spawn(process.execPath, appArguments('server'), {
    cwd: bench.folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      ...compileCache(),
      DATABASE_URL: bench.databaseUrl,
      BATON_PORT: '0',
      BATON_HOME: path.join(bench.folder, 'home'),
      BATON_PLUGINS: '[{ "name": "./stray.mjs" }]',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return { child, url, told: () => told };
}

test('what a plugin does not wait for fails that plugin alone: the server answers on, and says which plugin it was', async () => {
  await using bench = await createBench();
  const { child, url, told } = await startWith(
    bench,
    `if (draft.key === 'await') void (async () => { throw new Error('nobody waits'); })();
     if (draft.key === 'timer') setTimeout(() => { throw new Error('too late'); }, 1);
     if (draft.key === 'socket') net.connect(1, '127.0.0.1');`,
  );
  const operator = createBatonClient({ url, key: await bench.key('operator', 'viewer') });
  const { run } = await operator.plans.submit.mutate({ plan: twoSteps(), repo: nowhere });
  const said = { await: 'nobody waits', timer: 'too late', socket: 'ECONNREFUSED' };
  for (const [key, words] of Object.entries(said)) {
    await operator.tasks.create.mutate({ runId: run.id, tasks: [draft(key)] });
    await until(() => told().includes(words) || undefined, { what: `the log names ${key}` });
  }
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ ok: true });
  const [report] = await operator.plugins.report.query();
  expect(report).toMatchObject({ name: 'stray', state: 'ready', failures: 3 });
  expect(report?.lastError).toContain('ECONNREFUSED');
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});
