import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig } from '../helpers/rig.ts';

const stepOf = (key: string, then: string) => ({
  ...{ key, title: key },
  agent: { command: ['sh', '-c', `cat >/dev/null; echo ${key} > ${key}; ${then}`] },
});

it.each([
  ['before its agent starts', true],
  ['while its agent is at work', false],
])(
  'a task that a copy of the database landed %s does not land again, and its run says what to do',
  async (_, isThere) => {
    await using rig = await createRig();
    const git = (...args: string[]) => rig.repo.git(...args);
    const count = async () => Number(await git('rev-list', '--count', 'side'));
    await git('branch', 'side');
    const file = path.join(rig.stateDir, 'landing');
    const move = `[ ! -e a ] || git -C '${rig.repo.path}' update-ref refs/heads/side "$(cat '${file}')"`;
    const { run, tasks } = await rig.submit({
      ...{ name: 'copied', target: 'side', batch_size: 1, max_agents: 1 },
      stages: [{ name: 's', steps: ['a', 'b'].map((key) => stepOf(key, key === 'a' ? move : '')) }],
    });
    const [a, b] = tasks.map(({ id }) => id);
    // As another database with the same tasks lands it.
    const text = `a\n\nTask-Id: ${String(a)}\nAttempt: 1\nRun: ${run.slug}\n`;
    const landing = await git('commit-tree', '-p', 'side', '-m', text, 'side^{tree}');
    await writeFile(file, landing);
    if (isThere) await git('update-ref', 'refs/heads/side', landing);
    await rig.worker({ capacity: 1 });
    await rig.settled(run.id, ['paused']);
    const told = await until(
      async () => {
        const answer = await rig.store.tasks.explain(a ?? '');
        return answer.cause === 'target_moved' ? answer : undefined;
      },
      { what: 'the task waits for a person', timeoutMs: 30_000 },
    );
    expect(told.text).toContain(`The branch side holds ${landing}, which landed ${run.slug}/a`);
    expect(told.unblock).toContain(`baton cancel ${run.slug}/a && baton resume ${run.slug}`);
    expect(await count()).toBe(2);
    // What these commands do.
    const by = { actor: 'operator:test', reason: 'the newer one has it' };
    await rig.store.tasks.cancel(a ?? '', by);
    await rig.store.runs.resume(run.id, by);
    await until(async () => (await rig.store.tasks.get(b ?? ''))?.status === 'CLOSED' || undefined, {
      what: 'the other task lands',
      timeoutMs: 30_000,
    });
    expect(await count()).toBe(3);
  },
);
