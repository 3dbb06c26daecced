import type { Rule } from './rule.ts';
import { commits } from './rules/commits.ts';
import { documented } from './rules/documented.ts';
import { examples } from './rules/examples.ts';
import { fileLength } from './rules/file-length.ts';
import { formatting } from './rules/formatting.ts';
import { functionLength } from './rules/function-length.ts';
import { generated } from './rules/generated.ts';
import { imports } from './rules/imports.ts';
import { licences } from './rules/licences.ts';
import { links } from './rules/links.ts';
import { lint } from './rules/lint.ts';
import { manifests } from './rules/manifests.ts';
import { published } from './rules/published.ts';
import { types } from './rules/types.ts';
import { unused } from './rules/unused.ts';
import { words } from './rules/words.ts';

/** Every rule of `pnpm check`, the quick ones first and the longest last: two run at a time, from both ends. */
export const rules: readonly Rule[] = [
  imports,
  manifests,
  commits,
  fileLength,
  functionLength,
  ...generated,
  documented,
  examples,
  links,
  words,
  formatting,
  licences,
  unused,
  published,
  types,
  lint,
];
