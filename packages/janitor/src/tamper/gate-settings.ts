import { posix } from 'node:path';
import { wordOf, type CommandWord } from './command-subjects.ts';
import { definesGates } from './gate-files.ts';

/** Enough for what people write; those nearest to the root first. */
const mostSettings = 40;
const readable = /\.(?:[cm]?[jt]s|jsonc?|json5|ini|toml|cfg|ya?ml)$|rc$|(^|\/)\.rspec$|(^|\/)conftest\.py$/;
const elsewhere = /^\.(?:github|circleci|woodpecker|buildkite|husky|gitlab-ci)|(^|\/)node_modules\/|lock/;
const beside = /(^|\/)(?:conftest\.py|pyproject\.toml|setup\.cfg|package\.json)$/;

/** Files of settings that runners and linters load by themselves. Pure. */
export function settingsAmong(paths: Iterable<string>): string[] {
  const depth = (path: string) => path.split('/').length;
  return [...paths]
    .filter(
      (path) => (definesGates(path) || beside.test(path)) && readable.test(path) && !elsewhere.test(path),
    )
    .sort((one, other) => depth(one) - depth(other) || (one < other ? -1 : 1))
    .slice(0, mostSettings);
}

/** Keys whose values are loaded as code or as more settings. */
const loading =
  /setup|teardown|reporter|require|import|extends|plugin|preset|transform|runner|environment|resolver|serializer|parser|formatter|loader|processor/i;

/** What settings load: code of their own, other settings, plug-ins. Pure. */
export function loadedBySettings(path: string, text: string): CommandWord[] {
  if (posix.basename(path) === 'conftest.py') return loadedByTests(text);
  const plain = text.replaceAll('<rootDir>/', './');
  const options = [...plain.matchAll(/(?:^|[\s"'=,[])(-p|-r|--require|--import)[\s=]+([\w./-]+)/gm)].map(
    ([, option, name = '']) => wordOf(name, option === '-p' ? { isModule: true } : { isRun: true }),
  );
  return [...options, ...quoted(plain)];
}

/** Strings that stand behind a key, or a word of the language, that loads them. */
function quoted(text: string): CommandWord[] {
  return [...text.matchAll(/(["'`])((?:\.{0,2}\/)?[\w.@-]+(?:\/[\w.@-]+)*)\1(?!\s*:)/g)]
    .filter(({ index, 2: name = '' }) => /[./]/.test(name) && loading.test(keyBefore(text.slice(0, index))))
    .map(([, , name = '']) => wordOf(name, { isRun: true }));
}

/** The key or word that a value belongs to. */
function keyBefore(text: string): string {
  const near = text.slice(-300);
  const [, own] = /\b(from|import|require|resolve)\b\s*\(?\s*$/.exec(near) ?? [];
  if (own !== undefined)
    return own === 'resolve' ? (/\brequire\.resolve\s*\(\s*$/.test(near) ? 'require' : '') : 'import';
  return [...near.matchAll(/([\w-]+)["']?\s*[:=](?!=)/g)].at(-1)?.[1] ?? '';
}

/** What the tests of Python get from elsewhere: plug-ins, and all names of a module. */
function loadedByTests(text: string): CommandWord[] {
  const all = [...text.matchAll(/^from\s+\.?([\w.]+)\s+import\s+\*/gm)].map(([, name = '']) => name);
  const [, plugins = ''] = /^pytest_plugins\s*=\s*(.+(?:\n[\s"'\])(,].*)*)/m.exec(text) ?? [];
  const named = [...plugins.matchAll(/["']([\w.]+)["']/g)].map(([, name = '']) => name);
  return [...all, ...named].map((name) => wordOf(name, { isModule: true }));
}
