import type { Language } from './language.ts';
import { others } from './others.ts';

/** Tests of databases in SQL, with pgTAP. */
export const sql: Language = {
  ...others,
  name: 'SQL',
  files: /(^|\/)(?:tests?|pgtap|t)\/(?:.*\/)?[^/]*\.(?:sql|pg)$|[._-]test\.sql$/,
  syntax: { line: ['--'], block: [['/*', '*/']], quotes: "'" },
  found: /\.(?:sql|pg)$/,
  cases:
    /(?<=^\s*select\s+(?:\w+\.)?)(?:is|isnt|ok|cmp_ok|throws_\w+|lives_ok|performs_ok|results_(?:eq|ne)|(?:set|bag)_(?:eq|has)|is_empty|isnt_empty|matches|row_eq|has_\w+|col_\w+|function_\w+)\s*\(/gi,
  tables: /^\s*values\b|\bgenerate_series\b/i,
  assertions:
    /(?<=^\s*select\s+(?:\w+\.)?)(?:is|isnt|ok|cmp_ok|throws_\w+|lives_ok|performs_ok|results_(?:eq|ne)|(?:set|bag)_(?:eq|has)|is_empty|isnt_empty|matches|row_eq|has_\w+|col_\w+|function_\w+)\s*\(/gi,
  exact: /^(?:is|isnt|results_eq|set_eq|bag_eq|row_eq|is_empty)\b|=/i,
  partial:
    /^(?:matches|throws_\w+|lives_ok|performs_ok|(?:set|bag)_has|has_\w+|col_\w+|cmp_ok)\b|[<>]=?|\blike\b/i,
  hollow: [
    /^ok\s*\(\s*(?:true|1\s*=\s*1)\b/i,
    /^(?:is|results_eq|set_eq|bag_eq|row_eq)\s*\(\s*([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*[,)]/i,
    /\bor\s+true\b/i,
  ],
  skips: [{ pattern: /\bselect\s+(?:\*\s+from\s+)?(?:skip|todo\w*|no_plan)\s*\(/i }],
  swallows: [{ pattern: /\bexception\s+when\s+others\b|^\s*\\(?:q|quit)\b/i }],
  redefines: [
    /\bcreate\s+(?:or\s+replace\s+)?function\s+(?:\w+\.)?(?:is|isnt|ok|results_eq|finish|plan|throws_ok)\s*\(/i,
  ],
  mocks: [/\bcreate\s+or\s+replace\s+(?:temp(?:orary)?\s+)?(?:function|view|procedure)\s+(?:\w+\.)?(\w+)/i],
  notices: [],
  suppressions: [],
};

/** Tests of Terraform and OpenTofu. */
export const terraform: Language = {
  ...others,
  name: 'Terraform',
  same: [[/(?<=^condition\s*=.*)\s*==\s*true$/, '']],
  files: /\.(?:tftest|tofutest)\.hcl$/,
  syntax: { line: ['#', '//'], block: [['/*', '*/']], quotes: '"' },
  found: /\.hcl$/,
  cases: /^\s*run\s+"/g,
  tables: /=\s*[[{]\s*$/,
  assertions: /\bcondition\s*=|\bexpect_failures\s*=/g,
  exact: /==|!=|expect_failures/,
  partial: /[<>]=?|\bcontains\s*\(|\bstartswith\s*\(|\bregex\s*\(|\ball(?:true)?\s*\(/,
  hollow: [
    /^condition\s*=\s*(?:true|can\s*\(.*\)|length\s*\(.*\)\s*>=\s*0)\s*$/,
    /^condition\s*=\s*(.+?)\s*==\s*\1\s*$/,
    /\|\|\s*true\b|\btry\s*\(.*,\s*true\s*\)/,
  ],
  skips: [],
  swallows: [],
  redefines: [/^\s*override_(?:resource|data|module)\b/],
  mocks: [],
  notices: [],
  suppressions: [],
};
