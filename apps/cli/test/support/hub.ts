import { existsSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { createExec } from '@baton/spawner/git';
import { systemClock } from '@baton/service/system';
import { tempDir, type TestRepo } from '@baton/testkit';

import { changeHub, readHub, type FakeRequest } from './fake-forge.ts';

/** Looks for a request, ten a second. */
const mostTries = 1_000;

const program = fileURLToPath(new URL('fake-forge.ts', import.meta.url));

/** A bare repository at a fake code host, and people who use it. */
export interface Hub extends AsyncDisposable {
  /** For the command: its programs come first in PATH. */
  env: Record<string, string>;
  /** Of the host's files. */
  folder: string;
  requests(): FakeRequest[];
  asked(): string[][];
  /** Waits for a request that is like this, and gives it. */
  sees(like: (request: FakeRequest) => boolean): Promise<FakeRequest>;
  /** Somebody merges one; `more` goes into the same commit. @returns the commit on the target */
  merge(number: number, how: 'merge' | 'squash' | 'rebase', more?: Record<string, string>): Promise<string>;
  /** Somebody closes one, with a word or without. */
  close(number: number, words?: string, association?: string): void;
  /** Somebody commits to a branch of the host. @returns the commit */
  commit(files: Record<string, string>, branch?: string): Promise<string>;
  /** Somebody deletes a file from the target. @returns the commit */
  remove(file: string): Promise<string>;
  /** Runs one of the host's programs as it is typed. */
  type(line: string): Promise<void>;
  git(...args: string[]): Promise<string>;
  /** A file of the host's folder that changes how its programs behave. */
  set(name: 'login' | 'away' | 'hang-before' | 'hang-after', isOn: boolean): Promise<void>;
  waitFor(name: string): Promise<void>;
}

/** Makes a host that a repository has as its `origin`, with its branch pushed. */
export async function createHub(
  repo: TestRepo,
  { at = 'hub' }: { at?: 'hub' | 'gitlab' } = {},
): Promise<Hub> {
  const temp = await tempDir();
  const folder = path.join(temp.path, at);
  const programs = path.join(temp.path, 'bin');
  const bare = path.join(folder, 'repo.git');
  const clone = path.join(temp.path, 'clone');
  const exec = createExec({ clock: systemClock });
  const run = async (cwd: string, ...args: string[]): Promise<string> => {
    const person = ['user.name=Ann', 'user.email=ann@example.invalid'].flatMap((line) => ['-c', line]);
    const env = { PATH: process.env['PATH'] ?? '', HOME: temp.path };
    const ended = await exec(['git', ...person, ...args], { cwd, env, timeoutMs: 60_000 });
    if (ended.exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${ended.stderr}`);
    return ended.stdout.trim();
  };
  await mkdir(folder, { recursive: true });
  await mkdir(programs);
  for (const name of ['gh', 'glab']) {
    const file = path.join(programs, name);
    await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' '${program}' ${name} "$@"\n`);
    await chmod(file, 0o755);
  }
  await run(temp.path, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  await repo.git('remote', 'add', 'origin', bare);
  await repo.git('push', '--quiet', 'origin', 'main');
  await run(temp.path, 'clone', '--quiet', bare, clone);
  const change = (number: number, patch: Partial<FakeRequest>): void =>
    changeHub(folder, ({ requests }) => {
      const request = requests.find((each) => each.number === number);
      Object.assign(request ?? {}, patch);
    });
  const commitHere = async (files: Record<string, string>, ...args: string[]): Promise<void> => {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(clone, name), text);
    await run(clone, 'add', '--all');
    await run(clone, 'commit', '--quiet', ...args);
  };
  const fresh = async (branch: string): Promise<void> => {
    await run(clone, 'fetch', '--quiet', '--prune', 'origin');
    await run(clone, 'checkout', '--quiet', '-B', branch, `origin/${branch}`);
  };
  const hub: Hub = {
    folder,
    env: {
      FAKE_HUB: folder,
      PATH: `${programs}:${process.env['PATH'] ?? ''}`,
      BATON_PULL_REQUEST_SECONDS: '1',
    },
    requests: () => readHub(folder).requests,
    asked: () => readHub(folder).asked,
    async sees(like) {
      for (let tries = 0; tries < mostTries; tries += 1) {
        const found = readHub(folder).requests.find(like);
        if (found !== undefined) return found;
        await delay(100);
      }
      throw new Error(`no such request: ${JSON.stringify(readHub(folder), null, 1)}`);
    },
    async merge(number, how, more = {}) {
      const request = readHub(folder).requests.find((each) => each.number === number);
      if (request === undefined) throw new Error(`there is no request ${number}`);
      const { base, head } = request;
      await fresh(base);
      if (how === 'merge') await run(clone, 'merge', '--quiet', '--no-ff', '--no-edit', `origin/${head}`);
      if (how === 'squash') {
        await run(clone, 'merge', '--quiet', '--squash', `origin/${head}`);
        await commitHere({}, '-m', `${request.title} (#${number})`);
      }
      if (how === 'rebase') await run(clone, 'cherry-pick', `${base}..origin/${head}`);
      if (Object.keys(more).length > 0) await commitHere(more, '--amend', '--no-edit');
      await run(clone, 'push', '--quiet', 'origin', base);
      const mergeCommit = await run(clone, 'rev-parse', 'HEAD');
      change(number, { state: 'MERGED', mergeCommit });
      return mergeCommit;
    },
    close(number, words, association = 'MEMBER') {
      const said = words === undefined ? [] : [{ by: 'ann', text: words, association }];
      change(number, { state: 'CLOSED', words: said });
    },
    async commit(files, branch = 'main') {
      await fresh(branch);
      await commitHere(files, '-m', 'work of a person');
      await run(clone, 'push', '--quiet', 'origin', branch);
      return run(clone, 'rev-parse', 'HEAD');
    },
    async remove(file) {
      await fresh('main');
      await rm(path.join(clone, file));
      await commitHere({}, '-m', `remove ${file}`);
      await run(clone, 'push', '--quiet', 'origin', 'main');
      return run(clone, 'rev-parse', 'HEAD');
    },
    async type(line) {
      const ended = await exec(['sh', '-c', line], { cwd: clone, env: hub.env, timeoutMs: 60_000 });
      if (ended.exitCode !== 0) throw new Error(`${line}: ${ended.stderr}`);
    },
    git: (...args) => run(bare, ...args),
    async set(name, isOn) {
      if (isOn) await writeFile(path.join(folder, name), '');
      else await rm(path.join(folder, name), { force: true });
    },
    async waitFor(name) {
      while (!existsSync(path.join(folder, name))) await delay(50);
    },
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
  await hub.set('login', true);
  return hub;
}
