import { expectsPanic } from './harmless.ts';
import type { Language } from './language.ts';

/** Rust's own tests, also in the files that they test. */
export const rust: Language = {
  name: 'Rust',
  files: /\.rs$/,
  syntax: { line: ['//'], block: [['/*', '*/']], quotes: '"' },
  inline: /#\[cfg\((?:test|all\(test|any\(test)|#\[(?:\w+::)*test\b|^\s*mod\s+tests?\b/,
  cases: /#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck|proptest|bench)\b(?:\([^)]*\))?\s*\]/g,
  tables: /#\[case\b|#\[test_case\b|\bfor\b.*\bin\b|=\s*(?:vec!)?\[\s*$|\[\s*$/,
  assertions:
    /\b(?:debug_|prop_)?assert(?:_\w+)?!\s*\(|\bpanic!\s*\(|\bunreachable!\s*\(|#\[should_panic|\binsta::assert_\w+!\s*\(/g,
  exact:
    /(?<!debug_)assert_(?:eq|ne)!|==|!=|assert_\w*snapshot!|should_panic\s*\(\s*expected|should_panic\s*=/,
  partial: /matches!|\.contains\s*\(|is_(?:ok|err|some|none)\s*\(|[<>]=?|should_panic/,
  hollow: [
    /^(?:debug_)?assert!\s*\(\s*(?:true|!false|1\s*==\s*1)\s*[,)]/,
    /^(?:debug_)?assert_eq!\s*\(\s*([^,()]+(?:\([^()]*\))?)\s*,\s*\1\s*[,)]/,
    /^(?:debug_)?assert!\s*\(\s*(.+?)\s*==\s*\1\s*\)/,
    /\|\|\s*true\b/,
  ],
  skips: [
    { pattern: /#!?\[ignore\b|#!?\[cfg_attr\([^\]]*\bignore\b/ },
    { pattern: /#!?\[cfg\(\s*(?:any\(\s*\)|FALSE|not\(|all\(\s*test\s*,)/ },
    { pattern: /#!?\[cfg\(\s*(?:feature|target_os|windows|unix)/, fineIfNew: true },
    { pattern: /\bprop_assume!\s*\(/, fineIfNew: true },
    { pattern: /\bif\s+false\b|\bwhile\s+false\b/ },
  ],
  swallows: [
    { pattern: /\bprocess::exit\s*\(\s*0\s*\)/ },
    { pattern: /\bcatch_unwind\s*\(/, fineIn: expectsPanic },
    { pattern: /\bpanic::set_hook\s*\(/ },
    { pattern: /#\[should_panic\s*\]/, fineIfNew: true },
  ],
  redefines: [
    /\bmacro_rules!\s*(?:debug_)?assert(?:_eq|_ne)?\b/,
    /\buse\b.*\bas\s+assert(?:_eq|_ne)?\b/,
    /\bmacro_rules!\s*panic\b/,
  ],
  mocks: [/#\[cfg\(test\)\]\s*(?:pub\s+)?fn\s+(\w+)/],
  notices: [
    /\bcfg!\s*\(\s*(?:any\(|all\()?\s*test\b|#\[cfg\(\s*(?:all\()?\s*not\(\s*test\s*\)/,
    /\benv::var(?:_os)?\s*\(\s*"(?:CI|TESTING|TEST|RUST_TEST\w*|NEXTEST\w*|GITHUB_ACTIONS|BATON\w*)"/,
    /^(?!.*\b(?:e?print(?:ln)?|format|write(?:ln)?|trace|debug|info|warn|error|log|panic)!\s*\().*\bthread::current\s*\(\s*\)\.name\b/,
  ],
  suppressions: [
    { pattern: /#!?\[(?:allow|expect)\s*\(|#!?\[cfg_attr\([^\]]*\ballow\s*\(/ },
    {
      pattern:
        /#!?\[(?:rustfmt::skip|coverage\s*\(\s*off|tarpaulin::skip)|#!?\[cfg_attr\([^\]]*(?:coverage|tarpaulin)/,
    },
  ],
};
