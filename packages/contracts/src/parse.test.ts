import { expect, test } from 'vitest';
import type { z } from 'zod';
import { BatonError } from './error.ts';
import { parseInput } from './parse.ts';
import { plan } from './plan.ts';
import { agentDefinition, completionSignal } from './task.ts';
import { duration } from './units.ts';

function refusal(schema: z.ZodType, value: unknown): BatonError {
  try {
    parseInput(schema, value, { what: 'The input', at: 'file.yaml' });
  } catch (error) {
    if (BatonError.is(error)) return error;
  }
  throw new Error('the input was accepted');
}

const steps = (step: object) => ({ name: 'p', stages: [{ name: 's', steps: [{ title: 'T', ...step }] }] });

test('a valid input comes back with its defaults', () => {
  const parsed = parseInput(plan, steps({}), { what: 'The plan' });
  expect(parsed.stages[0]?.steps[0]).toMatchObject({
    role: 'backend',
    scope: 'medium',
    complexity: 'medium',
    priority: 2,
    max_retries: 3,
    files: [],
  });
});

test('an unknown key is refused by its name and path', () => {
  const error = refusal(plan, steps({ prioritty: 1 }));
  expect(error.code).toBe('INVALID_INPUT');
  expect(error.message).toBe('The input is not valid: stages.0.steps.0.prioritty: unknown key "prioritty"');
  expect(error.at).toBe('file.yaml');
  expect(error.details).toEqual({
    issues: [{ path: ['stages', 0, 'steps', 0, 'prioritty'], message: 'unknown key "prioritty"' }],
  });
});

test('every issue is reported, not only the first', () => {
  const error = refusal(plan, { ...steps({ scope: 'huge' }), nmae: 'x' });
  expect(error.message).toContain('stages.0.steps.0.scope');
  expect(error.message).toContain('unknown key "nmae"');
});

test('of a union the issues of the option that was meant are reported', () => {
  expect(refusal(agentDefinition, { command: ['x'], envv: {} }).message).toContain('unknown key "envv"');
  expect(refusal(agentDefinition, { acp: ['x'], modle: 'm' }).message).toContain('unknown key "modle"');
});

test('text where an object was meant is not what a union complains about', () => {
  const error = refusal(plan, steps({ agent: { command: ['x'], shell: true } }));
  expect(error.message).toBe('The input is not valid: stages.0.steps.0.agent.shell: unknown key "shell"');
});

test('a misspelt agent is reported as an agent, not as a name that it is not', () => {
  const error = refusal(plan, steps({ agent: { comand: ['x'] } }));
  expect(error.message).toContain('stages.0.steps.0.agent.comand: unknown key "comand"');
  expect(error.message).not.toContain('expected string');
});

test('a malformed text of a union says how it should look', () => {
  expect(refusal(duration, '10 minutes').message).toContain('use seconds or text such as "90s"');
});

test('an unknown discriminator lists what there is', () => {
  const error = refusal(completionSignal, { type: 'file_exists', path: 'a' });
  expect(error.message).toContain('type: must be one of "path_exists", "glob_exists"');
});

test('a bad key of a map says what keys look like', () => {
  const error = refusal(plan, { ...steps({}), agents: { 'my agent': { command: ['x'] } } });
  expect(error.message).toContain('agents.my agent: as a key: letters, digits');
});

test('the caller chooses the code', () => {
  const act = () => parseInput(plan, {}, { what: 'The plan', code: 'PLAN_INVALID' });
  expect(act).toThrow(expect.objectContaining({ code: 'PLAN_INVALID' }));
});

test.each([
  ['{"agents":{"__proto__":{"command":["x"]}}}', 'agents.__proto__'],
  ['{"agents":{"a":{"command":["x"],"env":{"__proto__":"b"}}}}', 'agents.a.env.__proto__'],
  ['{"__proto__":{"a":1}}', '__proto__'],
])('a key that would be left out of a map without a word is refused by its path: %s', (json, path) => {
  const whole = `${JSON.stringify(steps({})).slice(0, -1)},${json.slice(1)}`;
  const error = refusal(plan, JSON.parse(whole));
  if (path !== '__proto__') expect(error.message).toContain(`${path}: no key may be called "__proto__"`);
  expect(error.details['issues']).toMatchObject([{ path: path.split('.') }]);
});

test('keys with the names of other parts of a prototype are plain keys', () => {
  const agents = { constructor: { command: ['x'] }, toString: { command: ['y'] } };
  expect(parseInput(plan, { ...steps({}), agents }, { what: 'The plan' }).agents).toEqual(agents);
});
