import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { describe, expect, it } from 'vitest';
import { countedGit } from '../src/campaigns/whole-bench/counted-git.ts';
import { cpuBelow, processTree } from '../src/campaigns/whole-bench/process-tree.ts';
import {
  cpuOfChildren,
  readProcesses,
  residentBytes,
  type Process,
} from '../src/campaigns/whole-bench/processes.ts';

describe('the CPU time of a command', () => {
  const root = { pid: 10, parent: 1, started: 5, cpuMs: 100, childrenMs: 0 };
  const child = { pid: 11, parent: 10, started: 6, cpuMs: 30, childrenMs: 0 };
  const grandchild = { pid: 12, parent: 11, started: 7, cpuMs: 7, childrenMs: 0 };
  const other = { pid: 20, parent: 1, started: 1, cpuMs: 5_000, childrenMs: 0 };
  const after = (...looks: (readonly Process[])[]) => {
    const tree = processTree(10);
    for (const all of looks) tree.look(all);
    return tree.cpuMs();
  };

  it('is that of all below it and of nothing else', () => {
    expect(after([other, root, child, grandchild])).toBe(137);
    expect(cpuBelow(11, [other, root, child, grandchild])).toBe(37);
    expect(cpuBelow(99, [other])).toBeNaN();
  });

  it('keeps what its children had used, once: a parent that waited has it already', () => {
    expect(after([root, child, grandchild], [{ ...root, cpuMs: 141 }])).toBe(141);
  });

  it('keeps a program whose parent ended first, while it runs and afterwards', () => {
    const adopted = { ...grandchild, parent: 1, cpuMs: 9 };
    const parent = { ...root, cpuMs: 135 };
    expect(after([root, child, grandchild], [parent, adopted])).toBe(144);
    expect(after([root, child, grandchild], [parent, adopted], [parent])).toBe(144);
  });

  it('takes no other process for an ended one of the same number', () => {
    const adopted = { ...child, parent: 1 };
    expect(after([root, child], [root, adopted], [root, { ...other, pid: 11, started: 99 }])).toBe(130);
  });

  it('is the last one seen when the command has ended', () => {
    expect(after([root, child], [child])).toBe(130);
    expect(after([other])).toBeNaN();
  });
});

describe('a git that counts its starts', () => {
  it('writes down what each was asked for, and is the real git', async () => {
    await using folder = await tempDir();
    const real = path.join(folder.path, "o'real");
    mkdirSync(real);
    symlinkSync(
      execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim(),
      path.join(real, 'git'),
    );
    const git = countedGit(path.join(folder.path, 'counting'), {
      PATH: `${real}${path.delimiter}${process.env['PATH'] ?? ''}`,
    });
    const run = (...args: string[]) =>
      execFileSync('git', args, { cwd: folder.path, env: { PATH: git.PATH }, encoding: 'utf8' });
    run('init', '--quiet', 'repo');
    run('-c', 'a.b=c d', '--literal-pathspecs', '-C', 'repo', 'rev-parse', '--git-dir');
    run('-C', 'repo', '-c', 'x.y=commit', 'rev-parse', '--git-dir');
    expect(run('-C', 'repo', 'hash-object', '--stdin-paths', '-t', 'two\nlines')).toBe('');
    expect(run('--version')).toMatch(/^git version/);
    expect(Object.fromEntries(git.starts())).toEqual({
      'init --quiet': 1,
      'rev-parse --git-dir': 2,
      'hash-object --stdin-paths': 1,
      '--version': 1,
    });
  });

  it('says so where there is none', async () => {
    await using folder = await tempDir();
    writeFileSync(path.join(folder.path, 'git'), 'not a program');
    expect(() => countedGit(path.join(folder.path, 'c'), { PATH: folder.path })).toThrow('no git in PATH');
  });
});

describe.runIf(process.platform === 'linux')('what /proc shows', () => {
  it('has this process, its memory, and the programs whose end it has seen', () => {
    expect(readProcesses().find(({ pid }) => pid === process.pid)).toMatchObject({ parent: process.ppid });
    expect(residentBytes(process.pid)).toBeGreaterThan(10e6);
    expect(residentBytes(0)).toBeNaN();
    const before = cpuOfChildren();
    execFileSync('sh', ['-c', 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done']);
    expect(cpuOfChildren() - before).toBeGreaterThanOrEqual(20);
  });
});
