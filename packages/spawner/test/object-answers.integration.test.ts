import { seededRandom, testRounds } from '@baton/testkit';
import { expect, test } from 'vitest';
import { blobsOf, commitOf, fixed, ownClone, put, randomTree, treeOf } from './support/own-clone.ts';

test.each(['sha1', 'sha256'] as const)(
  'trees of any form are compared and listed as git does, without a process (%s)',
  async (format) => {
    await using here = await ownClone(format);
    const random = seededRandom(7);
    const blobs = await blobsOf(here);
    let last = await treeOf(here, new Map());
    const rounds = testRounds({ short: 5, full: 25 });
    for (let round = 0; round < rounds; round += 1) {
      const tree = await treeOf(here, randomTree(random, { blobs, count: Math.floor(random() * 14) }));
      const commit = await here.run(['commit-tree', tree, '-m', 'x'], { env: fixed });
      for (const [from, to] of [
        [last, tree],
        [tree, last],
        [last, commit],
      ] as const) {
        await here.same(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to]);
        await here.same(['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff', from, to]);
      }
      await here.same(['ls-tree', '-r', '-z', '--full-tree', commit]);
      await here.same(['-c', 'core.quotePath=true', 'ls-tree', '-r', '--full-tree', commit]);
      await here.same(['-c', 'core.quotePath=true', 'ls-tree', '-r', '-d', '--full-tree', commit]);
      last = tree;
    }
    expect(here.processes).toEqual([]);
  },
  60_000,
);

test.each(['sha1', 'sha256'] as const)(
  'two children of a commit are merged to the tree that git makes of them (%s)',
  async (format) => {
    await using here = await ownClone(format);
    const random = seededRandom(11);
    const blobs = await blobsOf(here);
    const rounds = testRounds({ short: 10, full: 40 });
    for (let round = 0; round < rounds; round += 1) {
      const base = randomTree(random, { blobs, count: 10 });
      const root = await commitOf(here, base, []);
      const sides = [0, 1].map(() => sideOf(random, { base, blobs, isTame: round % 2 === 0 }));
      const [ours = '', theirs = ''] = [
        await commitOf(here, sides[0] ?? base, [root]),
        await commitOf(here, sides[1] ?? base, [root]),
      ];
      await here.same(['merge-tree', '--write-tree', '-z', '--name-only', '--messages', ours, theirs]);
    }
    // What may conflict is git's; enough is not.
    expect(here.processes.length).toBeGreaterThan(rounds / 8);
    expect(here.processes.length).toBeLessThan((rounds * 4) / 5);
    expect(await here.run(['fsck', '--strict', '--no-dangling'])).not.toContain('error');
  },
  120_000,
);

/** What somebody made of a tree; a tame one only adds and changes. */
function sideOf(
  random: () => number,
  { base, blobs, isTame }: { base: ReadonlyMap<string, string>; blobs: readonly string[]; isTame: boolean },
): Map<string, string> {
  const files = new Map(base);
  for (const [file, entry] of randomTree(random, { blobs, count: 3 })) put(files, file, entry);
  const some = [...base.keys()].filter(() => random() < 0.15);
  for (const file of some) {
    if (!isTame && random() < 0.5) files.delete(file);
    else
      files.set(file, `${(files.get(file) ?? '').slice(0, 6)} ${blobs[Math.floor(random() * blobs.length)]}`);
  }
  return files;
}

test('contents of small objects are printed as git prints them, larger ones by git', async () => {
  await using here = await ownClone();
  const blobs = await blobsOf(here);
  const odd = await here.run(['hash-object', '-w', '--stdin'], { stdin: 'é\u0000 missing\n\n' });
  const large = await here.run(['hash-object', '-w', '--stdin'], { stdin: 'x'.repeat(5_000_000) });
  const ask = (...ids: string[]) =>
    here.same(['cat-file', '--batch'], { stdin: ids.map((id) => `${id}\n`).join('') });
  await ask(...blobs, odd, here.head);
  expect(here.processes).toEqual([]);
  await ask(odd, large);
  await ask(odd, '3'.repeat(40));
  await ask('HEAD');
  expect(here.processes).toHaveLength(3);
});

test('objects that are gone, packed or come later are seen as git sees them', async () => {
  await using here = await ownClone();
  const head = here.head;
  const diff = (to: string) =>
    here.same(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', head, to]);
  const tree = await treeOf(here, new Map([['n/x', `100644 ${(await blobsOf(here))[0]}`]]));
  await diff(tree);
  await here.run(['repack', '-a', '-d', '--quiet']);
  await diff(head);
  await diff(tree);
  await here.run(['prune', '--expire=now']);
  const gone = await diff(tree);
  expect(gone.exitCode).toBe(128);
  await diff('2'.repeat(40));
});

test('a folder that one side moved takes along what the other side adds to it', async () => {
  await using here = await ownClone();
  const [blob = '', second = ''] = await blobsOf(here);
  const inFolder = (folder: string) =>
    ['a', 'b', 'c'].map((name) => [`${folder}/${name}`, `100644 ${blob}`] as const);
  const root = await commitOf(here, new Map(inFolder('old')), []);
  const ours = await commitOf(here, new Map(inFolder('new')), [root]);
  const theirs = await commitOf(here, new Map([...inFolder('old'), ['old/d', `100644 ${second}`]]), [root]);
  for (const sides of [
    [ours, theirs],
    [theirs, ours],
  ])
    await here.same(['merge-tree', '--write-tree', '-z', '--name-only', '--messages', ...sides]);
});

test('an ancestor in the line of what is stacked is found without a process, and a no is left to git', async () => {
  await using here = await ownClone('sha1');
  const tree = await treeOf(here, new Map());
  const commit = (text: string, parents: string[]) =>
    here.run(['commit-tree', tree, '-m', text, ...parents.flatMap((parent) => ['-p', parent])], {
      env: fixed,
    });
  const side = await commit('side', []);
  const line = [await commit('0', [])];
  for (let at = 1; at < 70; at += 1)
    line.push(await commit(`${at}`, [line[at - 1] ?? '', ...(at === 60 ? [side] : [])]));
  const [first = '', tip = '', near = ''] = [line[0], line.at(-1), line[10]];
  const asked = (ancestor: string, of: string) => here.same(['merge-base', '--is-ancestor', ancestor, of]);
  for (const [ancestor, of] of [
    [tip, tip],
    [near, tip],
    [side, tip],
    [first, line[60] ?? ''],
  ] as const)
    await asked(ancestor, of);
  expect(here.processes).toEqual([]);
  for (const [ancestor, of] of [
    [first, tip],
    [tip, near],
    [side, near],
    ['0'.repeat(40), tip],
  ] as const)
    await asked(ancestor, of);
  expect(here.processes).toHaveLength(4);
});
