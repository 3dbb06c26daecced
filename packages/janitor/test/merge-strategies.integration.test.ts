import { expect, test } from 'vitest';
import { mergeRun, restoreTarget, targetLoss } from '../src/index.ts';
import { candidateFor, land, scene } from './helpers/landing.ts';
import { commit, sh } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const files = { 'a.txt': 'a\n' };
/** Names a branch in git's settings: the part between the dots is any text. */
const target = 'odd=name.v1';
const settings: [key: string, value: string][] = [
  [`branch.${target}.mergeOptions`, '-s ours'],
  [`branch.${target}.mergeOptions`, '--strategy=ours --no-ff'],
  [`branch.${target}.mergeOptions`, '-X ours'],
  ['pull.twohead', 'ours'],
];

async function ready([key, value]: [string, string]) {
  const here = await scene(files, { target });
  await sh(here.user, 'checkout', '--quiet', target);
  await sh(here.user, 'config', key, value);
  const made = await candidateFor(here, { from: here.base, files: { 'a.txt': 'b\n' }, landingId: 'l1' });
  const content = () => sh(here.user, 'show', `refs/heads/${target}:a.txt`);
  return { here, to: made.commit, content };
}

test.each(settings)(
  'with %s=%s a landing moves a checked-out target to the very commit',
  async (...setting) => {
    const { here, to, content } = await ready(setting);
    expect(await land(here, { from: here.base, to, landingId: 'l1' })).toMatchObject({ kind: 'moved' });
    expect(await sh(here.user, 'rev-parse', 'HEAD', `refs/heads/${target}`)).toBe(`${to}\n${to}`);
    expect(await content()).toBe('b');
    await sh(here.user, 'reset', '--quiet', '--hard', here.base);
    const place = { git, repo: here.user, clone: here.clone, target };
    const loss = await targetLoss({ ...place, commits: [to] });
    if (loss === null) throw new Error('nothing was lost');
    await restoreTarget({ ...place, loss });
    expect(await sh(here.user, 'rev-parse', 'HEAD')).toBe(to);
  },
);

test.each(settings)(
  'with %s=%s a merge takes all of the work, by fast-forward or not',
  async (...setting) => {
    for (const kind of ['fast_forward', 'merged']) {
      const { here, to, content } = await ready(setting);
      await sh(here.user, 'branch', 'baton/run', to);
      if (kind === 'merged') await commit(here.user, { 'own.txt': 'own\n' });
      const merged = await mergeRun({ git, repo: here.user, target: 'baton/run', into: target });
      expect(merged).toMatchObject({ kind, commit: await sh(here.user, 'rev-parse', 'HEAD') });
      expect(await content()).toBe('b');
      expect(await sh(here.user, 'status', '--porcelain')).toBe('');
      if (kind !== 'merged') continue;
      expect(await sh(here.user, 'rev-parse', 'HEAD^2')).toBe(to);
      expect(await sh(here.user, 'log', '-1', '--format=%s')).toBe(`Merge branch 'baton/run' into ${target}`);
    }
  },
);
