import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { seededRandom, testRounds } from '@baton/testkit';
import { expect, test } from 'vitest';
import { blobsOf, commitOf, ownClone, randomTree } from './support/own-clone.ts';
import { git as plain } from './support/real.ts';

type Here = Awaited<ReturnType<typeof ownClone>>;

const ref = 'refs/baton/landing/one';

/** As a landing brings its candidate into the target's repository. */
async function bring(here: Here, commit: string): Promise<string[]> {
  here.processes.length = 0;
  const flags = ['--quiet', '--no-write-fetch-head', '--no-tags', '--no-show-forced-updates'];
  const args = ['-c', 'protocol.version=2', 'fetch', ...flags, here.clone.path, `+${commit}:${ref}`];
  const env = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'protocol.file.allow',
    GIT_CONFIG_VALUE_0: 'always',
  };
  const brought = await here.reading.git(args, { cwd: here.user, env });
  expect(brought.exitCode, brought.stderr).toBe(0);
  expect(await inUser(here, ['rev-parse', ref])).toBe(commit);
  expect(await inUser(here, ['fsck', '--full', '--strict', '--no-dangling', '--no-progress'])).toBe('');
  expect(await inUser(here, ['log', '--format=%H %T', commit])).toBe(
    await here.run(['log', '--format=%H %T', commit]),
  );
  return here.processes.map(([first = '', , third = '']) => (first === '-c' ? third : first));
}

async function inUser({ user }: Here, args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await plain(args, { cwd: user });
  expect(exitCode, `${args.join(' ')}: ${stderr}`).toBe(0);
  return stdout.trimEnd();
}

/** Lets the user's branch name what was brought, as a landing does. */
const land = (here: Here) => inUser(here, ['update-ref', 'refs/heads/main', ref]);

test.each(['sha1', 'sha256'] as const)(
  'commits of any form come into the repository of their target without a fetch, and all that they need (%s)',
  async (format) => {
    await using here = await ownClone(format);
    const random = seededRandom(5);
    const blobs = await blobsOf(here);
    let { head } = here;
    let older = head;
    const made = () => randomTree(random, { blobs, count: 1 + Math.floor(random() * 14) });
    const rounds = testRounds({ short: 4, full: 14 });
    for (let round = 0; round < rounds; round += 1) {
      const own = await commitOf(here, made(), [head]);
      const next = await commitOf(here, made(), [own]);
      // A merge of work that began before its target moved on leads to a commit that no ref names.
      const last = round % 2 === 0 ? next : await commitOf(here, made(), [head, older, next]);
      older = head;
      expect(await bring(here, last)).toEqual(['rev-list']);
      // Once more, as after a crash: there is nothing to bring.
      expect(await bring(here, last)).toEqual(['rev-list']);
      await land(here);
      head = last;
    }
  },
  120_000,
);

test('a commit that was collected in part is brought by git, which looks at all of it', async () => {
  await using here = await ownClone();
  const blobs = await blobsOf(here);
  const random = seededRandom(9);
  const lost = await commitOf(here, randomTree(random, { blobs, count: 12 }), [here.head]);
  await bring(here, lost);
  await inUser(here, ['update-ref', '-d', ref]);
  const tree = await inUser(here, ['rev-parse', `${lost}^{tree}`]);
  rmSync(path.join(here.user, '.git/objects', tree.slice(0, 2), tree.slice(2)));
  expect(await bring(here, lost)).toEqual(['rev-list', 'fetch']);
});

test('what leads to the branch that was moved last needs no look at all refs, as long as it does', async () => {
  await using here = await ownClone();
  const blobs = await blobsOf(here);
  const random = seededRandom(4);
  const next = (onto: string) => commitOf(here, randomTree(random, { blobs, count: 5 }), [onto]);
  const first = await next(here.head);
  expect(await bring(here, first)).toEqual(['rev-list']);
  const stdin = `start\nupdate refs/heads/main ${first} ${here.head}\nprepare\ncommit\n`;
  expect((await here.reading.git(['update-ref', '--stdin'], { cwd: here.user, stdin })).exitCode).toBe(0);
  const second = await next(first);
  expect(await bring(here, second)).toEqual([]);
  await inUser(here, ['update-ref', 'refs/heads/main', here.head]);
  expect(await bring(here, await next(second)), 'somebody moved it').toEqual(['rev-list']);
});

test('what is large is brought by git', async () => {
  await using here = await ownClone();
  const big = await here.run(['hash-object', '-w', '--stdin'], { stdin: 'x'.repeat(5 * 1024 * 1024) });
  const large = await commitOf(here, new Map([['big', `100644 ${big}`]]), [here.head]);
  expect(await bring(here, large)).toEqual(['rev-list', 'fetch']);
});

test('objects are stored with the rights that the repository wants', async () => {
  await using here = await ownClone();
  await inUser(here, ['config', 'core.sharedRepository', 'group']);
  const blobs = await blobsOf(here);
  const random = seededRandom(3);
  const commit = await commitOf(here, randomTree(random, { blobs, count: 6 }), [here.head]);
  expect(await bring(here, commit)).toEqual(['rev-list']);
  const folder = path.join(here.user, '.git/objects', commit.slice(0, 2));
  expect(readdirSync(folder)).toContain(commit.slice(2));
  expect(statSync(path.join(folder, commit.slice(2))).mode & 0o777).toBe(0o440 | 0o004);
});
