import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { buildCandidate, moveTarget, targetHead } from '../src/index.ts';
import { at, takeLane } from './helpers/landing.ts';
import { sh, userAndClone, work } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

/** A bare remote behind a URL, and a lane and a candidate for its branch `work`. */
async function remoteScene() {
  const { folder, user, clone, base, stateDir } = await userAndClone({ 'a.txt': 'a\n' });
  const bare = join(folder, 'remote.git');
  await sh(folder, 'clone', '--quiet', '--bare', user, bare);
  await sh(bare, 'branch', 'work', base);
  const place = { git, repo: pathToFileURL(bare).href, clone, target: 'work' };
  const lane = await takeLane({ ...place, epoch: 1 });
  const [headCommit = ''] = await work(clone, base, { 'a.txt': 'b\n' });
  const made = await buildCandidate({
    ...{ git, clone, targetHead: base, startCommit: base, headCommit, at },
    ...{ message: 'task', trailers: {} },
  });
  if (made.kind !== 'clean') throw new Error(made.kind);
  const move = { ...place, stateDir, lane, from: base, to: made.commit, landingId: 'l1' };
  return { bare, place, base, move };
}

/** Has a remote run a program of its owner's; gives what takes it away. */
function hook(bare: string, name: string, lines: string): () => void {
  const file = join(bare, 'hooks', name);
  mkdirSync(join(bare, 'hooks'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  return () => rmSync(file);
}

async function setting(bare: string, key: string, value: string): Promise<() => Promise<unknown>> {
  await sh(bare, 'config', key, value);
  return () => sh(bare, 'config', '--unset', key);
}

async function checkedOut(bare: string): Promise<() => Promise<unknown>> {
  await sh(bare, 'symbolic-ref', 'HEAD', 'refs/heads/work');
  await sh(bare, 'config', 'core.bare', 'false');
  return () => sh(bare, 'symbolic-ref', 'HEAD', 'refs/heads/main');
}

const floods = 'head -c 3000000 /dev/zero | tr "\\0" x | fold -w 100 >&2';
const rules = 'push the target and `refs/baton/*` there';

test.each<[string, (bare: string) => unknown, said: string, way: string]>([
  [
    'protects the branch',
    (bare) => hook(bare, 'update', '[ "$1" != refs/heads/work ] || { echo "ask Ann" >&2; exit 1; }'),
    'ask Ann',
    rules,
  ],
  ['takes no push', (bare) => hook(bare, 'pre-receive', 'echo "ask Ann" >&2; exit 1'), 'ask Ann', rules],
  [
    'says megabytes, and what a terminal obeys, before it',
    (bare) => hook(bare, 'pre-receive', String.raw`${floods}; printf '\033]0;x\007ask Ann\r\n' >&2; exit 1`),
    '␛]0;x␇ask Ann\n',
    rules,
  ],
  ['takes nothing so large', (bare) => setting(bare, 'receive.maxInputSize', '10'), 'maximum allowed', rules],
  ['has the branch checked out', checkedOut, 'checked out', 'Check out another branch there'],
  [
    'moves no refs together',
    (bare) => setting(bare, 'receive.advertiseAtomic', 'false'),
    '--atomic',
    'push from there',
  ],
])(
  'a remote that %s refuses the landing with its words and the way out, and takes it afterwards',
  async (_, refuse, said, way) => {
    const { bare, place, base, move } = await remoteScene();
    const allow = (await refuse(bare)) as () => unknown;
    await expect(moveTarget(move)).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining(said) as string,
      fix: expect.stringContaining(way) as string,
    });
    expect(await targetHead(place)).toBe(base);
    await allow();
    expect((await moveTarget(move)).kind).toBe('moved');
    expect(await targetHead(place)).toBe(move.to);
  },
);
