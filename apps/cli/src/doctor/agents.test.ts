import { expect, test } from 'vitest';

import { agentFinding } from './agents.ts';

const codex = { name: 'codex', cli: null, tested: '2.6.0', login: 'found', fix: null } as const;
const speaker = (version: string | null) => ({ program: 'codex-acp', path: '/bin/codex-acp', version });

test('for an agent of another version than Baton was tried with, both are shown', () => {
  const textOf = (version: string | null) => agentFinding({ ...codex, speaker: speaker(version) }).text;
  expect(textOf('2.6.0')).toBe('codex (codex-acp 2.6.0)');
  expect(textOf('3.0.0')).toBe('codex (codex-acp 3.0.0; Baton was tried with 2.6.0)');
  expect(textOf(null)).toBe('codex (codex-acp)');
  expect(agentFinding({ ...codex, speaker: null }).text).not.toContain('tried');
});
