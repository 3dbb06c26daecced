import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { AgentEvent, Usage } from '@baton/contracts';
import { acpAgents } from '../../agent/acp-agents.ts';
import { permissionParams, promptResult, updateParams } from './messages.ts';
import { classifyResult, classifyRpcError } from './outcome.ts';
import { turnReader } from './turn.ts';
import { noUsage, usageMeter } from './usage.ts';

interface Line {
  dir: string;
  msg: { id?: number; method?: string; params?: unknown; result?: Record<string, unknown>; error?: unknown };
}

const now = new Date(Date.UTC(2026, 10, 21));

/** Plays the agent's side of a recorded session; gives one entry for each prompt. */
function replay(name: string, agent: string) {
  const text = readFileSync(new URL(`../../../test/fixtures/acp/${name}.jsonl`, import.meta.url), 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const source = acpAgents.find((known) => known.name === agent)?.usage ?? 'prompt';
  const prompts = new Set(
    lines
      .filter(({ dir, msg }) => dir === 'client' && msg.method === 'session/prompt')
      .map(({ msg }) => msg.id),
  );
  const totals = noUsage();
  const turns = [];
  const open = () =>
    turnReader({
      onToolDone: () => undefined,
      usage: (seen) =>
        usageMeter(totals, {
          source: () => source,
          said: () => seen.model,
          model: () => null,
        }),
    });
  let reader = open();
  let events: AgentEvent[] = [];
  for (const { dir, msg } of lines) {
    if (dir !== 'agent') continue;
    if (msg.method === 'session/update') events.push(...reader.update(updateParams.parse(msg.params).update));
    if (msg.method === 'session/request_permission')
      events.push(...reader.asked(permissionParams.parse(msg.params).toolCall));
    if (msg.method !== undefined || !prompts.has(msg.id)) continue;
    events.push(...reader.end());
    const result = msg.result === undefined ? null : promptResult.parse(msg.result);
    events.push(...reader.usage.end({ result, answered: true, refused: false }));
    const ending =
      result === null ? classifyRpcError(msg.error, now) : classifyResult(result, { seen: reader.seen, now });
    turns.push({ events, usage: summed(events), ...ending });
    reader = open();
    events = [];
  }
  return turns;
}

/** All usage that the events of a prompt tell, added up: tokens without a cost of their own stay without one. */
function summed(events: AgentEvent[]): Usage | null {
  const parts = events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));
  return parts.length === 0
    ? null
    : parts.reduce((sum, part) => ({
        model: part.model ?? sum.model,
        inputTokens: sum.inputTokens + part.inputTokens,
        outputTokens: sum.outputTokens + part.outputTokens,
        cacheReadTokens: sum.cacheReadTokens + part.cacheReadTokens,
        cacheWriteTokens: sum.cacheWriteTokens + part.cacheWriteTokens,
        costMicroUsd:
          part.costMicroUsd === null ? sum.costMicroUsd : (sum.costMicroUsd ?? 0) + part.costMicroUsd,
        estimated: sum.estimated || part.estimated,
      }));
}

const tokens = (input: number, output: number, cacheRead: number) => ({
  inputTokens: input,
  outputTokens: output,
  cacheReadTokens: cacheRead,
  cacheWriteTokens: 0,
});

test.each([
  // The script's first prompt: 4200 tokens in, 2600 of them cached, 90 out; list price $0.00693, side calls of claude on top.
  [
    'claude-code',
    'claude-success',
    { ...tokens(1_600, 90, 2_600), estimated: false, model: 'claude-sonnet-4-5' },
  ],
  [
    'codex',
    'codex-success',
    { ...tokens(1_600, 90, 2_600), costMicroUsd: null, estimated: false, model: 'gpt-5.5' },
  ],
  [
    'gemini',
    'gemini-success',
    { ...tokens(4_200, 90, 0), costMicroUsd: null, estimated: true, model: 'gemini-2.5-flash' },
  ],
  ['opencode', 'opencode-success', { costMicroUsd: 6_930, estimated: true }],
  ['qwen', 'qwen-success', { ...tokens(1_600, 90, 2_600), costMicroUsd: null }],
  ['copilot', 'copilot-permissions', { ...tokens(1_600, 90, 2_600), costMicroUsd: null }],
] as const)(
  '%s: tokens and cost of a recorded prompt are reported once, without cached input',
  (agent, name, expected) => {
    const [first] = replay(name, agent);
    expect(first).toMatchObject({ outcome: 'done', usage: expected });
  },
);

test.each([
  ['claude-code', 'claude-success'],
  ['codex', 'codex-success'],
  ['opencode', 'opencode-success'],
  ['qwen', 'qwen-success'],
  ['copilot', 'copilot-permissions'],
  ['cline', 'cline-permissions'],
  ['kimi', 'kimi-plan'],
  ['pi', 'pi-success'],
  ['gemini', 'gemini-success'],
])('%s: every recorded tool call begins once and ends once, with a title of its own', (agent, name) => {
  for (const { events } of replay(name, agent)) {
    const started = events.flatMap((event) => (event.type === 'tool_started' ? [event] : []));
    const ended = events.flatMap((event) => (event.type === 'tool_completed' ? [event.toolId] : []));
    expect(new Set(started.map((event) => event.toolId)).size).toBe(started.length);
    expect(ended.toSorted()).toEqual(started.map((event) => event.toolId).toSorted());
    for (const { title } of started) expect(title).not.toMatch(/Preparing|^tool$/);
  }
  expect(replay(name, agent)[0]?.events.some((event) => event.type === 'tool_started')).toBe(true);
});

test('usage of a later prompt is a difference, where the agent gives running totals', () => {
  expect(replay('copilot-permissions', 'copilot')[1]?.usage).toMatchObject(tokens(600, 50, 3_200));
  expect(replay('opencode-success', 'opencode')[1]?.usage).toMatchObject({ costMicroUsd: 3_510 });
  expect(replay('codex-success', 'codex')[1]?.usage).toMatchObject(tokens(600, 50, 3_200));
});

test.each([
  ['claude-code', 'claude-error-429', { outcome: 'rate_limited', resetAt: null }],
  ['claude-code', 'claude-five-hour-limit', { outcome: 'rate_limited', resetAt: '2030-01-01T00:00:00.000Z' }],
  ['codex', 'codex-usage-limit', { outcome: 'rate_limited', resetAt: expect.stringMatching(/^20(29|30)-/) }],
  [
    'codex',
    'codex-failure-extension-usage-limit',
    { outcome: 'rate_limited', resetAt: expect.stringMatching(/^20(29|30)-/) },
  ],
  ['codex', 'codex-error-429-end-turn', { outcome: 'provider_down', abortReason: 'provider_error' }],
  ['gemini', 'gemini-error-401', { outcome: 'not_logged_in' }],
  ['kimi', 'kimi-error-429-silent', { outcome: 'failed', abortReason: 'provider_error' }],
  ['pi', 'pi-error-401-silent', { outcome: 'failed', abortReason: 'provider_error' }],
] as const)('%s: %s is known by structure', (agent, name, expected) => {
  expect(replay(name, agent)[0]).toMatchObject(expected);
});

test('a limit that the agent retries by itself is reported while it lasts', () => {
  const [turn] = replay('claude-failure-extension-429', 'claude-code');
  expect(turn?.events).toContainEqual({ type: 'rate_limited', resetAt: null, provider: 'agent' });
  expect(turn?.outcome).toBe('cancelled');
});

test('a plan comes through', () => {
  const plans = replay('kimi-plan', 'kimi').flatMap(({ events }) =>
    events.filter((event) => event.type === 'plan'),
  );
  expect(plans[0]?.type === 'plan' && plans[0].entries.length).toBeGreaterThan(0);
});
