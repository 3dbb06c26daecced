import { expect, test } from 'vitest';
import { diffRun, isLanded, mergeRun, prepareTarget, targetHead, targetLoss } from '../src/index.ts';
import { candidateFor, land, scene } from './helpers/landing.ts';
import { sh } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

/** Where git looks for a name that is no ref, with what people make there by mistake. */
const places = ['refs/heads/refs/heads/work', 'refs/tags/refs/heads/work', 'refs/remotes/refs/heads/work'];

async function landed() {
  const here = await scene({ 'a.txt': 'a\n' });
  const { user: repo, clone, base } = here;
  const made = await candidateFor(here, { from: base, files: { 'a.txt': 'b\n' }, landingId: 'l1' });
  const moved = await land(here, { from: base, to: made.commit, landingId: 'l1' });
  if (moved.kind !== 'moved') throw new Error(`the landing is ${moved.kind}`);
  return { here, lane: moved.lane, repo, base, to: made.commit, place: { git, repo, clone, target: 'work' } };
}

test.each(places)(
  'a target that was deleted is gone although git would find %s under its name, and nothing counts as landed there',
  async (ref) => {
    const { repo, base, to, place, here, lane } = await landed();
    await sh(repo, 'update-ref', ref, to);
    await sh(repo, 'branch', '-D', 'work');
    expect(await targetHead(place)).toBeNull();
    expect(await isLanded({ ...place, commit: to })).toBe(false);
    const loss = await targetLoss({ ...place, commits: [to] });
    expect(loss).toMatchObject({ kind: 'deleted', missing: [to] });
    const missing = { code: 'REF_INVALID' };
    await expect(prepareTarget({ ...place, startPoint: base })).rejects.toMatchObject(missing);
    await expect(mergeRun({ git, repo, target: 'work', into: 'main' })).rejects.toMatchObject(missing);
    await expect(diffRun({ git, repo, target: 'work', base })).rejects.toMatchObject(missing);
    const again = await candidateFor(here, { from: to, files: { 'a.txt': 'c\n' }, landingId: 'l2' });
    const next = { from: to, to: again.commit, landingId: 'l2', lane };
    expect((await land(here, next)).kind).toBe('lost_race');
    await sh(repo, ...(loss?.restore ?? '').split(' ').slice(1));
    expect(await targetHead(place)).toBe(to);
  },
);

test('a target that is packed, or is a symbolic name, is found beside what is called like its ref', async () => {
  const { repo, base, to, place } = await landed();
  for (const ref of places) await sh(repo, 'update-ref', ref, base);
  await sh(repo, 'pack-refs', '--all');
  expect(await targetHead(place)).toBe(to);
  await sh(repo, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/work');
  expect(await targetHead({ ...place, target: 'alias' })).toBe(to);
  await sh(repo, 'symbolic-ref', 'refs/heads/lost', 'refs/heads/nothing');
  await sh(repo, 'update-ref', 'refs/tags/refs/heads/lost', base);
  expect(await targetHead({ ...place, target: 'lost' })).toBeNull();
});
