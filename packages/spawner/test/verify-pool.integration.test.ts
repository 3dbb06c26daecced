import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceSetup } from '@baton/contracts';
import { createRepo, until } from '@baton/testkit';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../src/index.ts';
import { env, node } from './support/real.ts';
import { show } from './support/workspaces.ts';
import { sh, verifying, ways } from './support/verifying.ts';

const files = {
  'src/a.txt': 'a\n',
  'src/b.txt': 'b\n',
  '.gitignore': 'node_modules\ncache\n',
  'run.sh': 'exit 0\n',
};
const install = node(
  'const fs=require("fs");fs.mkdirSync("node_modules/.bin",{recursive:true});fs.writeFileSync("node_modules/.bin/check","#!/bin/sh\\n! grep -rq BUG src\\n",{mode:0o755});fs.writeFileSync("node_modules/where",process.cwd())',
);

describe.each(ways)('a place to verify in, by %s', (isolation) => {
  it('shows each command the tree and nothing that another command wrote', async () => {
    await using w = await verifying(files, { isolation });
    const at = { head: w.head, onto: w.head };
    await w.verifyPool.use(at, async (place) => {
      const first = await sh(
        place,
        'cat src/a.txt; echo x >new; mkdir cache; echo y >cache/f; echo z >"${TMPDIR:?}/t"',
      );
      expect(first).toMatchObject({ exitCode: 0, stdout: 'a\n', changed: [], left: ['cache/', 'new'] });
      const second = await sh(place, 'ls -A | grep -v "^.git$"; ls -A "$TMPDIR"; echo "$CI"');
      expect(second).toMatchObject({ stdout: '.gitignore\nrun.sh\nsrc\n1\n', changed: [], left: [] });
    });
    await w.verifyPool.use(at, async (place) => {
      expect((await sh(place, 'ls')).stdout).toBe('run.sh\nsrc\n');
    });
  });

  it('keeps submodules that set-up initialised usable for git, at any depth', async () => {
    await using inner = await createRepo({ 'in.txt': 'inner\n' });
    await using outer = await createRepo({ 'out.txt': 'outer\n', '.gitattributes': '*.bat eol=crlf\n' });
    const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add'];
    await outer.git(...add, inner.path, 'deep/inner');
    await outer.git('commit', '-q', '-m', 'inner');
    const update = 'git -c protocol.file.allow=always submodule --quiet update --init --recursive';
    const setup = workspaceSetup.parse({ setup: ['sh', '-c', update] });
    await using w = await verifying(files, { setup, isolation });
    await w.repo.git(...add, outer.path, 'vend/outer');
    await w.repo.git('commit', '-q', '-m', 'outer');
    const head = await w.clone.fetchTarget('main');
    for (const round of [1, 2])
      await w.verifyPool.use({ head, onto: head }, async (place) => {
        const looked = await sh(
          place,
          'cat vend/outer/out.txt vend/outer/deep/inner/in.txt; git status --short; git -C vend/outer status --short; git -C vend/outer/deep/inner log --format=%s; git submodule status --recursive | cut -c1',
        );
        expect(looked, String(round)).toMatchObject({ exitCode: 0, changed: [], left: [] });
        expect(looked.stdout).toBe('outer\ninner\nfirst commit\n \n \n');
      });
  });

  it('names what a command changed, deleted or replaced of the tracked files, whatever it makes git believe', async () => {
    await using w = await verifying(files, { isolation });
    await w.verifyPool.use({ head: w.head, onto: w.head }, async (place) => {
      const cases = [
        ['echo c >src/a.txt', ['src/a.txt']],
        ['rm -r src', ['src/a.txt', 'src/b.txt']],
        ['mv src lib', ['src/a.txt', 'src/b.txt']],
        ['rm -r src; mkdir src; echo a >src/a.txt', ['src/b.txt']],
        ['rm -r src; ln -s /etc src', ['src/a.txt', 'src/b.txt']],
        ['chmod +x run.sh', ['run.sh']],
        ['rm run.sh; ln -s src/a.txt run.sh', ['run.sh']],
        ['git update-index --assume-unchanged src/a.txt; echo c >src/a.txt', ['src/a.txt']],
        ['echo c >src/a.txt; git -c user.name=x -c user.email=x commit -qam sneaky', ['src/a.txt']],
        ['rm -rf .git; git init -q; echo c >src/b.txt; git add .', ['src/b.txt']],
        ['echo "* -diff merge=x" >.gitattributes; echo c >src/b.txt', ['src/b.txt']],
        ['echo a >src/a.txt; touch src/b.txt; chmod 600 run.sh', []],
      ] as const;
      for (const [line, changed] of cases)
        expect([line, (await sh(place, line)).changed]).toEqual([line, changed]);
    });
  });

  it('keeps the changes of a command as a tree when asked', async () => {
    await using w = await verifying(files, { isolation });
    await w.verifyPool.use({ head: w.head, onto: w.head }, async (place) => {
      const run = await sh(place, 'echo c >src/a.txt; rm src/b.txt; echo x >new', { keepTree: true });
      expect(run.tree).toMatch(/^[0-9a-f]{40}$/);
      expect(await show(w.clone, run.tree ?? '', 'src/a.txt')).toBe('c\n');
      await expect(show(w.clone, run.tree ?? '', 'src/b.txt')).rejects.toThrow();
      await expect(show(w.clone, run.tree ?? '', 'new')).rejects.toThrow();
      expect((await sh(place, 'true', { keepTree: true })).tree).toBeNull();
    });
  });

  it('lays set-up in as it was made, whatever a command did to it', async () => {
    const setup = workspaceSetup.parse({ setup: install, copy: ['.env.test'], inputs: [] });
    await using w = await verifying(files, { isolation, setup });
    await w.repo.write({ '.env.test': 'A=1\n' });
    const at = { head: w.head, onto: w.head };
    const check = 'sh node_modules/.bin/check && cat .env.test && cat node_modules/where && echo && pwd';
    await w.verifyPool.use(at, async (place) => {
      const run = await sh(
        place,
        'echo "exit 0" >node_modules/.bin/check; echo B=1 >.env.test; git status --porcelain',
      );
      expect(run).toMatchObject({ exitCode: 0, changed: [], stdout: '' });
      const after = await sh(place, check);
      const [copied, where, here] = after.stdout.trim().split('\n');
      expect([after.exitCode, copied, where]).toEqual([0, 'A=1', here]);
      await sh(place, 'rm -r node_modules; ln -s /etc node_modules');
      expect((await sh(place, check)).exitCode).toBe(0);
    });
    const bad = await w.commit({ 'src/a.txt': 'BUG\n' });
    await w.verifyPool.use({ head: bad, onto: w.head }, async (place) => {
      expect((await sh(place, check)).exitCode).toBe(1);
      expect(await sh(place, 'true')).toMatchObject({ changed: [] });
    });
  });

  it('shows a tracked file in place of what set-up put there, for that commit alone', async () => {
    await using w = await verifying(files, {
      isolation,
      setup: workspaceSetup.parse({ setup: install, inputs: [] }),
    });
    const linter = { 'node_modules/.bin/check': 'exit 0\n', 'src/a.txt': 'BUG\n' };
    await w.repo.write(linter);
    await w.repo.git('add', '-f', 'node_modules/.bin/check', 'src/a.txt');
    await w.repo.git('commit', '-qm', 'own linter');
    const forced = await w.clone.fetchTarget('main');
    await w.verifyPool.use({ head: forced, onto: w.head }, async (place) => {
      expect(await sh(place, 'sh node_modules/.bin/check && cat node_modules/where')).toMatchObject({
        exitCode: 0,
        changed: [],
      });
    });
    await w.verifyPool.use({ head: w.head, onto: w.head }, async (place) => {
      expect((await sh(place, 'cat node_modules/.bin/check')).stdout).toContain('grep -rq BUG');
    });
  });

  it('makes set-up from the target where it serves both, so that code of a candidate never runs in it', async () => {
    const script = { 'setup.sh': 'mkdir -p out && echo "$1" honest >out/made\n' };
    const setup = workspaceSetup.parse({ setup: ['sh', 'setup.sh'], inputs: ['other'] });
    await using w = await verifying({ ...files, ...script }, { isolation, setup });
    const evil = await w.commit({ 'setup.sh': 'mkdir -p out && echo poison >out/made\n' });
    const made = (head: string, onto: string) =>
      w.verifyPool.use({ head, onto }, async (place) => (await sh(place, 'cat out/made')).stdout.trim());
    expect(await made(evil, w.head)).toBe('honest');
    const changed = await w.commit({ 'other/x': '1' });
    expect(await made(changed, w.head)).toBe('poison');
    await w.repo.git('reset', '-q', '--hard', w.head);
    const again = await w.commit({ 'other/x': '1' });
    expect(await made(again, w.head)).toBe('honest');
    expect(await made(w.head, w.head)).toBe('honest');
  });

  it('starts afresh when something was written from outside, and gives up with a reason', async () => {
    await using w = await verifying(files, {
      isolation,
      setup: workspaceSetup.parse({ setup: install, inputs: [] }),
    });
    const at = { head: w.head, onto: w.head };
    const found = (name: string): string[] =>
      readdirSync(w.dir, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith(name) && !file.includes('/run-'))
        .map((file) => path.join(w.dir, file));
    let asked = 0;
    const answer = await w.verifyPool.use(at, async (place) => {
      asked += 1;
      if (asked === 1)
        for (const file of found('.bin/check').filter((one) => one.includes('setups'))) {
          const before = readFileSync(file);
          writeFileSync(file, 'exit 0');
          writeFileSync(file, before); // put back: nothing but the time of change tells
        }
      return (await sh(place, 'sh node_modules/.bin/check')).exitCode;
    });
    expect([answer, asked]).toEqual([0, 2]);
    const always = w.verifyPool.use(at, async () => {
      for (const file of found('.bin/check').filter((one) => one.includes('setups')))
        writeFileSync(file, 'exit 0');
    });
    await expect(always).rejects.toMatchObject({
      code: 'TREE_DISTURBED',
      message: expect.stringContaining('.bin/check'),
    });
    expect(
      await w.verifyPool.use(at, async (place) => (await sh(place, 'cat node_modules/.bin/check')).stdout),
    ).toContain('BUG');
  });

  it('makes a set-up again whose maker died while it wrote down what it is', async () => {
    const setup = workspaceSetup.parse({ setup: ['sh', '-c', 'echo made >made.txt'] });
    await using w = await verifying(files, { isolation, setup });
    const judged = () =>
      w.verifyPool.use(
        { head: w.head, onto: w.head },
        async (place) => (await sh(place, 'cat made.txt')).stdout,
      );
    expect(await judged()).toBe('made\n');
    const ready = readdirSync(w.dir, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith('/ready'),
    );
    for (const half of ['', '["made.t']) {
      writeFileSync(path.join(w.dir, ready ?? ''), half);
      expect(await judged()).toBe('made\n');
    }
  });

  it('distinguishes a missing program, a failure and a time-out, and leaves nothing behind', async () => {
    await using w = await verifying(files, { isolation });
    await w.verifyPool.use({ head: w.head, onto: w.head }, async (place) => {
      const missing = await place.run(['no-such-tool'], { env, timeoutMs: 20_000 });
      expect(missing).toMatchObject({ exitCode: null, spawnError: 'ENOENT' });
      expect(await sh(place, 'exit 127')).toMatchObject({ exitCode: 127 });
      expect(await sh(place, 'sleep 60', { timeoutMs: 300 })).toMatchObject({ timedOut: true });
      const left = await sh(
        place,
        'mkdir locked; touch locked/f; chmod 000 locked; echo "$TMPDIR"; touch "$TMPDIR/f"',
      );
      expect(existsSync(left.stdout.trim())).toBe(false);
    });
    const slots = path.join(w.dir, 'verify', 'slots', 'w1');
    expect(readdirSync(slots).filter((name) => /^(run|scratch|uses)/.test(name))).toEqual([]);
  });

  it('lets two verifications run at once, each with its own tree', async () => {
    await using w = await verifying(files, { isolation });
    const other = await w.commit({ 'src/a.txt': 'other\n' });
    let bothAreHere = (): void => undefined;
    const together = new Promise<void>((resolve) => (bothAreHere = resolve));
    let here = 0;
    const read = (head: string) =>
      w.verifyPool.use({ head, onto: w.head }, async (place) => {
        if ((here += 1) === 2) bothAreHere();
        await together;
        return (await sh(place, 'cat src/a.txt')).stdout;
      });
    expect(await Promise.all([read(w.head), read(other)])).toEqual(['a\n', 'other\n']);
  });
});

describe('by overlay', () => {
  it('starts afresh when the tree was written from outside in between, even if it was put back', async () => {
    await using w = await verifying(files, { isolation: 'overlay' });
    let asked = 0;
    const seen = await w.verifyPool.use({ head: w.head, onto: w.head }, async (place) => {
      asked += 1;
      const file = path.join(w.dir, 'verify', 'slots', 'w1', 'lower', 'src', 'a.txt');
      if (asked === 1) writeFileSync(file, 'good\n');
      const { stdout } = await sh(place, 'cat src/a.txt');
      if (asked === 1) writeFileSync(file, 'a\n');
      return stdout;
    });
    expect([seen, asked]).toEqual(['a\n', 2]);
  });

  it('no process outside sees or reaches the tree of a command, and what it leaves running ends with it', async () => {
    await using w = await verifying(files, { isolation: 'overlay' });
    await w.verifyPool.use({ head: w.head, onto: w.head }, async (place) => {
      const seen = await sh(place, 'ls ..; ls ../slots');
      expect(seen.stdout).toBe('slots\ntree\n');
      expect(readdirSync(path.join(w.dir, 'verify', 'tree'))).toEqual([]);
      const marked = `sleep 6${process.pid}`;
      await sh(place, `env -i setsid ${marked} & :`);
      const running = (): string[] =>
        readdirSync('/proc').filter((pid) => {
          if (!/^\d+$/.test(pid) || !isAlive({ pid: Number(pid), pidStarted: null })) return false;
          const line = path.join('/proc', pid, 'cmdline');
          return existsSync(line) && readFileSync(line, 'utf8').startsWith(marked.replace(' ', '\0'));
        });
      await until(() => Promise.resolve(running().length === 0 ? true : undefined), { what: 'it has ended' });
    });
  });
});
