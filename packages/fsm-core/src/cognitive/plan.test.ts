import { expect, test } from 'vitest';
import { planOf } from '../../test/cognitive-support.ts';
import { currentStep, hasMoreSteps, markStepDone } from '../index.ts';
import { completionRoute } from './plan.ts';

test('currentStep is the first open step, or null when all are done', () => {
  expect(currentStep(planOf('respond!', 'tool_call', 'respond'))?.index).toBe(1);
  expect(currentStep(planOf('respond!'))).toBeNull();
  expect(currentStep(planOf())).toBeNull();
});

test('hasMoreSteps says whether a step is open', () => {
  expect(hasMoreSteps(planOf('respond!', 'respond'))).toBe(true);
  expect(hasMoreSteps(planOf('respond!'))).toBe(false);
});

test('markStepDone completes one step in a new plan and does nothing for an unknown or completed index', () => {
  const plan = planOf('tool_call', 'respond');
  const marked = markStepDone(plan, 0);
  expect(marked.steps.map((step) => step.completed)).toEqual([true, false]);
  expect(plan.steps[0]?.completed).toBe(false);
  expect(markStepDone(marked, 0)).toBe(marked);
  expect(markStepDone(plan, 9)).toBe(plan);
});

test('a plan with a tool call anywhere goes back to reasoning when all its steps are done', () => {
  const routeOf = (...kinds: string[]) => completionRoute(planOf(...kinds.map((kind) => `${kind}!`)));
  expect(routeOf('respond', 'tool_call')).toBe('reasoning');
  expect(routeOf('tool_call', 'respond')).toBe('reasoning');
  expect(routeOf('respond', 'generate')).toBe('completed');
});
