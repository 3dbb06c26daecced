import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { agentEnvironment, builtinAgent, checkAgent, installedAgents } from '../src/index.ts';

async function machine(programs: readonly string[]) {
  const folder = await tempDir();
  const bin = path.join(folder.path, 'bin');
  mkdirSync(bin);
  for (const name of programs) {
    writeFileSync(path.join(bin, name), '#!/bin/sh\n');
    chmodSync(path.join(bin, name), 0o755);
  }
  return {
    env: { PATH: bin, HOME: folder.path },
    home: folder.path,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('agents are found by their programs and count as ready with a key or a login', async () => {
  await using m = await machine(['gemini', 'codex-acp', 'opencode']);
  mkdirSync(path.join(m.home, '.codex'));
  writeFileSync(path.join(m.home, '.codex', 'auth.json'), '{}');
  const found = await installedAgents({ env: { ...m.env, GEMINI_API_KEY: 'k' } });
  expect(found.map(({ name, ready }) => [name, ready])).toEqual([
    ['codex', true],
    ['gemini', true],
    ['opencode', true],
    ['in-process', true],
  ]);
  const [gemini] = await installedAgents({ env: m.env }).then((all) =>
    all.filter(({ name }) => name === 'gemini'),
  );
  expect(gemini).toMatchObject({
    ready: false,
    fix: expect.stringContaining('GEMINI_API_KEY'),
    program: path.join(m.env.PATH, 'gemini'),
  });
});

test('an agent that is missing or not logged in is refused before anything is claimed', async () => {
  await using m = await machine(['gemini', 'tool']);
  expect(() => checkAgent({ name: 'codex', definition: null, env: m.env })).toThrowError(
    expect.objectContaining({ code: 'AGENT_MISSING', fix: expect.stringContaining('npm install -g') }),
  );
  expect(() => checkAgent({ name: 'gemini', definition: null, env: m.env })).toThrowError(
    expect.objectContaining({ code: 'AGENT_NOT_LOGGED_IN' }),
  );
  expect(() => checkAgent({ name: 'x', definition: { command: ['nope'] }, env: m.env })).toThrowError(
    expect.objectContaining({ code: 'AGENT_MISSING' }),
  );
  expect(() => checkAgent({ name: 'what', definition: null, env: m.env })).toThrowError(
    expect.objectContaining({ code: 'AGENT_UNKNOWN' }),
  );
  checkAgent({ name: 'gemini', definition: null, env: { ...m.env, GEMINI_API_KEY: 'k' } });
  checkAgent({ name: 'x', definition: { command: ['tool'] }, env: m.env });
  checkAgent({ name: 'x', definition: { command: ['./scripts/fix.sh'] }, env: m.env });
});

test('a known agent gets its key variables and settings, and no other secret', () => {
  const base = { PATH: '/bin', GEMINI_API_KEY: 'key', OPENAI_API_KEY: 'other' };
  const env = agentEnvironment({ base, definition: builtinAgent('gemini'), home: '/h' });
  expect(env).toMatchObject({ GEMINI_API_KEY: 'key', GEMINI_CLI_NO_RELAUNCH: 'true' });
  expect(env).not.toHaveProperty('OPENAI_API_KEY');
});
