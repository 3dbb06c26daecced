import { posix } from 'node:path';

const language = /^(?:node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|pypy3?|ruby|perl|php|lua)$/;
const shell = /^(?:bash|sh|zsh|ksh|dash|ash|pwsh)$/;
/** Programs that read what they are given and run none of it. */
const reader =
  /^(?:test|\[{1,2}|[ef]?grep|rg|cat|tac|nl|head|tail|wc|ls|stat|file|cut|sort|uniq|tr|od|xxd|jq|yq|[gm]?awk|sed)$/;
/** Linters, compilers and runners of tests: what they are given is what they judge. */
const checker =
  /^(?:eslint|prettier|biome|oxlint|stylelint|tslint|standard|xo|tsc|vue-tsc|vitest|jest|mocha|ava|tap|uvu|tsd|ruff|black|flake8|mypy|pyright|basedpyright|ty|pylint|isort|bandit|pytest|nose2|unittest|py_compile|compileall|shellcheck|shfmt|yamllint|markdownlint\S*|rubocop|rspec|golangci-lint|gofmt|rustfmt|semgrep|cspell|codespell|typos|hadolint|actionlint|xmllint|tidy|--test|--check|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|rustc|javac|kotlinc|swiftc)$/;
const settings = /^--?(?:[cfpr]$|\S*(?:config|rc|rules|require|import|plugin|preset|setup|load|project))/i;

/** Whether a word after these is only looked at by its command. Pure. */
export function isSubject(before: readonly string[]): boolean {
  const programs = before.map((word) => posix.basename(word));
  const at = programs.slice(0, 5).findIndex((program) => reader.test(program) || checker.test(program));
  if (at < 0) return checksSyntax(programs);
  const rest = programs.slice(at + 1);
  if (rest.some((program) => language.test(program) || shell.test(program))) return false;
  const [program = '', last = ''] = [programs[at], before.at(-1)];
  if (/^(?:test|\[{1,2})$/.test(program)) return true;
  if (reader.test(program)) return !/^(?:-f|--file|--from-file)$/.test(last);
  return !settings.test(last);
}

/** `bash -n`, `php -l`, `ruby -c` and their like. */
function checksSyntax(programs: readonly string[]): boolean {
  const at = programs.findIndex((program) => language.test(program) || shell.test(program));
  const [program = '', option = ''] = programs.slice(Math.max(at, 0));
  if (shell.test(program)) return option === '-n';
  return program === 'php' ? option === '-l' : /^(?:node|ruby|perl)$/.test(program) && /^-w?c$/.test(option);
}

/**
 * Where the output of a command goes, by what is around it (texts at even places, separators at odd ones): to an interpreter that runs
 * it, to a command that looks at it, or nowhere in particular. Pure.
 */
export function flowOf(parts: readonly string[], at: number): 'run' | 'observed' | 'told' {
  const [before = '', separator = ''] = [parts[at - 2], parts[at - 1]];
  const [next = '', after = ''] = [parts[at + 1], parts[at + 2]];
  const isCaptured = separator.includes('`') || (separator.endsWith('(') && /[$<]["']?$/.test(before));
  if (isCaptured) return isRunBy(before, { first: false }) ? 'run' : 'observed';
  const isPiped = /^\|&?$/.test(next);
  if (!isPiped) return 'told';
  if (isRunBy(after, { first: true })) return 'run';
  return /^\s*(?:tee|cat|xargs|while|head|tail)\b/.test(after) ? 'told' : 'observed';
}

/** Whether a command hands what it is given to an interpreter: by its first words, or by its last ones. */
function isRunBy(text: string, { first }: { first: boolean }): boolean {
  const words = text.split(/[\s"'$<>]+/).filter((word) => word !== '');
  const [program = '', last = ''] = [words[0], words.at(-1)].map((word) => posix.basename(word ?? ''));
  const runs = (word: string) => language.test(word) || shell.test(word);
  if (!first) return runs(last) || /^(?:-\w*[cer]|--eval|--print|eval|source|\.)$/.test(last);
  return runs(program) || (/^(?:xargs|env|sudo|time)$/.test(program) && words.some((word) => runs(word)));
}

const inline =
  /(?<=(?:^|[\s;|&("'/])(?:python[\d.]*\s(?:[^;|&"'\n]*\s)?-c|php\s(?:[^;|&"'\n]*\s)?-r|(?:node|nodejs|bun|deno|ruby|perl)\s(?:[^;|&"'\n]*\s)?(?:-p?e|-p|--eval|--print|eval))\s+)(["'])((?:\\.|(?!\1)[^\\])*)\1/g;

/** A command line without the programs that are written in it, such as those of `node -e`, and these. Pure. */
export function splitInline(script: string): { script: string; code: string[] } {
  const code: string[] = [];
  const rest = script.replace(inline, (_all, _quote, text: string) => {
    code.push(text);
    return ' ';
  });
  return { script: rest, code };
}

/** The same for the arguments of a program. Pure. */
export function splitArguments(command: readonly string[]): { words: string[]; code: string[] } {
  const programs = command.map((word) => posix.basename(word));
  const isCode = (_: string, at: number): boolean => {
    const program = programs.slice(0, Math.max(0, at - 1)).find((word) => language.test(word)) ?? '';
    return evaluates(program).test(command[at - 1] ?? '');
  };
  return {
    words: command.filter((word, at) => !isCode(word, at)),
    code: command.filter(isCode),
  };
}

/** The option of an interpreter that code follows. */
function evaluates(program: string): RegExp {
  if (program === '') return /^$(?!)/;
  if (/^(?:python|pypy)/.test(program)) return /^-c$/;
  return program === 'php' ? /^-r$/ : /^(?:-p?e|-p|--eval|--print|eval)$/;
}
