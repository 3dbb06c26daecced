import { drift, regenerate, type GeneratorName } from '@baton/docs';
import type { Rule } from '../rule.ts';

const what: Record<GeneratorName, string> = {
  api: 'docs/api lists the names that the packages export',
  errors: 'docs/errors.md equals the table of error codes, both ways',
  config: 'docs/config.md equals the schemas of the configuration',
  schemas: 'docs/schema holds the JSON Schemas of the files that people write',
  machines: 'docs/machines shows the machines as they are',
  picture: 'the picture in docs/architecture.md equals the real imports',
};

/** One rule for each group of generated documents. */
export const generated: readonly Rule[] = Object.entries(what).map(([key, sentence]) => {
  const name = key as GeneratorName;
  return {
    name,
    what: sentence,
    async check() {
      return (await drift(name)).map((file) => `${file} is out of date: run pnpm check ${name} --fix`);
    },
    fix: () => regenerate(name),
  };
});
