import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import {
  agentByAlias,
  agentEnvironment,
  agentsHere,
  builtinAgent,
  checkAgent,
  createExec,
  installedAgents,
} from '../src/index.ts';
import { loginOf } from '../src/agent/login.ts';
import { acpAgents } from '../src/agent/acp-agents.ts';
import { clock } from './support/real.ts';

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

const agent = (name: string) => acpAgents.find((one) => one.name === name) ?? expect.fail(name);

test('a login is missing only where that is certain; settings, clouds and key chains leave it to the agent', async () => {
  await using m = await machine([]);
  const login = (name: string, env: Record<string, string> = {}, platform: NodeJS.Platform = 'linux') =>
    loginOf(agent(name), { env: { ...m.env, ...env }, platform });
  expect(login('claude-code')).toBe('none');
  expect(login('claude-code', {}, 'darwin')).toBe('unknown');
  expect(login('claude-code', { CLAUDE_CODE_USE_BEDROCK: '1' })).toBe('unknown');
  expect(login('claude-code', { CLAUDE_CODE_USE_BEDROCK: '0' })).toBe('none');
  expect(login('opencode')).toBe('unknown'); // it has free models
  mkdirSync(path.join(m.home, '.gemini'));
  writeFileSync(path.join(m.home, '.gemini', '.env'), 'GEMINI_API_KEY=k\n');
  expect(login('gemini')).toBe('unknown');
  const own = path.join(m.home, 'own');
  mkdirSync(own);
  writeFileSync(path.join(own, '.credentials.json'), '{}');
  expect(login('claude-code', { CLAUDE_CONFIG_DIR: own })).toBe('found');
  // Trying is not refused.
  await using gemini = await machine(['gemini']);
  checkAgent({ name: 'gemini', definition: null, env: { ...gemini.env, GOOGLE_GENAI_USE_VERTEXAI: 'true' } });
});

test('a cloud that an agent is switched to gives it its variables, and they stay away otherwise', () => {
  const base = { PATH: '/bin', AWS_REGION: 'eu-west-1', AWS_SECRET_ACCESS_KEY: 's' };
  const definition = builtinAgent('claude-code');
  expect(agentEnvironment({ base, definition })).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
  const switched = agentEnvironment({ base: { ...base, CLAUDE_CODE_USE_BEDROCK: '1' }, definition });
  expect(switched).toMatchObject({ CLAUDE_CODE_USE_BEDROCK: '1', AWS_SECRET_ACCESS_KEY: 's' });
});

test('the programs that people have are seen, with versions and what connects them to Baton', async () => {
  await using m = await machine(['claude', 'codex-acp']);
  writeFileSync(
    path.join(m.env.PATH, 'claude'),
    '#!/bin/sh\n[ "$1" = --version ] && echo "2.1.330 (Claude Code)"\n',
  );
  const here = await agentsHere({ env: m.env, exec: createExec({ clock }) });
  expect(here.map(({ name }) => name)).toEqual(['claude-code', 'codex']);
  expect(here[0]).toMatchObject({
    speaker: null,
    cli: { program: 'claude', version: '2.1.330' },
    fix: 'claude-agent-acp connects it to Baton: `npm install -g @agentclientprotocol/claude-agent-acp`.',
  });
  expect(here[1]).toMatchObject({
    speaker: { program: 'codex-acp', version: null },
    cli: null,
    login: 'none',
  });
  expect(() => checkAgent({ name: 'claude-code', definition: null, env: m.env })).toThrowError(
    expect.objectContaining({ code: 'AGENT_MISSING', fix: expect.stringContaining('claude is here; ') }),
  );
  expect(['claude', 'Codex-ACP', 'nobody'].map(agentByAlias)).toEqual(['claude-code', 'codex', undefined]);
});
