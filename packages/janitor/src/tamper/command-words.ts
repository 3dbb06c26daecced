import { posix } from 'node:path';
import { flowOf, isSubject } from './command-subjects.ts';

/** A word of a command, and whether an interpreter before it runs what it names. */
export interface CommandWord {
  text: string;
  isRun: boolean;
  /** What `python -m` names. */
  isModule: boolean;
  /** `.` or `source` of a shell. */
  isSourced: boolean;
  /** Whether the command only looks at what it names: its text is no part of the verdict’s rules. */
  isSubject: boolean;
}

/** One simple command of a script. */
export interface Command {
  words: CommandWord[];
  /** Whether its program may run what lies in a folder that it is given: it is no linter, runner of tests or package manager. */
  runsFolders: boolean;
  /** Whether another command looks at what it prints: what it runs is then what is judged, not what judges. */
  isObserved: boolean;
}

const interpreter =
  /^(?:node|nodejs|bun|deno|tsx|ts-node|npx|jiti|python[\d.]*|pypy3?|ruby|perl|php|lua|bash|sh|zsh|ksh|dash|ash|pwsh|go|run|exec|source|\.|time|env|-r|--require|--import|--loader)$/;
const judge =
  /^(?:eslint|prettier|biome|oxlint|stylelint|tslint|standard|xo|tsc|vue-tsc|vitest|jest|mocha|ava|tap|uvu|c8|nyc|tsd|knip|depcheck|madge|ruff|black|flake8|mypy|pyright|basedpyright|ty|pylint|isort|bandit|pytest|nose2|unittest|coverage|shellcheck|shfmt|yamllint|markdownlint\S*|rubocop|rspec|golangci-lint|gofmt|cargo|semgrep|cspell|codespell|typos|hadolint|actionlint|ls|rm|mkdir|cp|mv|find|grep|rg|git|tar|diff|echo|test|\[|--test|chmod|touch|cat)$/;
const manager = /^(?:npm|pnpm|yarn|make|gmake|just|task|mvn|gradle|turbo|nx|lerna|tox|nox|composer)$/;

/** Words of a script, in quotes or not, beside signs and without variables of the shell. Pure. */
export function wordsOf(script: string): string[] {
  return script
    .replace(/\$\w+|\$\{\w+\}/g, ' ')
    .split(/[\s"'`;&|()={}$<>,]+/)
    .filter((word) => word !== '');
}

/** The simple commands of a script; what quotes hold counts as commands, too, as `sh -c` has them. Pure. */
export function commandsOf(script: string): Command[] {
  const parts = script.replace(/\\\r?\n/g, ' ').split(/([;\n|&()`]+)/);
  return parts.flatMap((text, at) => {
    const words = wordsOf(text);
    if (at % 2 === 1 || words.length === 0) return [];
    const programs = words.slice(0, 5).map((word) => posix.basename(word));
    const judges = programs.some((program) => judge.test(program));
    const flow = flowOf(parts, at);
    return {
      words: words.map((word, index) =>
        readWord(word, { before: words.slice(0, index), judges, isRead: flow !== 'run' }),
      ),
      runsFolders: !judges && !programs.some((program) => manager.test(program)),
      isObserved: flow === 'observed',
    };
  });
}

/** Linters and runners of tests look at files that they are given, and run only what they load. */
function readWord(
  text: string,
  { before, judges, isRead }: { before: readonly string[]; judges: boolean; isRead: boolean },
): CommandWord {
  const last = before.at(-1) ?? '';
  const program = before.findLast((word) => !word.startsWith('-') || /^--?(?:r|require|import)$/.test(word));
  const isRun = program !== undefined && interpreter.test(posix.basename(program));
  return {
    text,
    isRun: isRun && (!judges || program.startsWith('-')),
    isModule: last === '-m',
    isSourced: last === '.' || last === 'source',
    isSubject: isRead && isSubject(before),
  };
}

/** Folders that a script changes to, or has a tool change to, relative to the one that it begins in. Pure. */
export function foldersOf(script: string): string[] {
  const words = wordsOf(script);
  return words.flatMap((word, at) => {
    const next = words[at + 1];
    const changes = /^(?:cd|pushd|-C|--prefix|--cwd|--dir|--directory|--project|--package-dir)$/.test(word);
    return changes && next !== undefined && !next.startsWith('-') ? [next] : [];
  });
}

/** Whether a word of a script names one of a manifest's scripts, also by a pattern such as `test:*`. Pure. */
export function namesScript(word: string): (name: string) => boolean {
  const plain = word.replace(/^(?:npm|pnpm|yarn|bun|node):/, '').replace(/^\/\^?|\$?\/$/g, '');
  if (!plain.includes('*')) return (name) => name === plain || name === word;
  const parts = plain.split(/\.?\*+/);
  return (name) => {
    const [first = '', ...rest] = parts;
    if (!name.startsWith(first) || name.length < plain.replace(/\.?\*+/g, '').length) return false;
    let at = first.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return rest.at(-1) === '' || name.endsWith(rest.at(-1) ?? '');
  };
}
