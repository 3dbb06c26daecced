import { posix } from 'node:path';

/** What a program does with the files that it is given. */
export type ProgramKind =
  | 'shell'
  | 'language'
  | 'reader'
  | 'printer'
  | 'tester'
  | 'checker'
  | 'compares'
  | 'sources'
  | 'manager'
  | 'unknown';

/** The program of a command: what `env`, `timeout`, `npx` and their like start. */
export interface Program {
  /** Its name without folders. */
  name: string;
  kind: ProgramKind;
  /** Where its word is; as many as there are words where there is none. */
  at: number;
  /** Whether it is a module of Python. */
  isModule: boolean;
}

const kinds: readonly (readonly [ProgramKind, RegExp])[] = [
  ['shell', /^(?:bash|sh|zsh|ksh|dash|ash|pwsh)$/],
  [
    'language',
    /^(?:node|nodejs|bun|deno|tsx|ts-node|jiti|python[\d.]*|pypy3?|ruby|perl|php|lua|java|elixir|julia|Rscript|tclsh|groovy|dart|swift|go)$/,
  ],
  ['sources', /^(?:\.|source|eval)$/],
  ['tester', /^(?:test|\[{1,2}|case|expr)$/],
  ['compares', /^(?:diff|cmp|comm)$/],
  [
    'reader',
    /^(?:[efz]?grep|rg|cat|tac|nl|head|tail|less|wc|stat|file|cut|sort|uniq|tr|od|xxd|jq|yq|[gmn]?awk|sed|sha\d*sum|md5sum|cksum|tee)$/,
  ],
  [
    'printer',
    /^(?:echo|printf|ls|find|mkdir|rmdir|rm|touch|chmod|chown|sleep|kill|wait|cd|pushd|popd|set|shift|true|false|:|exit|return|export|local|read|git|curl|wget|for|trap|unset|mktemp|dirname|basename|which|pip3?)$/,
  ],
  [
    'checker',
    /^(?:eslint|prettier|biome|oxlint|stylelint|tslint|jshint|standard|xo|tsc|vue-tsc|vitest|jest|mocha|ava|tap|uvu|tsd|knip|depcheck|madge|ruff|black|flake8|mypy|pyright|basedpyright|ty|pylint|isort|bandit|pytest|nose2|unittest|doctest|py_compile|compileall|coverage|shellcheck|shfmt|yamllint|markdownlint\S*|rubocop|rspec|golangci-lint|staticcheck|gofmt|rustfmt|cargo|semgrep|cspell|codespell|typos|hadolint|actionlint|xmllint|tidy|phpunit|phpstan|phpcs|psalm|bats|ctest|rustc|javac|kotlinc|swiftc)$/,
  ],
  [
    'manager',
    /^(?:npm|pnpm|yarn|run-s|run-p|npm-run-all|turbo|nx|lerna|wireit|make|gmake|just|task|mvn|mvnw|gradle|gradlew|tox|nox|composer|rake|invoke|poe)$/,
  ],
];

/** Programs that only start another one, with those of their options that take a value, and how many words they take before it. */
const starters: readonly (readonly [program: RegExp, valued: RegExp, operands: number])[] = [
  [/^(?:env|cross-env)$/, /^-[uC]$/, 0],
  [/^g?timeout$/, /^(?:-[sk]|--signal|--kill-after)$/, 1],
  [/^(?:nice|ionice|chrt)$/, /^-[ncp]$/, 0],
  [/^(?:sudo|doas)$/, /^-[ugC]$/, 0],
  [/^xargs$/, /^(?:-[nIPLads]|--max-args|--max-procs|--arg-file|--replace|--delimiter)$/, 0],
  [/^(?:npx|pnpx|bunx|uvx)$/, /^(?:-p|--package|--from|--with)$/, 0],
  [/^(?:time|nohup|exec|command|builtin|setsid|xvfb-run|chronic|unbuffer|c8|nyc|dotenv)$/, /^$/, 0],
  [/^stdbuf$/, /^-[ioe]$/, 0],
  [/^(?:valgrind|strace)$/, /^-[oe]$/, 0],
];
const executors: readonly (readonly [program: RegExp, word: RegExp, operands: number])[] = [
  [/^(?:npm|pnpm|yarn|bun)$/, /^(?:exec|dlx|x)$/, 0],
  [/^(?:uv|poetry|pdm|pipenv|rye|pixi)$/, /^run$/, 0],
  [/^(?:bundle|mise|asdf)$/, /^exec$/, 0],
  [/^direnv$/, /^exec$/, 1],
  [/^uv$/, /^tool$/, 1],
];
const ofRunner = /^(?:-p|--python|--with|--package|--project|--directory|--extra|--group|--env-file|-e)$/;

/** Whether a word only sets a variable. Pure. */
export function isAssignment(text: string): boolean {
  return /^[A-Za-z_]\w*\+?=/.test(text);
}

/** The kind of a program by its name. Pure. */
export function kindOf(name: string): ProgramKind {
  return kinds.find(([, pattern]) => pattern.test(name))?.[0] ?? 'unknown';
}

/** The program that words start, behind settings of the environment and programs that only start another. Pure. */
export function programOf(words: readonly string[]): Program {
  let at = 0;
  for (;;) {
    while (isAssignment(words[at] ?? '')) at += 1;
    const next = behindStarter(words, at);
    if (next === at) break;
    at = next;
  }
  const name = posix.basename(words[at] ?? '');
  const module = moduleOf(words, at);
  if (module !== null) return { ...ofName(posix.basename(words[module] ?? '')), at: module, isModule: true };
  return { ...ofName(name), ...checkOf(words, at), at, isModule: false };
}

function ofName(name: string): { name: string; kind: ProgramKind } {
  return { name, kind: kindOf(name) };
}

function behindStarter(words: readonly string[], at: number): number {
  const name = posix.basename(words[at] ?? '');
  const starter = starters.find(([program]) => program.test(name));
  if (starter !== undefined) return afterOptions(words, { at: at + 1, valued: starter[1] }) + starter[2];
  const executor = executors.find(([program, word]) => program.test(name) && word.test(words[at + 1] ?? ''));
  return executor === undefined ? at : afterOptions(words, { at: at + 2, valued: ofRunner }) + executor[2];
}

function afterOptions(words: readonly string[], { at, valued }: { at: number; valued: RegExp }): number {
  let next = at;
  while ((words[next] ?? '').startsWith('-') && words[next] !== '-') {
    const option = words[next] ?? '';
    next += valued.test(option) ? 2 : 1;
    if (option === '--') break;
  }
  return next;
}

/** Where the module is that Python runs. */
function moduleOf(words: readonly string[], at: number): number | null {
  const name = posix.basename(words[at] ?? '');
  const isCoverage = name === 'coverage' && words[at + 1] === 'run';
  if (!isCoverage && !/^(?:python[\d.]*|pypy3?)$/.test(name)) return null;
  const next = afterOptionsUntil(words, { at: at + (isCoverage ? 2 : 1), end: /^-[A-Za-z]*m$/ });
  return /^-[A-Za-z]*m$/.test(words[next] ?? '') ? next + 1 : null;
}

function afterOptionsUntil(words: readonly string[], { at, end }: { at: number; end: RegExp }): number {
  let next = at;
  while (
    /^-./.test(words[next] ?? '') &&
    !end.test(words[next] ?? '') &&
    !/^-[A-Za-z]*c$/.test(words[next] ?? '')
  )
    next += /^-[WX]$/.test(words[next] ?? '') ? 2 : 1;
  return next;
}

/** Interpreters that only check, build or test here. */
function checkOf(words: readonly string[], at: number): { kind?: ProgramKind; name?: string } {
  const name = posix.basename(words[at] ?? '');
  const rest = words.slice(at + 1);
  const script = rest.findIndex((word) => !word.startsWith('-'));
  const options = script < 0 ? rest : rest.slice(0, script);
  const has = (pattern: RegExp) => options.some((option) => pattern.test(option));
  const [first = ''] = rest.filter((word) => !word.startsWith('-'));
  const checks =
    (kindOf(name) === 'shell' && has(/^-[a-z]*n[a-z]*$/) && !has(/^-[a-z]*c$/)) ||
    (/^(?:node|nodejs)$/.test(name) && has(/^(?:--test(?:-.*)?|--check|-c)$/)) ||
    (name === 'php' && has(/^-l$/)) ||
    (/^(?:ruby|perl)$/.test(name) && has(/^-w?cw?$/)) ||
    (name === 'go' && first !== 'run' && !(rest[0] === '-C' && rest[2] === 'run')) ||
    (name === 'deno' && /^(?:test|check|lint|fmt|bench|doc|compile|bundle)$/.test(first)) ||
    (name === 'bun' && /^(?:test|build)$/.test(first)) ||
    (name === 'swift' && /^(?:test|build)$/.test(first)) ||
    (name === 'dart' && /^(?:test|analyze|format)$/.test(first));
  if (checks) return { kind: 'checker' };
  if (name === 'coverage' && first === 'run') return { kind: 'language', name: 'python' };
  if (name === 'bun' && /^(?:run|install|i)$/.test(first)) return {};
  if ((name === 'npm' || name === 'pnpm' || name === 'yarn') && first === 'node') return { kind: 'language' };
  return {};
}
