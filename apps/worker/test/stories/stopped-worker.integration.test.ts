import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempDir, until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig } from '../helpers/rig.ts';

const main = fileURLToPath(new URL('../helpers/short-lease-main.ts', import.meta.url));

function start(url: string, stateDir: string, leaseMs: number): ChildProcess & { told: () => string } {
  const args = ['--conditions=@baton/source', main, url, stateDir, String(leaseMs)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let told = '';
  child.stdout.on('data', (bytes: Buffer) => (told += bytes.toString()));
  return Object.assign(child, { told: () => told });
}

it('a worker that was stopped for longer than its lease changes nothing afterwards, and says so', async () => {
  await using rig = await createRig();
  await using other = await tempDir();
  const begun = path.join(other.path, 'begun');
  const agents = async () => (await readFile(begun, 'utf8').catch(() => '')).split('\n').length - 1;
  const one = start(rig.database.url, rig.stateDir, 2_500);
  const workers = [one];
  try {
    await until(() => one.told().includes('"ready"'), { what: 'the first worker is ready' });
    const command = [
      'sh',
      '-c',
      `echo >> '${begun}'; n=$(wc -l < '${begun}'); echo $n > a.txt; [ $n != 1 ] || sleep 60`,
    ];
    const step = { key: 'a', title: 'A', agent: 'w', files: ['a.txt'] };
    const { run, tasks } = await rig.submit({
      ...{ name: 'stopped', agents: { w: { command } } },
      stages: [{ name: 'all', steps: [step] }],
    });
    await until(async () => (await agents()) === 1, { what: 'its agent is at work' });
    one.kill('SIGSTOP');
    workers.push(start(rig.database.url, path.join(other.path, 'state'), 6_000));
    await until(async () => (await agents()) === 2, {
      what: 'another worker has the task',
      timeoutMs: 60_000,
    });
    one.kill('SIGCONT');
    const lost =
      /"the result of an agent does not count: its lease ran out[^\n]*\/a","attempt":1,"work":"(refs[^"]+)"/;
    await until(() => lost.test(one.told()), { what: 'the first worker says so', timeoutMs: 60_000 });
    await rig.settled(run.id);
    const attempts = await rig.store.tasks.attempts(tasks[0]?.id ?? '');
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['lease_lost', 'done']);
    expect(await rig.repo.git('show', `${run.target}:a.txt`)).toBe('2');
    expect(await rig.repo.git('rev-list', '--count', run.target)).toBe('2');
  } finally {
    for (const worker of workers) {
      const ended = once(worker, 'exit');
      worker.kill('SIGCONT');
      worker.kill('SIGTERM');
      await ended;
    }
  }
});
