import type { AgentEvent } from '@baton/contracts';
import { expect, test } from 'vitest';
import { createActivity } from './activity.ts';

const tool = (title: string): AgentEvent => ({ type: 'tool_started', toolId: 't', title, kind: 'execute' });
const message = (kind: Extract<AgentEvent, { type: 'message' }>['kind'], text: string): AgentEvent => ({
  type: 'message',
  kind,
  text,
});

/** What is said after each event, and `!` before what is worth a write of its own. */
function told(events: readonly AgentEvent[]): (string | null)[] {
  const activityOf = createActivity();
  return events.map(activityOf).map((said) => said && `${said.urgent ? '!' : ''}${said.text}`);
}

test('an agent uses a tool, thinks, writes, and what is as before is not said again', () => {
  const over: AgentEvent = { type: 'tool_completed', toolId: 't', failed: false };
  expect(
    told([
      message('thought', 'hm'),
      message('thought', 'hm'),
      tool('npm test'),
      message('assistant', 'I run the tests.'),
      over,
      message('assistant', 'They pass.'),
    ]),
  ).toEqual(['thinking', null, '!→ npm test', null, 'thinking', 'writing']);
});

test('a provider that is asked again is shown with the number of the retry', () => {
  const limited: AgentEvent = { type: 'rate_limited', resetAt: null, provider: 'agent' };
  const retry = message('notice', 'Retrying Claude, attempt 7 of 10.');
  expect(told([retry, limited, message('thought', 'on')])).toEqual([
    '!retry 7/10',
    '!retry 7/10 (rate limit)',
    'thinking',
  ]);
  expect(told([limited])).toEqual(['!rate-limited']);
});

test('of a command its last line is shown, and no title can be taken for a state or obeyed by a terminal', () => {
  expect(told([message('stdout', 'one\nmerging\n')])).toEqual(['> merging']);
  expect(told([tool('a\u001b[2J\nb')])).toEqual(['!→ a␛[2J b']);
  expect(told([tool('x'.repeat(5_000))])[0]).toHaveLength(163);
});
