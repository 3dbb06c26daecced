import { existsSync } from 'node:fs';
import { chmod, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { until } from '@baton/testkit';
import { describe, expect, it } from 'vitest';
import { makeCheckout } from './support/checkout.ts';

const built = ['install', 'build'];
const patient = { timeoutMs: 60_000 };

describe('npm start', { timeout: 180_000 }, () => {
  it('installs and builds what changed, and nothing else', async () => {
    await using checkout = await makeCheckout();
    const start = () => checkout.run(['start', 'say', 'a b']);
    const first = await start();
    expect(first, first.stderr).toMatchObject({ exitCode: 0, stdout: 'one: say,a b\n' });
    expect(await checkout.calls()).toEqual(built);

    expect(await start()).toMatchObject({ exitCode: 0, stdout: 'one: say,a b\n', stderr: '' });
    await checkout.write({ 'packages/a/README.md': 'x', 'packages/a/test/a.test.ts': 'x', 'docs/b': 'x' });
    const source = path.join(checkout.root, 'packages/a/src/index.ts');
    await utimes(source, new Date(), new Date());
    expect(await start()).toMatchObject({ stderr: '' });
    expect(await checkout.calls()).toEqual([]);

    await checkout.write({ 'packages/a/src/index.ts': 'two' });
    expect(await start()).toMatchObject({ stdout: 'two: say,a b\n' });
    expect(await checkout.calls()).toEqual(built);
    await checkout.git('add', '.');
    await checkout.git('commit', '--quiet', '-m', 'two');
    expect(await start()).toMatchObject({ stderr: '' });
    expect(await checkout.calls()).toEqual([]);
  });

  it('builds again when a source, what was built or what is installed is another', async () => {
    await using checkout = await makeCheckout();
    await checkout.run(['start']);
    await checkout.calls();
    const situations = {
      'a source is new': { 'packages/a/src/new.ts': 'new' },
      'a source is gone': { 'packages/a/src/second.ts': null },
      'the lock file is another': { 'pnpm-lock.yaml': 'lockfileVersion: 9\n# other\n' },
      'a built file is gone': { 'packages/a/dist/index.js': null },
      'a built file is another': { 'packages/a/dist/index.js': 'by somebody else' },
      'something else is installed': { 'node_modules/.pnpm/lock.yaml': 'other' },
      'dependencies of a package are gone': { 'packages/a/node_modules': null },
    };
    for (const [situation, changes] of Object.entries(situations)) {
      await checkout.write(changes);
      expect(await checkout.run(['start']), situation).toMatchObject({ exitCode: 0 });
      expect(await checkout.calls(), situation).toEqual(built);
    }
  });

  it('builds again after a build that failed, was killed, or saw its sources change', async () => {
    await using checkout = await makeCheckout();
    await checkout.write({ fail: 'yes' });
    expect(await checkout.run(['start'])).toMatchObject({ exitCode: 3, stdout: '' });
    await checkout.write({ fail: null, hold: 'yes' });
    const killed = checkout.begin(['start']);
    await until(() => existsSync(path.join(checkout.root, 'holding')), {
      what: 'the build has begun',
      ...patient,
    });
    killed.kill('SIGKILL');
    await checkout.write({ hold: null });
    await until(() => !existsSync(path.join(checkout.root, 'holding')), {
      what: 'the build has ended',
      ...patient,
    });
    await checkout.calls();

    await checkout.write({ edit: 'yes' });
    expect(await checkout.run(['start'])).toMatchObject({ exitCode: 0 });
    await checkout.write({ edit: null });
    expect(await checkout.run(['start'])).toMatchObject({ exitCode: 0, stdout: 'edited: demo\n' });
    expect(await checkout.calls()).toEqual([...built, ...built]);
  });

  it('waits for the build of another process in place of building beside it', async () => {
    await using checkout = await makeCheckout();
    await checkout.write({ hold: 'yes' });
    const first = checkout.run(['start', '1']);
    await until(() => existsSync(path.join(checkout.root, 'holding')), {
      what: 'the build has begun',
      ...patient,
    });
    let told = '';
    const second = checkout.run(['start', '2'], { onStderr: (text) => (told += text) });
    await until(() => told.includes('waiting for it'), {
      what: 'the second one says that it waits',
      ...patient,
    });
    await checkout.write({ hold: null });
    expect(await first).toMatchObject({ exitCode: 0, stdout: 'one: 1\n' });
    expect(await second).toMatchObject({ exitCode: 0, stdout: 'one: 2\n' });
    expect(told).toMatch(/^Process \d+ builds Baton in .*; waiting for it\.\n$/);
    expect(await checkout.calls()).toEqual(built);
  });

  it('looks at its own repository when a hook of another one calls it', async () => {
    await using checkout = await makeCheckout();
    await checkout.run(['start']);
    const env = { GIT_DIR: path.join(checkout.folder, 'nowhere'), GIT_INDEX_FILE: 'none' };
    expect(await checkout.run(['start'], { env })).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('builds each time in a download without a repository; the linked command does so once', async () => {
    await using checkout = await makeCheckout();
    await rm(path.join(checkout.root, '.git'), { recursive: true });
    await checkout.run(['start']);
    await checkout.run(['start']);
    expect(await checkout.calls()).toEqual([...built, ...built]);
    expect(await checkout.run(['baton', 'x'])).toMatchObject({ stdout: 'one: x\n', stderr: '' });
    expect(await checkout.calls()).toEqual([]);
  });
});

describe('what is typed for the command', { timeout: 180_000 }, () => {
  it('works where `npm start` was typed, until the command itself does', async () => {
    await using checkout = await makeCheckout();
    const { root, folder, shim } = checkout;
    const typedFrom = async (cwd: string, env = {}): Promise<string> => {
      const told = await checkout.run(['start', 'typed'], { cwd, env: { INIT_CWD: cwd, ...env } });
      expect(told, told.stderr).toMatchObject({ exitCode: 0 });
      return /typed as (.*)/.exec(told.stdout)?.[1] ?? '';
    };
    expect(await typedFrom(root)).toBe('npm start --silent --');
    for (const cwd of [root, folder]) {
      const line = `${await typedFrom(cwd)} 'a  b' --json`;
      expect(await checkout.sh(line, cwd), line).toMatchObject({ exitCode: 0, stdout: 'one: a  b,--json\n' });
    }
    await checkout.run(['link']);
    expect(await typedFrom(root)).not.toBe('');
    expect(await typedFrom(root, { PATH: `${path.dirname(shim)}:${process.env.PATH}` })).toBe('');
  });
});

describe('npm run link', { timeout: 180_000 }, () => {
  it('puts a command into the folder of the user, which runs from any folder and builds what changed', async () => {
    await using checkout = await makeCheckout();
    const linked = await checkout.run(['link']);
    expect(linked, linked.stderr).toMatchObject({ exitCode: 0 });
    expect(linked.stdout).toBe(
      `Linked ${checkout.shim} to ${checkout.root}.
Put its folder first in your PATH, then open a new terminal:
  echo 'export PATH="$HOME/.local/bin:$PATH"' >> ~/.zshrc
`,
    );
    await checkout.calls();
    const elsewhere = await checkout.baton(['a  b', '$x', '--json']);
    expect(elsewhere).toMatchObject({ exitCode: 0, stderr: '', stdout: 'one: a  b,$x,--json\n' });
    await checkout.write({ 'packages/a/src/index.ts': 'two' });
    const changed = await checkout.baton(['where']);
    expect(changed.stdout).toBe(`two: where\nin ${checkout.folder}\n`);
    expect(changed.stderr).toContain('The sources of Baton changed');
    expect(await checkout.calls()).toEqual(built);

    const again = await checkout.run(['link'], {
      env: { PATH: `${path.dirname(checkout.shim)}:${process.env.PATH}` },
    });
    expect(again.stdout).toContain('Try it in a repository of yours: baton doctor');
    expect(await checkout.run(['unlink'])).toMatchObject({
      exitCode: 0,
      stdout: `Removed ${checkout.shim}.\n`,
    });
    expect(existsSync(checkout.shim)).toBe(false);
    expect(await checkout.run(['unlink'])).toMatchObject({ exitCode: 0 });
  });

  it('overwrites and removes nothing that it did not make', async () => {
    await using checkout = await makeCheckout();
    await checkout.run(['link']);
    await rm(checkout.shim);
    await writeFile(checkout.shim, '#!/bin/sh\necho mine\n');
    await chmod(checkout.shim, 0o755);
    for (const task of ['link', 'unlink']) {
      const refused = await checkout.run([task]);
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
      expect(refused.stderr).toContain(`${checkout.shim} is not from "npm run link".`);
    }
    expect(await readFile(checkout.shim, 'utf8')).toBe('#!/bin/sh\necho mine\n');
    await rm(checkout.shim);
    await checkout.run(['link']);
    const own = (await readFile(checkout.shim, 'utf8')).replace('exec ', 'export DATABASE_URL=mine\nexec ');
    await writeFile(checkout.shim, own);
    for (const task of ['link', 'unlink']) {
      const kept = await checkout.run([task]);
      expect(kept).toMatchObject({ exitCode: 1, stdout: '' });
      expect(kept.stderr).toContain(`${checkout.shim} was changed after "npm run link" made it.`);
    }
    expect(await readFile(checkout.shim, 'utf8')).toBe(own);
    await rm(checkout.shim);
    await symlink('nowhere', checkout.shim);
    expect(await checkout.run(['link'])).toMatchObject({ exitCode: 1 });
  });

  it('takes over the command from another checkout when linked, and leaves it when unlinked', async () => {
    await using first = await makeCheckout();
    await using second = await makeCheckout({ home: first.home });
    await first.run(['link']);
    const left = await second.run(['unlink']);
    expect(left).toMatchObject({ exitCode: 1 });
    expect(left.stderr).toBe(`${first.shim} belongs to ${first.root}: run "npm run unlink" there.\n`);
    expect((await second.run(['link'])).stdout).toContain(`in place of that of ${first.root}.`);
    await rm(second.root, { recursive: true });
    const gone = await second.baton(['x']);
    expect(gone.exitCode).toBe(127);
    expect(gone.stderr).toContain(`the checkout ${second.root} is gone`);
  });

  it('says when another command of the name comes first', async () => {
    await using checkout = await makeCheckout();
    const other = path.join(checkout.folder, 'other');
    await checkout.write({ '../other/baton': { exec: '#!/bin/sh\n' } });
    const linked = await checkout.run(['link'], { env: { PATH: `${other}:${process.env.PATH}` } });
    expect(linked.stdout).toContain(`Note: your PATH finds ${other}/baton first.`);
  });
});
