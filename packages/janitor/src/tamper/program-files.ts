import { posix } from 'node:path';
import picomatch from 'picomatch';
import { wordOf, type CommandWord } from './command-subjects.ts';
import { recipeScript } from './recipe-scripts.ts';
import { testFiles } from './test-file.ts';
import { isTestPath } from './test-paths.ts';

/** What of a repository words can name. */
interface Place {
  /** The folder that a command is run in. */
  folder: string;
  paths: ReadonlySet<string>;
  folders: ReadonlySet<string>;
}

const endings = [
  'js',
  'mjs',
  'cjs',
  'ts',
  'mts',
  'cts',
  'tsx',
  'jsx',
  'json',
  'py',
  'sh',
  'bash',
  'rb',
  'pl',
  'php',
];
const entries = [
  ...['js', 'mjs', 'cjs', 'ts', 'mts', 'json'].map((ending) => `index.${ending}`),
  ...['__main__.py', '__init__.py', 'main.go', 'main.py', 'main.js', 'main.ts', 'mod.ts', 'package.json'],
];

/** Files that a word may name: as it is, with its ending left out, the entry of a folder, or a module of Python. Pure. */
export function entriesOf({ text, isRun, isModule, isSourced }: CommandWord, place: Place): string[] {
  const { folder, paths, folders } = place;
  const name = (isModule ? text.replaceAll('.', '/') : text).replace(/^\/+/, '');
  if (name === '' || name.startsWith('-')) return [];
  const path = posix.join(folder, name).replace(/\/+$/, '');
  if (/[*?[]/.test(name)) return isRun || name.includes('/') ? matching(path, paths) : [];
  const isPath = isRun || isModule || isSourced || name.includes('/');
  const isEntered = (isRun || isModule) && folders.has(path);
  const inside = isEntered ? entries.map((entry) => `${path}/${entry}`) : [];
  const named = isPath ? endings.map((ending) => `${path}.${ending}`) : [];
  const go = isRun && isEntered ? [...paths].filter((one) => isGoOf(path, one)) : [];
  return [
    path,
    ...named,
    ...inside,
    ...go,
    // TypeScript is imported by the name that it is compiled to.
    path.replace(/\.([cm]?)js$/, '.$1ts'),
  ].filter((one) => paths.has(one));
}

/** Files that a pattern of a shell names. */
function matching(pattern: string, paths: ReadonlySet<string>): string[] {
  const matches = picomatch(pattern);
  return [...paths].filter((one) => matches(one));
}

function isGoOf(folder: string, path: string): boolean {
  return posix.dirname(path) === folder && path.endsWith('.go');
}

const tooling =
  /(^|\/)\.?(ci|scripts?|tools?|tooling|hack|checks?|lint(ing)?|qa|quality|gates?|verify|validation|build-?tools|dev)\//;
const product = /(^|\/)(src|lib|app|source|sources|pkg|internal)\//;

/** Whether a file lies in a folder of tools. Pure. */
export function isTooling(path: string): boolean {
  return tooling.test(path) && !product.test(path);
}

/** Whether a file lies in a folder of the product. Pure. */
export function isProduct(path: string): boolean {
  return product.test(path);
}

/**
 * Whether a file that a program names is part of the gate, too: a tool, what its shell loads, or a runner of tests. Any other is what the
 * gate looks at. `of` is the path of the program; empty for one that is written in the command line. Pure.
 */
export function isFollowed(path: string, { of, word }: { of: string; word: CommandWord }): boolean {
  if (isTooling(path)) return true;
  if (isTestPath(path)) return word.isRun || word.isSourced;
  if (isTestPath(of) || product.test(path)) return false;
  return word.isSourced || partsOfName(path).some((part) => judging.test(part));
}

const judging =
  /^(?:checks?|lints?|linting|verify|verification|validate|validation|tests?|gates?|ci|asserts?|assertions?|specs?)$/;

/** The words that a file's name is made of. */
function partsOfName(path: string): string[] {
  return posix
    .basename(path)
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
}

/** Files of recipes by which a program looks its commands up, as make does. Pure. */
export function recipesOf(program: string): readonly string[] {
  return recipes.find(([name]) => name === program)?.[1] ?? [];
}

const recipes: readonly (readonly [program: string, files: readonly string[]])[] = [
  ['make', ['GNUmakefile', 'makefile', 'Makefile']],
  ['gmake', ['GNUmakefile', 'makefile', 'Makefile']],
  ['just', ['justfile', 'Justfile', '.justfile']],
  ['task', ['Taskfile.yml', 'Taskfile.yaml']],
  ['tox', ['tox.ini']],
  ['nox', ['noxfile.py']],
  ['invoke', ['tasks.py']],
];

/** Whether a file under a test path runs other tests instead of asserting something itself. Pure. */
export function runsTests(path: string, text: string): boolean {
  const lines = text.split('\n').map((line, at) => ({ at: at + 1, text: line.replace(/\r$/, '') }));
  const [test] = testFiles([{ path, before: lines, after: lines, removed: [], added: [] }]);
  if (test === undefined) return true;
  const { cases, assertions } = test.before;
  if (cases.length > 0) return false;
  const asserts = assertions.some(({ text: one }) => !/^(?:exit|return|fail)\b/.test(one));
  const starts =
    /\bchild_process\b|\bexeca\b|\b(?:spawn|fork|exec(?:File)?)(?:Sync)?\s*\(|\bsubprocess\b|\bos\.system\b|\bpytest\.main\b/;
  return !asserts || (starts.test(text) && namesTests(text));
}

/** Whether a text names a runner of tests or a test. */
function namesTests(text: string): boolean {
  const runners =
    /\b(?:pytest|unittest|nose2|jest|vitest|mocha|ava|rspec|phpunit|ctest|bats)\b|--test\b|\b(?:npm|pnpm|yarn|go|cargo|make|mvn|bun|deno)['",\s]+(?:run['",\s]+)?t(?:est)?\b/;
  return (
    runners.test(text.replace(/^\s*(?:import|from)\s.*$/gm, '')) ||
    quotedWords(text).some((word) => isTestPath(word.text))
  );
}

/** What a program loads or runs: words that name files, and for a shell or a recipe all of its text. Pure. */
export function importedBy(path: string, text: string): { words: CommandWord[]; script: string | null } {
  if (/\.(?:[cm]?[jt]sx?)$/.test(path)) return { words: quotedWords(text), script: null };
  if (/\.py$/.test(path)) return { words: [...moduleWords(text), ...quotedWords(text)], script: null };
  const isShell =
    /\.(?:sh|bash|zsh|ksh|bats)$|(^|\/)(?:GNU)?[Mm]akefile$|[jJ]ustfile$|(^|\/)Taskfile\.ya?ml$|(^|\/)tox\.ini$/.test(
      path,
    ) || /^#!.*\b(?:ba|z|k|da)?sh\b/.test(text);
  if (isShell) return { words: [], script: recipeScript(path, text) };
  return {
    words: /^#!.*\b(?:node|bun|deno|python[\d.]*)\b/.test(text) ? quotedWords(text) : [],
    script: null,
  };
}

/** What code loads that is written in a command line, in JavaScript, Python or their like. Pure. */
export function inlineWords(code: string): CommandWord[] {
  return [...moduleWords(code.replaceAll(';', '\n')), ...quotedWords(code)];
}

/** Strings that look like paths, such as those of imports and of programs that are started. */
function quotedWords(text: string): CommandWord[] {
  return [...text.matchAll(/(["'`])((?:\.{0,2}\/)?[\w.@-]+(?:\/[\w.@-]+)*)\1/g)]
    .map(([, , name = '']) => name)
    .filter((name) => name.includes('/') || name.includes('.'))
    .map((name) => wordOf(name));
}

function moduleWords(text: string): CommandWord[] {
  return [...text.matchAll(/^\s*(?:from\s+\.*([\w.]*)\s+import\s+(\w+)|import\s+([\w.]+))/gm)]
    .flatMap(([, from, name, module]) => [module, from, `${from ?? ''}.${name ?? ''}`.replace(/^\./, '')])
    .filter((name): name is string => name !== undefined && name !== '')
    .map((name) => wordOf(name, { isModule: true }));
}
