import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadCatalog } from './catalog.ts';
import type { Route, RouteInput } from './route-types.ts';
import { route } from './route.ts';

const catalog = loadCatalog();
const usd = 1_000_000;

interface Change {
  unmeasuredAgents?: readonly string[];
  task?: Partial<RouteInput['task']>;
  run?: Partial<RouteInput['run']>;
  installed?: RouteInput['installed'];
  history?: RouteInput['history'];
  budget?: Partial<RouteInput['budget']>;
}

function input({ task, run, installed, history, budget, unmeasuredAgents }: Change = {}): RouteInput {
  const defaults = { role: 'backend', scope: 'small', complexity: 'medium', risk: 'low' } as const;
  return {
    task: { ...defaults, agent: null, model: null, effort: null, ...task },
    run: { agents: {}, defaultAgent: null, routing: null, ...run },
    installed: installed ?? [{ name: 'claude-code', ready: true }],
    history: history ?? [],
    budget: {
      ...{ capMicroUsd: null, spentMicroUsd: 0, reservedMicroUsd: 0, reservationMicroUsd: 0.5 * usd },
      ...budget,
    },
    catalog,
    ...(unmeasuredAgents === undefined ? {} : { unmeasuredAgents }),
  };
}

function found(change: Change): Route {
  const decision = route(input(change));
  if (!decision.ok) throw new Error(`${decision.code}: ${decision.message}`);
  return decision;
}

const refused = (change: Change) => route(input(change));
const format = { command: ['prettier', '--write', 'src'] };
const gemini = { acp: ['gemini', '--acp'], model: 'gemini-3.8-flash' };

test('the agent that the task names comes first, then the role table, then the default of the run', () => {
  const run = {
    agents: { format, gemini },
    defaultAgent: 'claude-code',
    routing: { roles: { docs: { agent: 'gemini' } } },
  };
  expect(found({ run, task: { role: 'docs', agent: 'format' } })).toMatchObject({
    agentName: 'format',
    definition: format,
  });
  expect(found({ run, task: { role: 'docs' } })).toMatchObject({ agentName: 'gemini', definition: gemini });
  expect(found({ run })).toMatchObject({ agentName: 'claude-code', definition: null });
});

test('an agent defined in place is used as it is', () => {
  expect(found({ task: { agent: format } })).toMatchObject({ agentName: 'inline', definition: format });
});

test('without any choice the first ready agent of the machine is taken, and the reason says so', () => {
  const installed = [
    { name: 'codex', ready: false },
    { name: 'claude-code', ready: true },
    { name: 'gemini', ready: true },
  ];
  const decision = found({ installed });
  expect(decision.agentName).toBe('claude-code');
  expect(decision.reasons[0]).toBe('agent claude-code: it is the first one ready on this machine');
  const history = [{ outcome: 'rate_limited', agent: 'claude-code', model: null }];
  expect(found({ installed, history }).agentName).toBe('gemini');
});

test('without an installed agent the only one of the plan is taken', () => {
  expect(found({ installed: [], run: { agents: { format } } }).agentName).toBe('format');
});

test('an unknown agent is refused with the ones there are', () => {
  expect(refused({ task: { agent: 'cluade' }, run: { agents: { format } } })).toMatchObject({
    ok: false,
    code: 'AGENT_UNKNOWN',
    fix: 'Use one of format, claude-code, or define "cluade" under "agents".',
  });
  expect(refused({ task: { agent: 'constructor' } })).toMatchObject({ code: 'AGENT_UNKNOWN' });
});

test('an agent that is not ready, or none at all, is missing', () => {
  const installed = [{ name: 'codex', ready: false }];
  expect(refused({ task: { agent: 'codex' }, installed })).toMatchObject({ code: 'AGENT_MISSING' });
  expect(refused({ installed })).toMatchObject({ code: 'AGENT_MISSING' });
  const agents = { format, gemini };
  expect(refused({ installed, run: { agents } })).toHaveProperty(
    'fix',
    expect.stringContaining('format, gemini'),
  );
});

test('a command has no model, counts as free and runs even when the budget is spent', () => {
  const budget = { capMicroUsd: 0, spentMicroUsd: 0 };
  expect(found({ task: { agent: format, model: 'who-knows', effort: 'high' }, budget })).toMatchObject({
    model: null,
    effort: null,
    reservationMicroUsd: 0,
  });
});

test('the model comes from the task, then the role table, then the agent', () => {
  const run = {
    agents: { gemini },
    defaultAgent: 'gemini',
    routing: { roles: { docs: { model: 'gemini-2.5-pro' } } },
  };
  expect(found({ run, task: { role: 'docs', model: 'gpt-5' } }).model).toBe('gpt-5');
  expect(found({ run, task: { role: 'docs' } }).model).toBe('gemini-2.5-pro');
  expect(found({ run }).model).toBe('gemini-3.8-flash');
  expect(found({}).model).toBeNull();
});

test('effort follows complexity unless it is named, and high risk asks for high effort', () => {
  expect(found({ task: { complexity: 'low' } }).effort).toBe('low');
  expect(found({ task: { complexity: 'low', risk: 'high' } }).effort).toBe('high');
  expect(found({ task: { complexity: 'high', effort: 'low' } }).effort).toBe('low');
});

const ends = (...outcomes: string[]) =>
  outcomes.map((outcome) => ({ outcome, agent: 'claude-code', model: null }));
const haiku = { run: { routing: { roles: { backend: { model: 'claude-haiku-4-5', effort: 'medium' } } } } };

test('work that was too weak raises effort first, then the model', () => {
  const strength = (...outcomes: string[]) => {
    const { model, effort } = found({ ...haiku, history: ends(...outcomes) });
    return `${model} ${effort}`;
  };
  expect(strength()).toBe('claude-haiku-4-5 medium');
  expect(strength('rejected')).toBe('claude-haiku-4-5 high');
  expect(strength('rejected', 'agent_failed')).toBe('claude-sonnet-5 high');
  expect(strength('rejected', 'agent_failed', 'rejected')).toBe('claude-opus-5-5 high');
  expect(strength('rejected', 'rejected', 'rejected', 'rejected')).toBe('claude-opus-5-5 high');
});

test.each([
  'conflict',
  'base_rejected',
  'crashed',
  'timeout',
  'rate_limited',
  'parked',
  'provider_down',
  'spawn_failed',
  'released',
  'cancelled',
])('an end that is not the fault of the agent (%s) changes nothing but is reported', (outcome) => {
  const decision = found({ ...haiku, history: ends(outcome) });
  expect(decision).toMatchObject({ model: 'claude-haiku-4-5', effort: 'medium' });
  expect(decision.reasons.join('\n')).toContain(`the last try ended as "${outcome}"`);
});

test('what the task names itself is never raised', () => {
  const decision = found({ task: { model: 'claude-haiku-4-5', effort: 'low' }, history: ends('rejected') });
  expect(decision).toMatchObject({ model: 'claude-haiku-4-5', effort: 'low' });
  expect(decision.reasons.at(-1)).toContain('nothing stronger to try');
});

test("the repository's own ladder comes before the built-in one, and a provider's name is kept", () => {
  const routing = {
    roles: { backend: { model: 'anthropic/claude-haiku-4-5', effort: 'high' } },
    ladders: [['claude-haiku-4-5', 'claude-opus-5-5']],
  };
  expect(found({ run: { routing }, history: ends('rejected') }).model).toBe('anthropic/claude-opus-5-5');
});

const capped = (spent: number, reserved = 0) => ({
  capMicroUsd: 10 * usd,
  spentMicroUsd: spent * usd,
  reservedMicroUsd: reserved * usd,
});
const sonnet = { run: { routing: { roles: { backend: { model: 'claude-sonnet-5' } } } } };

test('from 80 % of the budget on a cheaper model is taken, unless the task names its own', () => {
  expect(found({ ...sonnet, budget: capped(7.9) }).model).toBe('claude-sonnet-5');
  const decision = found({ ...sonnet, budget: capped(8) });
  expect(decision.model).toBe('claude-haiku-4-5');
  expect(decision.reasons).toContain('model claude-sonnet-5 → claude-haiku-4-5: 80 % of the budget is spent');
  expect(found({ task: { model: 'claude-sonnet-5' }, budget: capped(8) }).model).toBe('claude-sonnet-5');
});

test('from 95 % of the budget on no task with a price is started', () => {
  expect(refused({ ...sonnet, budget: capped(9.5) })).toMatchObject({ ok: false, code: 'BUDGET_EXCEEDED' });
});

test('a reservation that does not fit is refused with what is free, its own claim left out of the sum', () => {
  expect(refused({ ...sonnet, budget: capped(1, 8.6) })).toMatchObject({
    code: 'BUDGET_EXCEEDED',
    message: 'The task reserves $0.50, and $0.40 of the budget are free ($1.00 of $10.00 are spent).',
  });
  expect(found({ ...sonnet, budget: { ...capped(1, 9), ownReservationMicroUsd: 0.5 * usd } })).toMatchObject({
    reservationMicroUsd: 0.5 * usd,
  });
});

test('under a budget a model without a known price is not started', () => {
  expect(refused({ budget: capped(0) })).toMatchObject({ code: 'PRICE_UNKNOWN' });
  expect(refused({ task: { model: 'who-knows' }, budget: capped(0) })).toMatchObject({
    code: 'PRICE_UNKNOWN',
  });
  expect(found({ task: { model: 'who-knows' } }).model).toBe('who-knows');
});

test('an agent that does not tell its spending is refused where the plan says so, others are not', () => {
  const change = { ...sonnet, unmeasuredAgents: ['claude-code', 'other'] };
  expect(refused({ ...change, budget: capped(0) })).toMatchObject({
    code: 'PRICE_UNKNOWN',
    message: 'The agent "claude-code" does not report all that it spends, and the plan refuses such agents.',
  });
  expect(found({ ...change, unmeasuredAgents: ['other'] }).agentName).toBe('claude-code');
});

test('the reported figure is the one that was given as reserved', () => {
  const decision = found({ ...sonnet, budget: { ...capped(0), reservationMicroUsd: 0.123456 * usd } });
  expect(decision.reasons.at(-1)).toBe('reserved $0.123456 of the budget');
});

test('a routing of the wrong shape is refused by name', () => {
  expect(() => route(input({ run: { routing: { role: {} } } }))).toThrow(/unknown key "role"/);
});

test('whatever the budget, a route that is found fits into it', () => {
  const money = fc.integer({ min: 0, max: 12 * usd });
  let accepted = 0;
  fc.assert(
    fc.property(money, money, money, (capMicroUsd, spentMicroUsd, reservedMicroUsd) => {
      const decision = refused({ ...sonnet, budget: { capMicroUsd, spentMicroUsd, reservedMicroUsd } });
      if (!decision.ok) return;
      accepted += 1;
      expect(spentMicroUsd + reservedMicroUsd + decision.reservationMicroUsd).toBeLessThanOrEqual(
        capMicroUsd,
      );
    }),
    { numRuns: 1_000 },
  );
  expect(accepted).toBeGreaterThan(50);
});
