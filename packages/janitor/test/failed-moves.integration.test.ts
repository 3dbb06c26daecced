import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffSnapshots } from '@baton/testkit';
import { mergeRun, restoreTarget, targetLoss } from '../src/index.ts';
import { candidateFor, land, scene, type Scene } from './helpers/landing.ts';
import { commit, sh, write } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const files = { 'a.txt': 'a\n', 'gone.txt': 'gone\n', '.gitattributes': '*.slow filter=bad\n' };
const change = { 'a.txt': 'b\n', 'gone.txt': null, 'new/n.txt': 'n\n', 'z.slow': 'z\n' };

/** A checkout in which git fails at the last file of a change, with a filter that is set up wrong. */
async function ready(): Promise<{ here: Scene; to: string }> {
  const here = await scene(files, { target: 'main' });
  const { commit: to } = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  await sh(here.user, 'branch', 'baton/run', to);
  for (const [key, value] of [
    ['required', 'true'],
    ['smudge', 'false'],
    ['clean', 'cat'],
  ] as const)
    await sh(here.user, 'config', `filter.bad.${key}`, value);
  return { here, to };
}

const acts: Record<string, (here: Scene, to: string) => Promise<unknown>> = {
  landing: (here, to) => land(here, { from: here.base, to, landingId: 'l1' }),
  'fast-forward': ({ user }) => mergeRun({ git, repo: user, target: 'baton/run', into: 'main' }),
  'merge commit': ({ user }) => mergeRun({ git, repo: user, target: 'baton/run', into: 'main' }),
  restore: async ({ user, clone }, to) => {
    const place = { git, repo: user, clone, target: 'main' };
    const loss = await targetLoss({ ...place, commits: [to] });
    if (loss !== null) await restoreTarget({ ...place, loss });
  },
};

test.each(Object.entries(acts))(
  'a %s that fails half-way takes back what it wrote, and is done when its cause is gone',
  async (name, act) => {
    const { here, to } = await ready();
    if (name === 'merge commit') await commit(here.user, { 'own.txt': 'own\n' });
    await write(here.user, { 'notes.txt': 'untracked\n' });
    const before = await here.repo.snapshot();
    for (const _ of ['once', 'again'])
      await expect(act(here, to)).rejects.toMatchObject({
        code: 'GIT_FAILED',
        message: expect.stringContaining('filter'),
      });
    const except = [/^ORIG_HEAD$/, /^file new$/];
    expect(diffSnapshots(before, await here.repo.snapshot(), { except })).toEqual([]);
    await sh(here.user, 'config', 'filter.bad.smudge', 'cat');
    await act(here, to);
    expect(await readFile(join(here.user, 'z.slow'), 'utf8')).toBe('z\n');
    expect(await sh(here.user, 'status', '--porcelain')).toBe('?? notes.txt');
  },
);
