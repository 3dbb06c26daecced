import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

/** The store of a worker, in front of which a git of the user's takes the target's lock once an intent says which locks Baton takes. */
function lockedBetween(rig: Rig, { lock, isAway }: { lock: () => string; isAway: () => boolean }) {
  const seen = { intents: 0, abandoned: [] as string[] };
  const store: Rig['store'] = {
    ...rig.store,
    lanes: {
      ...rig.store.lanes,
      async writeIntents(intents) {
        const ids = await rig.store.lanes.writeIntents(intents);
        if ((seen.intents += 1) === 1) writeFileSync(lock(), '');
        return ids;
      },
      async abandon(id, reason) {
        if (isAway())
          throw new BatonError('DATABASE_UNREACHABLE', 'Postgres does not answer.', { fix: 'Start it.' });
        await rig.store.lanes.abandon(id, reason);
        seen.abandoned.push(reason);
      },
    },
  };
  return { store, seen };
}

const job = {
  name: 'refused',
  stages: [
    {
      name: 's',
      steps: [{ key: 'a', title: 'a', agent: scripted({ steps: [{ write: { 'a.txt': 'a\n' } }] }) }],
    },
  ],
};

it.each([
  ['at once', 0],
  ['when the database, which went away at that moment, is there again', 1],
])(
  "gives up a landing that git refused %s, leaves the user's lock alone, and lands later",
  async (_, times) => {
    await using rig = await createRig();
    let target = '';
    let away = 0;
    const { store, seen } = lockedBetween(rig, {
      lock: () => path.join(rig.repo.path, '.git/refs/heads', `${target}.lock`),
      isAway: () => (away += 1) <= times,
    });
    const { run } = await rig.submit(job);
    ({ target } = run);
    const lock = path.join(rig.repo.path, '.git/refs/heads', `${target}.lock`);
    await rig.worker({ store });
    await until(() => (seen.abandoned.length > 0 ? true : undefined), {
      what: 'the landing is given up',
      timeoutMs: 30_000,
    });
    expect(seen.abandoned[0]).toBe(
      times === 0 ? 'git refused to move the refs' : 'its holder ended before the refs moved',
    );
    expect(existsSync(lock)).toBe(true);
    rmSync(lock);
    await rig.settled(run.id);
    expect(await rig.repo.git('show', `${target}:a.txt`)).toBe('a');
    expect(await rig.store.tasks.landings({ runId: run.id })).toHaveLength(1);
  },
);

it(
  'removes the lock of a git that was killed in the middle of a checkout, and lands',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    const once = path.join(rig.stateDir, 'once');
    writeFileSync(once, '');
    await rig.repo.commit({ 'before.txt': 'a\n' }, 'the same content, which no filter can have made');
    writeFileSync(path.join(rig.repo.path, '.git/info/attributes'), 'a.txt filter=frail\n');
    const smudge = `if rm '${once}' 2>/dev/null; then kill -KILL $PPID; fi; cat`;
    await rig.repo.git('config', 'filter.frail.smudge', smudge);
    const { run } = await rig.submit({ ...job, target: await rig.repo.git('branch', '--show-current') });
    await rig.worker();
    await rig.settled(run.id);
    expect(existsSync(once), 'a git was killed').toBe(false);
    expect(existsSync(path.join(rig.repo.path, '.git/index.lock'))).toBe(false);
    expect(await rig.repo.git('status', '--porcelain')).toBe('');
    expect(await rig.repo.git('show', 'HEAD:a.txt')).toBe('a');
  },
);
