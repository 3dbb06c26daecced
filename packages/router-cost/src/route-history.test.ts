import { expect, test } from 'vitest';
import { loadCatalog } from './catalog.ts';
import { chooseTimeout } from './choose-timeout.ts';
import { rung } from './ladder.ts';
import { costReport, type CostEntry } from './report.ts';
import type { PastAttempt, Route, RouteInput } from './route-types.ts';
import { route } from './route.ts';
import { adaptiveTimeout } from './timeout.ts';

const catalog = loadCatalog();
const minute = 60_000;

function found(change: Partial<Omit<RouteInput, 'task'>> & { task?: Partial<RouteInput['task']> }): Route {
  const task = { role: 'backend', scope: 'small', complexity: 'medium', risk: 'low' } as const;
  const decision = route({
    run: { agents: {}, defaultAgent: null, routing: null },
    installed: [{ name: 'claude-code', ready: true }],
    history: [],
    budget: { capMicroUsd: null, spentMicroUsd: 0, reservedMicroUsd: 0, reservationMicroUsd: 500_000 },
    catalog,
    ...change,
    task: { ...task, agent: null, model: null, effort: null, ...change.task },
  });
  if (!decision.ok) throw new Error(`${decision.code}: ${decision.message}`);
  return decision;
}

const ended = (...attempts: [string, string][]): PastAttempt[] =>
  attempts.map(([outcome, agent]) => ({ outcome, agent, model: null }));

test('a model is looked for on every ladder, of the repository first, and neither end of one leads to the other', () => {
  const ladders = [
    ['gpt-5-nano', 'gpt-5'],
    ['claude-haiku-4-5', 'claude-opus-5'],
    ['claude-haiku-4-5', 'claude-sonnet-5'],
  ];
  const next = (model: string, by: number, own = ladders) =>
    rung(model, { by, routing: { roles: {}, ladders: own }, catalog });
  expect(next('claude-haiku-4-5', 1)).toBe('claude-opus-5');
  expect(next('claude-opus-5', -1)).toBe('claude-haiku-4-5');
  expect(next('gemini-3.5-flash-lite', 1)).toBe('gemini-3.8-flash');
  expect(next('gpt-6-sol', 1, [])).toBe('gpt-6-astra');
  for (const [weakest, strongest] of [
    ['gpt-5-nano', 'gpt-5'],
    ['gemini-3.5-flash-lite', 'gemini-3.1-pro-preview'],
  ] as const) {
    expect(next(weakest, -1)).toBeNull();
    expect(next(strongest, 1)).toBeNull();
  }
  expect(next('mistral-large-latest', 1)).toBeNull();
});

test('of several tries the last explains why the next is no stronger, and each that was too weak counts', () => {
  const routing = { roles: { backend: { model: 'claude-haiku-4-5', effort: 'low' } } };
  const run = { agents: {}, defaultAgent: null, routing };
  const decision = found({
    run,
    history: ended(['rejected', 'a'], ['crashed', 'a'], ['rejected', 'a'], ['timeout', 'a']),
  });
  expect(decision).toMatchObject({ model: 'claude-haiku-4-5', effort: 'high' });
  expect(decision.reasons.join('\n')).toContain('the last try ended as "timeout"');
  expect(decision.reasons.join('\n')).not.toContain('ended as "crashed"');
});

test('the agent whose provider limited it or failed last is passed over, not one that was before or that failed otherwise', () => {
  const installed = ['claude-code', 'codex', 'gemini'].map((name) => ({ name, ready: true }));
  const chosen = (...attempts: [string, string][]) =>
    found({ installed, history: ended(...attempts) }).agentName;
  expect(chosen(['rate_limited', 'claude-code'])).toBe('codex');
  expect(chosen(['parked', 'claude-code'])).toBe('codex');
  expect(chosen(['provider_down', 'claude-code'])).toBe('codex');
  expect(chosen(['rate_limited', 'claude-code'], ['rate_limited', 'codex'])).toBe('claude-code');
  expect(chosen(['rate_limited', 'claude-code'], ['rejected', 'codex'])).toBe('claude-code');
  expect(chosen(['crashed', 'claude-code'])).toBe('claude-code');
  const only = [
    { name: 'codex', ready: true },
    { name: 'gemini', ready: false },
  ];
  expect(found({ installed: only, history: ended(['rate_limited', 'codex']) }).agentName).toBe('codex');
});

test('an agent that is only a loop around a model is passed over unless it is named', () => {
  const installed = [
    { name: 'in-process', ready: true, needsModel: true },
    { name: 'codex', ready: true },
  ];
  expect(found({ installed }).agentName).toBe('codex');
  expect(found({ installed, task: { model: 'gpt-5' } }).agentName).toBe('in-process');
  const routing = { roles: { docs: { model: 'gpt-5' } } };
  const run = { agents: {}, defaultAgent: null, routing };
  expect(found({ installed, run, task: { role: 'docs' } }).agentName).toBe('in-process');
  expect(found({ installed, run }).agentName).toBe('codex');
});

test('an agent of the plan comes before an installed one of its name, and of several none is guessed', () => {
  const codex = { command: ['my-codex'] };
  const agents = { codex, other: { command: ['other'] } };
  const installed = [{ name: 'codex', ready: true }];
  const run = { agents, defaultAgent: 'codex', routing: null };
  expect(found({ run, installed })).toMatchObject({ agentName: 'codex', definition: codex });
  expect(() => found({ run: { ...run, defaultAgent: null }, installed: [] })).toThrow('AGENT_MISSING');
});

test('a time-out is learnt from durations in any order, of the same agent on the same model', () => {
  const durations = [9, 1, 10, 2, 8, 3, 7, 4, 6, 5].map((n) => n * minute);
  const learnt = adaptiveTimeout(durations, { scope: 'medium' });
  expect(learnt).toEqual(
    adaptiveTimeout(
      durations.toSorted((a, b) => a - b),
      { scope: 'medium' },
    ),
  );
  expect(learnt.timeoutMs).toBe(15 * minute);
  const past = (model: string, durationMs: number) =>
    Array.from({ length: 8 }, () => ({ durationMs, agent: 'codex', model }));
  const choice = chooseTimeout({
    task: { role: 'qa', scope: 'small', timeoutMs: null },
    route: { agentName: 'codex', model: 'slow' },
    history: [...past('quick', 4 * minute), ...past('slow', 12 * minute)],
  });
  expect(choice).toMatchObject({ timeoutMs: 18 * minute, samples: 8, basis: 'agent' });
});

test('what cost the same is in order of its name', () => {
  const entry = (role: string, costMicroUsd: number): CostEntry => ({
    ...{ taskId: 't', runId: 'r', role, model: null, at: new Date(0), costMicroUsd, estimated: false },
    ...{ inputTokens: 1, outputTokens: 1, cacheReadTokens: 1, cacheWriteTokens: 1 },
  });
  const entries = [entry('qa', 5), entry('docs', 5), entry('backend', 5), entry('manager', 9)];
  const keys = costReport(entries, 'role').map(({ key }) => key);
  expect(keys).toEqual(['manager', 'backend', 'docs', 'qa']);
});
