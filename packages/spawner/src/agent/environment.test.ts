import type { AgentDefinition } from '@baton/contracts';
import { expect, test } from 'vitest';
import { agentEnvironment } from './environment.ts';

const base = {
  PATH: '/bin',
  HOME: '/home/me',
  LC_ALL: 'C.UTF-8',
  AWS_SECRET_ACCESS_KEY: 'canary',
  GEMINI_API_KEY: 'key',
  XDG_CONFIG_HOME: '/x',
};

test("only what is named gets through, and an own home takes the place of the user's", () => {
  expect(agentEnvironment({ base, allow: ['GEMINI_API_KEY'], home: '/attempt' })).toEqual({
    PATH: '/bin',
    LC_ALL: 'C.UTF-8',
    GEMINI_API_KEY: 'key',
    HOME: '/attempt',
    XDG_CONFIG_HOME: '/attempt/.config',
    XDG_DATA_HOME: '/attempt/.local/share',
    XDG_CACHE_HOME: '/attempt/.cache',
    XDG_STATE_HOME: '/attempt/.local/state',
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'true',
  });
});

test("by choice the agent has the user's home, and so the user's login", () => {
  expect(agentEnvironment({ base, home: null })).toMatchObject({ HOME: '/home/me', XDG_CONFIG_HOME: '/x' });
});

test("a definition takes values from the operator's environment by name", () => {
  const env = agentEnvironment({
    base,
    extra: { TOKEN: 'x-${GEMINI_API_KEY}-y', PLAIN: '$HOME' },
    home: '/h',
  });
  expect(env).toMatchObject({ TOKEN: 'x-key-y', PLAIN: '$HOME' });
});

test('a value taken from a variable that is not set is refused by name', () => {
  expect(() => agentEnvironment({ base, extra: { TOKEN: '${NOT_SET}' }, home: '/h' })).toThrowError(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('NOT_SET'),
      at: 'env.TOKEN',
    }),
  );
});

test('a default of a known agent holds until the operator sets another', () => {
  const definition = { acp: ['claude-agent-acp'] } as unknown as AgentDefinition;
  const retries = (base: Record<string, string>) =>
    agentEnvironment({ base, definition })['CLAUDE_CODE_MAX_RETRIES'];
  expect(retries({})).toBe('3');
  expect(retries({ CLAUDE_CODE_MAX_RETRIES: '9' })).toBe('9');
});
