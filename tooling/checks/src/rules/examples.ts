import { planExamples, planProblems } from '@baton/docs';
import type { Rule } from '../rule.ts';

/** A plan that a reader copies from a page is a plan. */
export const examples: Rule = {
  name: 'examples',
  what: 'every plan shown in the README, docs/ and examples/ is accepted by the plan schema',
  check: async () => planExamples().flatMap(planProblems),
};
