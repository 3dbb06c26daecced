import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { expect, it } from 'vitest';
import { gitGateway } from '../helpers/git-gateway.ts';
import { createRig, type Rig } from '../helpers/rig.ts';

const agent = { command: ['sh', '-c', 'cat >/dev/null; echo a > a.txt'] };
const plan = { name: 'late', stages: [{ name: 's', steps: [{ key: 'a', title: 'a', agent }] }] };

/** Takes pushes one after another, and the first that moves the target only once there is a file `go`. */
const oneByOne = `#!/bin/sh
moves=$(grep -v "^000000000000" | grep -c refs/heads/baton/)
if [ "$moves" -gt 0 ] && mkdir first 2>/dev/null; then
  until [ -e go ]; do sleep 0.05; done
elif [ -e first ]; then
  until [ -e done ]; do sleep 0.05; done
fi
`;
const afterwards = '#!/bin/sh\n[ ! -e go ] || touch done\n';
const movesTarget = /(?!0{40})[0-9a-f]{40} [0-9a-f]{40} refs\/heads\/baton/;

/** A bare repository of the rig's history that takes pushes over HTTP. */
async function hosted(rig: Rig, folder: string) {
  const bare = path.join(folder, 'remote.git');
  const git = (...args: string[]) => rig.repo.git('-C', bare, ...args);
  await rig.repo.git('clone', '--bare', '--quiet', rig.repo.path, bare);
  await git('config', 'http.receivepack', 'true');
  return { bare, git };
}

it('a push that takes effect after its answer was lost is what landed, once', async () => {
  await using rig = await createRig();
  await using folder = await tempDir();
  const { bare, git } = await hosted(rig, folder.path);
  await writeFile(path.join(bare, 'hooks/pre-receive'), oneByOne, { mode: 0o755 });
  await writeFile(path.join(bare, 'hooks/post-receive'), afterwards, { mode: 0o755 });
  let lost = 0;
  await using host = await gitGateway(folder.path, {
    loses: (push) => movesTarget.test(push) && (lost += 1) === 1,
  });
  const { run, tasks } = await rig.submit(plan, { remote: `${host.url}/remote.git` });
  let why = '';
  const warn = (text: string, more?: Record<string, unknown>): void => {
    if (!text.startsWith('finished work cannot')) return;
    why = String(more?.['why']);
    void writeFile(path.join(bare, 'go'), '');
  };
  const quiet = () => undefined;
  const worker = await rig.worker({ log: { info: quiet, error: quiet, warn } });
  await rig.settled(run.id);
  await worker.stop();
  expect(why).toContain('looks first whether the push took effect');
  expect(lost).toBe(1);
  expect(await git('rev-list', '--count', `main..${run.target}`)).toBe('1');
  const attempts = await rig.store.tasks.attempts(tasks[0]?.id ?? '');
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['done']);
});

it(
  'a landing whose answer was lost, and whose lane another holder took then, is settled by who holds the lane',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    await using folder = await tempDir();
    const { git } = await hosted(rig, folder.path);
    let lost = 0;
    const takeLane = async (taken: Promise<unknown>): Promise<boolean> => {
      await taken;
      const lane = await git('for-each-ref', '--format=%(refname)', 'refs/baton/lane');
      const record = {
        ...(JSON.parse(await git('cat-file', '-p', lane)) as { epoch: number }),
        holder: 'other',
      };
      const file = path.join(folder.path, 'record');
      await writeFile(file, JSON.stringify({ ...record, epoch: record.epoch + 3 }));
      await git('update-ref', lane, await git('hash-object', '-w', file));
      return true;
    };
    await using host = await gitGateway(folder.path, {
      loses: (push, taken) => movesTarget.test(push) && (lost += 1) === 1 && takeLane(taken),
    });
    const { run, tasks } = await rig.submit(plan, { remote: `${host.url}/remote.git` });
    const worker = await rig.worker();
    await rig.settled(run.id);
    await worker.stop();
    expect(lost).toBe(1);
    const attempts = await rig.store.tasks.attempts(tasks[0]?.id ?? '');
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['done']);
  },
);
