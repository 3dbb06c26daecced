import { losesStatus } from './harmless.ts';
import type { Language } from './language.ts';

/** Shell scripts as tests, bats and shunit2. */
export const shell: Language = {
  name: 'shell',
  files: /\.(sh|bash|zsh|bats|ksh)$|(^|\/)(bin|sbin|libexec|scripts?)\/[\w-]+$/,
  syntax: { line: ['#'], block: [], quotes: '' },
  found: /\.bats$|(^|[/_.-])tests?[^/]*\.(sh|bash|zsh)$|(^|\/)tests?\/[^/]*\.(sh|bash|zsh)$/,
  cases: /^\s*@test\s+["']|^\s*(?:function\s+)?test_?\w*\s*\(\s*\)/g,
  tables: /^\s*for\b|^\s*while\s+read\b|<<[-~]?\s*\w/,
  assertions:
    /(?:^\s*|[;&|]\s*|\bif\s+|!\s*|\bthen\s+)(?:\[\[?\s|test\s|assert\w*\s|refute\w*\s|diff\s|cmp\s|grep\s+-\w*q|exit\s+[1-9]|fail\b|false\b|return\s+[1-9])/g,
  exact: /\s=\s|\s==\s|\s!=\s|-(?:eq|ne)\s|assert\w*[eE]qual|\bdiff\s|\bcmp\s/,
  partial: /\bgrep\b|=~|-(?:gt|lt|ge|le)\s|assert_\w*(?:output|line)/,
  // A part of what was printed is not the whole of it.
  forgets: /\$\{\w+(?:\[\w+\])?(?:\/|##?|%%?|\^|,)/,
  then: /\s*\|{1,2}\s*(?:\{.*)?$/,
  hollow: [
    /\[\[?\s+(?:1\s+-eq\s+1|true|1|-n\s+"?\w+"?)\s+\]|^test\s+1\s*=\s*1/,
    /\[\[?\s+(\S+)\s+(?:==?|-eq)\s+\1\s+\]/,
    /\bassert\w*\s+true\b|\bassert_?[eE]quals?\s+(\S+)\s+\1\s*$/,
    /\s(?:==?|-eq)\s.*\]\]?\s*&&\s*(?:echo|printf|true|:)(?:\s|$)/,
    /\|\|\s*(?:true|:|exit\s+0|return\s+0|echo\b)/,
  ],
  skips: [
    { pattern: /^\s*skip\b|\bstartSkipping\b|\bSKIP=1\b/ },
    { pattern: /(?:&&|\bthen)\s*(?:return(?:\s+0)?|exit\s+0)\s*(?:$|[;}])/ },
    { pattern: /^\s*if\s+(?:false|\[\s+0\s*=\s*1)|^\s*:\s*<</ },
    { pattern: /^\s*(?:#\s*)?bats:focus|\bbats:focus\b/, inComments: true },
  ],
  swallows: [
    { pattern: /^\s*exit\s+0\b|^\s*exit\s*$|\btrap\s+.*exit\s+0/ },
    { pattern: /^\s*(?:echo|printf|true|:)(?:\s|$)/, fineIn: (code, line) => !losesStatus(code, line) },
    { pattern: /^\s*set\s+\+e|^\s*set\s+\+o\s+(?:errexit|pipefail)/ },
    { pattern: /\|\|\s*(?:true|:|exit\s+0|return\s+0)\s*(?:$|[;)}])|;\s*true\s*["']?\s*$|;\s*:\s*$/ },
  ],
  redefines: [
    /^\s*(?:function\s+)?(?:(?:test|\[|diff|cmp|grep|exit)\s*\(\s*\)|(?:assert\w*|refute\w*|fail)\s*\(\s*\)\s*\{\s*(?:true|:|return\s+0))/,
    /^\s*alias\s+/,
  ],
  mocks: [],
  notices: [/\$\{?(?:CI|BATS_\w+|TESTING|GITHUB_ACTIONS|BATON\w*)\b|\bbats-run\b/],
  suppressions: [{ pattern: /\bshellcheck\s+disable\b/, inComments: true }],
};
