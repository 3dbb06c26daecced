import { expect, test } from 'vitest';
import { inParts } from '@baton/testkit';
import { buildCandidate, moveTarget } from '../src/index.ts';
import { at, candidateFor, land, scene, type Scene } from './helpers/landing.ts';
import { sh } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

interface Ids {
  base: string;
  landed: string;
  child: string;
  unrelated: string;
  sibling: string;
  tag: string;
  tree: string;
}

/** A target on which one commit landed, and the ids of what could be taken for the next. */
async function landedOnce(
  target: string,
): Promise<{ here: Scene; ids: Ids; go: (to: unknown) => Promise<unknown> }> {
  const here = await scene({ 'a.txt': 'a\n' }, { target });
  const { commit, tree } = await candidateFor(here, {
    from: here.base,
    files: { 'a.txt': 'b\n' },
    landingId: 'l1',
  });
  const first = await land(here, { from: here.base, to: commit, landingId: 'l1' });
  if (first.kind !== 'moved') throw new Error(first.kind);
  const made = (...parents: string[]) =>
    sh(here.user, 'commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', 'made by hand');
  const child = await made(commit);
  await sh(here.user, 'tag', '--annotate', 'v1', child, '-m', 'v1');
  const ids = {
    base: here.base,
    landed: commit,
    child,
    unrelated: await made(),
    sibling: await made(here.base),
    tag: await sh(here.user, 'rev-parse', 'v1'),
    tree,
  };
  const go = (to: unknown): Promise<unknown> =>
    land(here, { from: commit, to: to as string, landingId: 'l2', lane: first.lane });
  return { here, ids, go };
}

const odd: Record<string, (ids: Ids) => unknown> = {
  'an ancestor of the target': ({ base }) => base,
  'a commit beside it': ({ sibling }) => sibling,
  'another history': ({ unrelated }) => unrelated,
  'a tag': ({ tag }) => tag,
  'a tree': ({ tree }) => tree,
  'an abbreviated id': ({ child }) => child.slice(0, 8),
  'a commit that is not there': () => 'd'.repeat(40),
  'no id': () => '0'.repeat(40),
  'an empty text': () => '',
  'a revision': () => 'HEAD~1',
  'a branch': () => 'main',
  'an option': () => '--stdin',
  'two lines': ({ child, base }) => `${child}\ndelete refs/heads/main ${base}`,
  'nothing at all': () => undefined,
};

// The checkout is a way of its own to move a target.
for (const target of ['work', 'main'])
  for (const [picks, tagged] of inParts(target === 'work' ? 6 : 2, Object.entries(odd)))
    test.each(picks)(`${target} is never moved to %s`, tagged, async (_, pick) => {
      const { here, ids, go } = await landedOnce(target);
      const before = await sh(here.user, 'for-each-ref');
      await expect(go(pick(ids))).rejects.toMatchObject({
        code: expect.stringMatching(/^(INVALID_INPUT|GIT_FAILED)$/),
        fix: expect.stringMatching(/git rev-parse|buildCandidate|publishCandidate/),
      });
      expect(await sh(here.user, 'for-each-ref')).toBe(before);
      expect(await sh(here.user, 'status', '--porcelain')).toBe('');
      expect(await go(ids.child)).toMatchObject({ kind: 'moved' });
    });

test('a caller that knows that nothing is lost may follow a history that was rewritten', async () => {
  const { here, ids } = await landedOnce('work');
  const { user: repo, clone, stateDir, target } = here;
  const lane = { ...here.lane, value: await sh(repo, 'rev-parse', here.lane.ref) };
  const move = { git, repo, clone, stateDir, target, lane, from: ids.landed, to: ids.sibling };
  await expect(moveTarget({ ...move, landingId: 'l2' })).rejects.toMatchObject({ at: 'to' });
  expect(await moveTarget({ ...move, landingId: 'l2', mayRewrite: true })).toMatchObject({ kind: 'moved' });
  expect(await sh(repo, 'rev-parse', target)).toBe(ids.sibling);
});

test.each(['targetHead', 'startCommit', 'headCommit'])(
  'no candidate is built of a %s that is not the full id of a commit',
  async (name) => {
    const { here, ids } = await landedOnce('work');
    await sh(here.clone, 'fetch', '--quiet', here.user, 'refs/tags/v1:refs/tags/v1');
    const good = { targetHead: ids.base, startCommit: ids.base, headCommit: ids.landed };
    const build = (some: object) =>
      buildCandidate({ git, clone: here.clone, message: 'task', trailers: {}, at, ...good, ...some });
    const wrong = [
      'main',
      'HEAD',
      '',
      '--all',
      undefined,
      null,
      5,
      ids.landed.slice(0, 8),
      ids.tag,
      `${ids.base}..${ids.landed}`,
    ];
    for (const id of wrong)
      await expect(build({ [name]: id })).rejects.toMatchObject({ code: 'INVALID_INPUT', at: name });
    for (const id of [ids.tree, 'd'.repeat(40)])
      await expect(build({ [name]: id })).rejects.toMatchObject({ code: 'GIT_FAILED' });
    expect(await build({})).toMatchObject({ kind: 'clean' });
  },
);
