import { undocumented } from '@baton/docs';
import type { Rule } from '../rule.ts';

/** Every exported name says what it is. */
export const documented: Rule = {
  name: 'documented',
  what: 'every exported name has a documentation comment',
  check: async () => undocumented(),
};
