import { posix } from 'node:path';
import type { Gate } from '@baton/contracts';
import type { CommandWord } from './command-subjects.ts';
import {
  commandsOf,
  commandsOfArguments,
  foldersOf,
  namesScript,
  wordsOf,
  type Command,
} from './command-words.ts';
import { manifestScripts, manifestSettings } from './gate-scripts.ts';
import { loadedBySettings, settingsAmong } from './gate-settings.ts';
import {
  entriesOf,
  importedBy,
  inlineWords,
  isFollowed,
  isProduct,
  isTooling,
  recipesOf,
  runsTests,
} from './program-files.ts';
import { listPaths, readAt, type ChangeRange } from './read-change.ts';
import { isTestPath } from './test-paths.ts';

/** What gates run of a repository, as it was before a change. */
export interface GatePrograms {
  /** Files that gates run, by themselves or through scripts and other programs. */
  files: ReadonlySet<string>;
  /** Names of the scripts that gates run, by the path of their package.json. */
  scripts: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Enough for what people write; a gate that leads further is followed no more. */
const mostPrograms = 200;

interface Search {
  range: ChangeRange;
  paths: ReadonlySet<string>;
  folders: ReadonlySet<string>;
  /** Files that were looked at. */
  seen: Set<string>;
  files: Set<string>;
  scripts: Map<string, Set<string>>;
  manifests: Map<string, Record<string, string>>;
}

/** Commands, where they are run, and the program that they are of, if they are of one. */
interface Script {
  text: string;
  commands: readonly Command[];
  folders: readonly string[];
  of: string | null;
}

/** Follows the commands of gates through scripts, programs and what these run or load. @throws GIT_FAILED */
export async function gatePrograms(range: ChangeRange, gates: readonly Gate[]): Promise<GatePrograms> {
  const paths = new Set(await listPaths(range, range.from));
  const folders = new Set([...paths].flatMap(foldersAbove));
  const search: Search = {
    ...{ range, paths, folders, seen: new Set(), files: new Set(), scripts: new Map(), manifests: new Map() },
  };
  for (const { command } of gates)
    await visit(search, {
      ...{ text: command.join(' '), commands: commandsOfArguments(command), folders: ['.'], of: null },
    });
  await visitSettings(search);
  return search;
}

/** What runners and linters load by their settings, but for what they are to judge. */
async function visitSettings(search: Search): Promise<void> {
  for (const path of settingsAmong(search.paths)) {
    const all = await readAt(search.range, { commit: search.range.from, path });
    const text = posix.basename(path) === 'package.json' ? manifestSettings(all) : all;
    const folders = [...new Set([posix.dirname(path), '.'])];
    const words = text === null ? [] : loadedBySettings(path, text);
    const found = words.flatMap((word) =>
      folders.flatMap((folder) => entriesOf(word, { folder, ...search })),
    );
    const own = found.filter(
      (one) => !isProduct(one) && !isTestPath(one) && posix.basename(one) !== 'package.json',
    );
    for (const one of take(search, own)) await visitProgram(search, one);
  }
}

/** A program that is written in a command line. */
const inLine = '';

function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

async function visit(search: Search, script: Script): Promise<void> {
  const inside = [...foldersOf(script.text), ...script.commands.flatMap(({ enters }) => enters)].flatMap(
    (folder) => script.folders.map((from) => posix.join(from, folder)),
  );
  const folders = [...new Set([...script.folders, ...inside])];
  const found: string[] = [];
  for (const command of script.commands) found.push(...commandFiles(search, { command, script, folders }));
  const names = script.commands.some(({ program }) => program === 'wireit')
    ? wordsOf(script.text)
    : script.commands.flatMap((command) => command.names);
  if (names.length > 0)
    for (const folder of manifestFolders(search, { script, folders }))
      await visitScripts(search, { folder, names: (name) => names.some((word) => namesScript(word)(name)) });
  for (const path of found) await visitProgram(search, path);
}

/** Files that a command runs, loads or is set up by; those that are new. */
function commandFiles(
  search: Search,
  { command, script, folders }: { command: Command; script: Script; folders: readonly string[] },
): string[] {
  const of = command.isObserved ? (script.of ?? inLine) : script.of;
  const isKnown = (word: CommandWord) =>
    folders.some((folder) => entriesOf(word, { folder, ...search }).length > 0);
  const [program] = command.words.filter(({ text }) => posix.basename(text) === command.program);
  const isProgramKnown = program !== undefined && isKnown(program);
  const found = command.words
    .map((word) => (word.isArgument && !isProgramKnown ? { ...word, isLoose: true } : word))
    .flatMap((word) => wordFiles(search, { word, folders, of: word.isInline ? (of ?? inLine) : of }));
  for (const text of command.folders) found.push(...folderFiles(search, { text, folders, of: script.of }));
  for (const folder of folders)
    found.push(
      ...take(
        search,
        recipesOf(command.program).map((file) => posix.join(folder, file)),
      ),
    );
  return [...found, ...inlineFiles(search, { code: command.code, of })];
}

/** The packages whose scripts a command may run: all of a workspace where it asks for them. */
function manifestFolders(
  { paths }: Search,
  { script, folders }: { script: Script; folders: readonly string[] },
): string[] {
  const ofAll =
    /(?:^|\s)(?:-w|-ws|-r|--workspaces?|--recursive|--filter|-F|workspaces?|turbo|nx|lerna)(?:[\s=]|$)/;
  if (!ofAll.test(script.text)) return [...folders];
  const all = [...paths].filter((path) => posix.basename(path) === 'package.json').map(posix.dirname);
  return [...new Set([...folders, ...all.slice(0, mostPrograms)])];
}

async function visitScripts(
  search: Search,
  { folder, names }: { folder: string; names: (name: string) => boolean },
): Promise<void> {
  const path = posix.join(folder, 'package.json');
  if (!search.paths.has(path)) return;
  const scripts = search.manifests.get(path) ?? (await readScripts(search, path));
  const reached = search.scripts.get(path) ?? new Set();
  search.scripts.set(path, reached);
  const wanted = Object.keys(scripts).filter((name) => names(name) && !reached.has(name));
  for (const name of wanted) reached.add(name);
  for (const name of wanted) {
    await visit(search, { ...scriptOf(scripts[name] ?? ''), folders: [folder], of: null });
    await visitScripts(search, {
      folder,
      names: (other) => other === `pre${name}` || other === `post${name}`,
    });
  }
}

async function readScripts(search: Search, path: string): Promise<Record<string, string>> {
  const scripts = manifestScripts(await readAt(search.range, { commit: search.range.from, path }));
  search.manifests.set(path, scripts);
  return scripts;
}

const scriptOf = (text: string): Pick<Script, 'text' | 'commands'> => ({ text, commands: commandsOf(text) });

/** What programs in a command line load: they judge the product by it. */
function inlineFiles(search: Search, { code, of }: { code: readonly string[]; of: string | null }): string[] {
  const words = code.flatMap(inlineWords);
  return words.flatMap((word) => wordFiles(search, { word, folders: ['.'], of: of ?? inLine }));
}

/** Takes the files that a word names; gives those that are new. */
function wordFiles(
  search: Search,
  { word, folders, of }: { word: CommandWord; folders: readonly string[]; of: string | null },
): string[] {
  const entries = folders.flatMap((folder) => entriesOf(word, { folder, ...search }));
  const own = word.isLoose ? entries.filter(isTooling) : entries;
  return take(search, of === null ? own : own.filter((path) => isFollowed(path, { of, word, ...search })));
}

/** A folder of tools that a program is given, all of it. */
function folderFiles(
  search: Search,
  { text, folders, of }: { text: string; folders: readonly string[]; of: string | null },
): string[] {
  if (of !== null) return [];
  const named = folders.map((folder) => posix.join(folder, text).replace(/\/+$/, ''));
  const tools = named.filter((folder) => search.folders.has(folder) && isTooling(`${folder}/`));
  return take(
    search,
    [...search.paths].filter((path) => tools.some((folder) => path.startsWith(`${folder}/`))),
  );
}

function take({ paths, seen }: Search, found: readonly string[]): string[] {
  const fresh = [...new Set(found)].filter((path) => paths.has(path) && !seen.has(path));
  const taken = fresh.slice(0, Math.max(0, mostPrograms - seen.size));
  for (const path of taken) seen.add(path);
  return taken;
}

async function visitProgram(search: Search, path: string): Promise<void> {
  const text = await readAt(search.range, { commit: search.range.from, path });
  // A test is judged by what it asserts, and may be worked on.
  if (!isTestPath(path) || text === null || runsTests(path, text)) search.files.add(path);
  if (text === null || text.length > 1_000_000) return;
  const folder = posix.dirname(path);
  // A symbolic link holds the path that it leads to.
  const target = text.includes('\n') ? '' : posix.join(folder, text);
  for (const linked of take(search, [target])) await visitProgram(search, linked);
  const { script, words } = importedBy(path, text);
  const found = words.flatMap((word) => wordFiles(search, { word, folders: [folder, '.'], of: path }));
  for (const other of found) await visitProgram(search, other);
  if (script !== null)
    await visit(search, { ...scriptOf(script), folders: [...new Set(['.', folder])], of: path });
}
