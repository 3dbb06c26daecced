import { z } from 'zod';

const decision = z.enum(['allow', 'hold', 'refuse']);

/** What of the dependencies that a change adds is refused or left to a person (docs/spec/landing.md#dependencies). */
export const dependencyRules = z.strictObject({
  new: decision
    .default('allow')
    .describe(
      'packages that the target has in no version, and that nothing speaks against: hold asks a person',
    ),
  flagged: decision
    .default('hold')
    .describe(
      'packages and versions that something speaks against: licence, source, no hash, a name one edit away from another; allow only reports them',
    ),
  licences: z
    .array(z.string().trim().min(1).max(200))
    .min(1)
    .optional()
    .describe('SPDX ids that may be used, e.g. [MIT, Apache-2.0]; when left out no licence is looked at'),
  sources: z
    .array(z.url().max(500))
    .default([])
    .describe('beginnings of addresses that packages may come from besides the usual registries'),
});
export type DependencyRules = z.output<typeof dependencyRules>;

/** What is looked at in each change besides gates and signals; what is not named is not looked at. */
export const audit = z
  .strictObject({
    dependencies: dependencyRules
      .optional()
      .describe('the packages that a change adds to manifests and lock files are listed and judged'),
  })
  .describe('what is looked at in each change besides gates and signals');
export type Audit = z.output<typeof audit>;
