import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { tempDir, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { sh, verifying } from './support/verifying.ts';

const files = { 'src/a.txt': 'a\n', 'src/b.txt': 'b\n', 'lib/deep/c.txt': 'c\n', 'run.sh': 'exit 0\n' };

/** A command that waits before and after it reads, and what somebody else does meanwhile in its first `times` runs. */
async function disturbed(swap: (tree: string) => () => void, times: number) {
  await using w = await verifying(files, { isolation: 'copy' });
  await using sync = await tempDir();
  const at = (name: string, run: number) => path.join(sync.path, `${name}-${run}`);
  const line = [
    `run=$(($(cat '${sync.path}/runs' 2>/dev/null || echo 0) + 1)); echo "$run" >'${sync.path}/runs'`,
    `: >'${sync.path}'/ready-$run; until [ -e '${sync.path}'/read-$run ]; do sleep 0.01; done`,
    'cat src/a.txt lib/deep/c.txt',
    `: >'${sync.path}'/done-$run; until [ -e '${sync.path}'/end-$run ]; do sleep 0.01; done`,
  ].join('\n');
  return await w.verifyPool.use({ head: w.head, onto: w.head }, async (place) => {
    let isOver = false;
    const running = sh(place, line).finally(() => (isOver = true));
    let runs = 0;
    for (; !isOver; runs += 1) {
      const next = runs + 1;
      await until(() => isOver || existsSync(at('ready', next)), { what: 'it runs, or is over' });
      if (isOver) break;
      const tree = path.join(w.dir, 'verify', 'slots', 'w1', 'tree');
      const putBack = next <= times ? swap(tree) : () => undefined;
      appendFileSync(at('read', next), '');
      await until(() => existsSync(at('done', next)), { what: 'it has read' });
      putBack();
      appendFileSync(at('end', next), '');
    }
    return { run: await running, runs, rewritten: [...(place.rewritten ?? [])] };
  });
}

const swaps: Record<string, (tree: string) => () => void> = {
  'written in place': (tree) => {
    const file = path.join(tree, 'src/a.txt');
    const before = readFileSync(file);
    writeFileSync(file, 'good\n');
    return () => writeFileSync(file, before);
  },
  'moved away and back': (tree) => {
    const file = path.join(tree, 'src/a.txt');
    renameSync(file, path.join(tree, '.aside'));
    writeFileSync(file, 'good\n');
    return () => renameSync(path.join(tree, '.aside'), file);
  },
  'moved away and back with its folder': (tree) => {
    renameSync(path.join(tree, 'src'), path.join(tree, 'aside'));
    mkdirSync(path.join(tree, 'src'));
    writeFileSync(path.join(tree, 'src/a.txt'), 'good\n');
    return () => {
      rmSync(path.join(tree, 'src'), { recursive: true });
      renameSync(path.join(tree, 'aside'), path.join(tree, 'src'));
    };
  },
};

test.each(Object.keys(swaps))(
  'in a copy, a command runs again when a tracked file was %s while it ran',
  async (how) => {
    const swap = swaps[how] ?? expect.unreachable();
    const { run, runs, rewritten } = await disturbed(swap, 1);
    expect(run).toMatchObject({ exitCode: 0, stdout: 'a\nc\n', changed: [] });
    expect([runs, rewritten]).toEqual([2, []]);
  },
);

test('a command that writes equal content itself is judged by its third run, and the files are named', async () => {
  await using w = await verifying(files, { isolation: 'copy' });
  await using count = await tempDir();
  await w.verifyPool.use({ head: w.head, onto: w.head }, async (place) => {
    const runs = path.join(count.path, 'runs');
    const run = await sh(place, `echo run >>'${runs}'; cp -p src/a.txt new; cat new >src/a.txt; rm new`);
    expect(run).toMatchObject({ exitCode: 0, changed: [], left: [] });
    expect(readFileSync(runs, 'utf8')).toBe('run\nrun\nrun\n');
    expect([...(place.rewritten ?? [])]).toEqual(['src/a.txt']);
  });
});

test('a command that changes content, writes beside tracked files, or only reads runs once', async () => {
  await using w = await verifying(files, { isolation: 'copy' });
  await using count = await tempDir();
  const runs = path.join(count.path, 'runs');
  await w.verifyPool.use({ head: w.head, onto: w.head }, async (place) => {
    const lines = [
      'cat src/a.txt',
      'echo x >src/new; rm src/new; mkdir -p lib/deep/out; touch lib/deep/out/x',
      'echo c >src/a.txt; touch src/b.txt',
    ];
    for (const line of lines)
      expect(await sh(place, `echo run >>'${runs}'; ${line}`)).toMatchObject({ exitCode: 0 });
    expect(readFileSync(runs, 'utf8')).toBe('run\nrun\nrun\n');
    expect([...(place.rewritten ?? [])]).toEqual([]);
  });
});

test('commands of two repositories that run at the same time do not end each other', async () => {
  await using one = await verifying(files, { isolation: 'copy' });
  await using other = await verifying(files, { isolation: 'copy' });
  await using sync = await tempDir();
  const [begun, over] = [path.join(sync.path, 'begun'), path.join(sync.path, 'over')];
  const line = `: >'${begun}'; until [ -e '${over}' ]; do sleep 0.01; done`;
  const wish = { head: one.head, onto: one.head };
  const waiting = one.verifyPool.use(wish, (place) => sh(place, line));
  await until(() => existsSync(begun), { what: 'the first command runs' });
  await other.verifyPool.use({ head: other.head, onto: other.head }, (place) => sh(place, 'true'));
  appendFileSync(over, '');
  expect(await waiting).toMatchObject({ exitCode: 0, signal: null });
});
