import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createRepo, tempDir, type TestRepo } from '@baton/testkit';
import { expect, test } from 'vitest';
import { missingObjects } from '../src/index.ts';
import { clone as cloneOf } from './support/places.ts';
import { git } from './support/real.ts';

/** Writes over the file of an object in the clone; the repository may share the former one, and keeps it. */
async function spoilObject({
  repo,
  bare,
  name,
  content,
}: Damage & { name: string; content: string }): Promise<void> {
  const id = await repo.git('rev-parse', name);
  const file = path.join(bare, 'objects', id.slice(0, 2), id.slice(2));
  rmSync(file, { force: true });
  writeFileSync(file, content);
}

interface Damage {
  repo: TestRepo;
  bare: string;
}

function spoilRefs({ bare }: Damage): void {
  const refs = readdirSync(path.join(bare, 'refs'), { recursive: true, withFileTypes: true });
  const files = refs.filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  for (const { parentPath, name } of files) writeFileSync(path.join(parentPath, name), '');
}

/** With work in it that the repository does not have. */
function spoilPacks({ bare }: Damage): void {
  const own = `git commit-tree -m own $(git mktree </dev/null)`;
  const made = `git update-ref refs/baton/attempts/t/1 $(${own}) && git repack -a -d --quiet`;
  const by = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  };
  execFileSync('sh', ['-c', made], { cwd: bare, env: { ...process.env, ...by }, stdio: 'ignore' });
  const folder = path.join(bare, 'objects/pack');
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.pack'))) {
    chmodSync(path.join(folder, name), 0o644);
    truncateSync(path.join(folder, name), 40);
  }
}

async function scene() {
  const stack = new AsyncDisposableStack();
  const repo = stack.use(await createRepo({ 'a.txt': 'a\n', 'deep/b.txt': 'b\n' }));
  const state = stack.use(await tempDir());
  const open = () => cloneOf(repo.path, state.path);
  const { path: bare, fetchTarget } = await open();
  await fetchTarget('main');
  const look = async (wanted = 'main') => {
    const clone = await open();
    const commit = await clone.fetchTarget(wanted);
    await clone.requireComplete(commit);
    return { commit, missing: await missingObjects({ git, repo: clone.path, commit }) };
  };
  return { repo, bare, open, look, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const emptied: readonly [string, (damage: Damage) => unknown][] = [
  ['the file of a blob', (damage) => spoilObject({ ...damage, name: 'HEAD:a.txt', content: '' })],
  ['the file of a folder', (damage) => spoilObject({ ...damage, name: 'HEAD:deep', content: '' })],
  ['the file of the commit', (damage) => spoilObject({ ...damage, name: 'HEAD', content: '' })],
  ['its refs', spoilRefs],
];

test.each(emptied)(
  'a clone in which a power cut emptied %s is mended from the repository',
  async (_, spoil) => {
    await using w = await scene();
    await spoil(w);
    expect(await w.look()).toEqual({ commit: await w.repo.git('rev-parse', 'HEAD'), missing: 0 });
  },
);

const damaged: readonly [string, (damage: Damage) => unknown][] = [
  ['the file of a blob', (damage) => spoilObject({ ...damage, name: 'HEAD:a.txt', content: 'garbage' })],
  ['the file of the commit', (damage) => spoilObject({ ...damage, name: 'HEAD', content: 'garbage' })],
  ['its packs', spoilPacks],
];

test.each(damaged)(
  'a clone with damage in %s is named, not the repository, with the command that makes place for another',
  async (_, spoil) => {
    await using w = await scene();
    await spoil(w);
    const head = await w.repo.git('rev-parse', 'HEAD');
    const refused: unknown = await w.look(head).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'REPO_INCOMPLETE', at: w.bare });
    const [, line = 'false'] = /`(mv [^`]+)`/.exec((refused as { fix: string }).fix) ?? [];
    execFileSync('sh', ['-c', line]);
    expect(await w.look(head)).toEqual({ commit: head, missing: 0 });
  },
);

test('a draft or lock of a git that is at work stays when a clone is mended', async () => {
  await using w = await scene();
  const id = await w.repo.git('rev-parse', 'HEAD:a.txt');
  const draft = path.join(w.bare, 'objects', id.slice(0, 2), 'tmp_obj_AbCdEf');
  const clone = await w.open();
  writeFileSync(draft, '');
  await spoilObject({ ...w, name: 'HEAD:a.txt', content: '' });
  await clone.requireComplete(await w.repo.git('rev-parse', 'HEAD'));
  expect(readdirSync(path.dirname(draft))).toContain('tmp_obj_AbCdEf');
});
