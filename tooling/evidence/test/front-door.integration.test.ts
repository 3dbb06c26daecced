import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../src/run-program.ts';

const main = path.resolve(import.meta.dirname, '../src/main.ts');
const evidence = (...args: string[]) =>
  runProgram([process.execPath, '--conditions=@baton/source', main, ...args], { cwd: import.meta.dirname });

describe('the front door', () => {
  it('lists what can be run', async () => {
    const { exitCode, stdout } = await evidence();
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^tables +every legal cell/m);
  });

  it('ends with 2 and a suggestion for a name it does not know', async () => {
    const { exitCode, stderr } = await evidence('hole-bench');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Did you mean "whole-bench"?');
  });
});
