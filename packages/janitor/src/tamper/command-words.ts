import { flowOfCapture, flowOfFile, flowOfPipe, inputsRun, type Flow } from './command-flow.ts';
import { roleOf, wordOf, type CommandWord, type Role } from './command-subjects.ts';
import { shellParts, type Pipeline, type ShellWord, type Stage } from './shell-parts.ts';

/** One simple command of a script. */
export interface Command {
  /** The name of its program. */
  program: string;
  /** What of it is part of what it does: its program, settings and what is run; not what it only looks at. */
  words: CommandWord[];
  /** Words that its program may run as folders of tools: it is no linter, runner of tests or package manager. */
  folders: string[];
  /** Folders that the commands after it are run in. */
  enters: string[];
  /** Names that can be those of scripts in a package.json. */
  names: string[];
  /** Programs in a language that are written in it. */
  code: string[];
  /** Whether another command looks at what it prints: what it runs is then what is judged, not what judges. */
  isObserved: boolean;
}

/** Words of a script, in quotes or not, beside signs and without variables of the shell. Pure. */
export function wordsOf(script: string): string[] {
  return script
    .replace(/\$\w+|\$\{\w+\}/g, ' ')
    .split(/[\s"'`;&|()={}$<>,]+/)
    .filter((word) => word !== '');
}

/** How commands are read: where their output goes, and whether a pipe fails with each of its parts. */
interface Around {
  flow: Flow;
  isStrict: boolean;
  later: readonly Stage[];
  depth: number;
}

/** The simple commands of a script, with those that are handed to other shells. Pure. */
export function commandsOf(script: string): Command[] {
  return commandsIn(script, { ...top, isStrict: script.includes('pipefail') });
}

/** The commands of a program with its arguments. Pure. */
export function commandsOfArguments(texts: readonly string[]): Command[] {
  const words = texts.map((text) => ({ text, raw: text, captures: [] }));
  const isStrict = texts.some((text) => text.includes('pipefail'));
  return ofStage({ words, body: null, inputs: [], outputs: [], texts: [] }, { ...top, isStrict });
}

const top: Around = { flow: 'told', isStrict: false, later: [], depth: 0 };
const deepest = 12;
/** How far a script is read for what becomes of an output. */
const mostLater = 50;

function commandsIn(script: string, around: Around): Command[] {
  return around.depth > deepest
    ? []
    : ofPipelines(shellParts(script), { ...around, depth: around.depth + 1 });
}

function ofPipelines(pipelines: readonly Pipeline[], around: Around): Command[] {
  return pipelines.flatMap(({ stages }, at) =>
    stages.flatMap((stage, index) => {
      const later = [...pipelines.slice(at + 1, at + mostLater).flatMap(flatStages), ...around.later];
      const piped = flowOfPipe(stages.slice(index + 1), { outer: around.flow, isStrict: around.isStrict });
      const flow = piped === 'told' ? flowOfFile(stage, { flow: piped, later }) : piped;
      return ofStage(stage, { ...around, flow, later });
    }),
  );
}

function flatStages({ stages }: Pipeline): Stage[] {
  return stages.flatMap((stage) => [
    stage,
    ...(stage.body ?? []).flatMap(flatStages),
    ...stage.words.flatMap(({ captures }) => captures.flat().flatMap(flatStages)),
  ]);
}

function ofStage(stage: Stage, around: Around): Command[] {
  const { words, body } = stage;
  const captured = words.flatMap((word) =>
    word.captures.flatMap((inside) =>
      ofPipelines(inside, { ...around, flow: flowOfCapture(word, { stage, ...around }) }),
    ),
  );
  if (body === null) return [...simple(stage, around), ...captured];
  const inputs = inputsRun(stage) ? stage.inputs.map(({ text }) => wordOf(text, { isRun: true })) : [];
  return [...captured, { ...none, words: inputs }, ...ofPipelines(body, around)];
}

const none: Command = {
  program: '',
  words: [],
  folders: [],
  enters: [],
  names: [],
  code: [],
  isObserved: false,
};

function simple(stage: Stage, around: Around): Command[] {
  const { flow } = around;
  const texts = stage.words.map(({ text }) => text);
  const role = roleOf(texts);
  const { kind, name, at } = role.program;
  const operands = texts.slice(at + 1).filter((text) => !text.startsWith('-'));
  const isGiven = flow === 'run' || (flow === 'given' && kind === 'reader');
  const isShell =
    kind === 'shell' || kind === 'sources' || kind === 'manager' || kind === 'unknown' || name === 'trap';
  const scripts = [...(isShell ? role.code : []), ...textsRun(stage, { role, flow, shell: true })];
  const code = [...(isShell ? [] : role.code), ...textsRun(stage, { role, flow, shell: false })];
  const own: Command = {
    program: name,
    words: [
      ...role.definitions,
      ...inputsOf(stage, role),
      ...(isGiven ? operands.map((text) => wordOf(text, { isRun: true })) : []),
    ],
    folders:
      isGiven || /^(?:unknown|language|shell)$/.test(kind) || role.nested.length > 0
        ? [...texts.slice(0, at), ...operands]
        : [],
    enters: /^(?:cd|pushd)$/.test(name) ? operands.slice(0, 1) : [],
    names: namesOf(texts, role),
    code,
    isObserved: flow === 'observed',
  };
  const nested = role.nested.map((from) => ({
    ...stage,
    words: uncaptured(stage.words.slice(from)),
    inputs: [],
  }));
  return [
    own,
    ...nested.flatMap((inside) =>
      around.depth > deepest ? [] : ofStage(inside, { ...around, depth: around.depth + 1 }),
    ),
    ...scripts.flatMap((script) => commandsIn(script, around)),
  ];
}

const uncaptured = (words: readonly ShellWord[]): ShellWord[] =>
  words.map((word) => ({ ...word, captures: [] }));

/** What a command reads as its program. */
function inputsOf({ inputs }: Stage, { program: { kind, isModule }, script, code }: Role): CommandWord[] {
  const isProgram =
    (kind === 'shell' || kind === 'language') && !isModule && script === null && code.length === 0;
  if (isProgram) return inputs.map(({ text }) => wordOf(text, { isRun: true }));
  return kind === 'unknown' ? inputs.map(({ text }) => wordOf(text, { isLoose: true })) : [];
}

/** Texts in a script that are run as programs. */
function textsRun(stage: Stage, { role, flow, shell }: { role: Role; flow: Flow; shell: boolean }): string[] {
  const { kind, isModule } = role.program;
  const isBare = role.script === null && role.code.length === 0 && !isModule;
  if (kind === 'shell' && isBare) return shell ? [...stage.texts] : [];
  if (kind === 'language' && isBare) return shell ? [] : [...stage.texts];
  return flow === 'run' ? [...stage.texts] : [];
}

const runsScripts =
  /^(?:npm|pnpm|yarn|bun|run-s|run-p|npm-run-all|turbo|nx|lerna|wireit|nodemon|concurrently)$/;

function namesOf(texts: readonly string[], { program: { name, at } }: Role): string[] {
  const rest = texts.slice(at + 1).flatMap((text) => text.split(/[\s,]+/));
  const runsScript = (name === 'node' || name === 'bun') && rest.some((text) => text.startsWith('--run'));
  const isManager = runsScripts.test(name) || /^(?:npm|pnpm|yarn|bun)$/.test(texts[0] ?? '') || runsScript;
  const marked = rest.filter((text) => /^(?:npm|pnpm|yarn|bun|node):/.test(text));
  if (!isManager) return marked;
  const names = rest.map((text) => text.replace(/^--run=/, ''));
  if (names.some((text) => text === 't' || text === 'tst')) names.push('test');
  if (names.some((text) => /^(?:ci|i|install|add)$/.test(text))) names.push('install', 'prepare');
  return names;
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
