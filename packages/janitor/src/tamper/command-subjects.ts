import { posix } from 'node:path';
import { settingsOf } from './command-options.ts';
import { isAssignment, kindOf, programOf, type Program } from './command-programs.ts';

/** A word of a command that is part of what the command does, beside all that it only looks at. */
export interface CommandWord {
  text: string;
  /** Whether an interpreter runs what it names. */
  isRun: boolean;
  /** What `python -m` names. */
  isModule: boolean;
  /** `.` or `source` of a shell. */
  isSourced: boolean;
  /** Whether it counts only where it names a tool: an unknown program is given it. */
  isLoose: boolean;
  /** Whether code in the command line loads it. */
  isInline: boolean;
  /** Whether the file of the command's program has to be known for it to count. */
  isArgument: boolean;
}

/** What the words of a simple command are to its program. */
export interface Role {
  program: Program;
  /** Where the program is that an interpreter runs; null where it reads it, or where there is none. */
  script: number | null;
  /** Programs that are written in the command. */
  code: string[];
  definitions: CommandWord[];
  /** Where other commands begin in it. */
  nested: number[];
}

const plain: Omit<CommandWord, 'text'> = {
  ...{ isRun: false, isModule: false, isSourced: false, isLoose: false, isInline: false, isArgument: false },
};
/** A word of which nothing is known but that it counts. Pure. */
export const wordOf = (text: string, more: Partial<CommandWord> = {}): CommandWord => ({
  ...plain,
  text,
  ...more,
});

/** Settings of the environment by which programs load files. */
const environment = /OPT|ENV|PATH|PLUGIN|PRELOAD|CONFIG|RC$|STARTUP|FLAGS|ARGS/;
/** What a comparison expects. */
const expectation = /expect|golden|want|reference|baseline|snapshot|approved|correct/i;

/** What the words of a simple command are to its program. Pure. */
export function roleOf(texts: readonly string[]): Role {
  const program = programOf(texts);
  const { at, kind, name } = program;
  const before = environmentOf(texts.slice(0, at), at >= texts.length);
  const starters = settingsOf(texts, { from: 0, to: at, name: '', kind: 'unknown' }).filter(
    (value) => !isAssignment(texts[value.at] ?? ''),
  );
  const role: Role = {
    ...{ program, script: null, code: [], nested: [] },
    definitions: [...before, ...starters.map(({ text }) => wordOf(text))],
  };
  if (at >= texts.length) return role;
  const word = texts[at] ?? '';
  if (program.isModule) role.definitions.push(wordOf(word, { isModule: true }));
  else if (kind === 'unknown' || kind === 'manager' || word.includes('/'))
    role.definitions.push(wordOf(word));
  if (kind === 'language' || kind === 'shell') return interpreterRole(texts, role);
  const operands = texts.slice(at + 1).filter((text) => !text.startsWith('-'));
  if (kind === 'sources') {
    if (name === 'eval') role.code.push(operands.join(' '));
    else
      role.definitions.push(
        ...operands.slice(0, 1).map((text) => wordOf(text, { isRun: true, isSourced: true })),
      );
  } else if (kind === 'reader') role.definitions.push(...patternsOf(texts, at));
  else if (kind === 'compares')
    role.definitions.push(...operands.filter((text) => expectation.test(text)).map((text) => wordOf(text)));
  else if (kind === 'printer') printerRole(texts, role);
  else if (kind !== 'tester') givenRole(texts, role);
  return role;
}

/** What settings of the environment name, such as options of Node. */
function environmentOf(texts: readonly string[], isAll: boolean): CommandWord[] {
  return texts.filter(isAssignment).flatMap((text) => {
    const [name = '', value = ''] = text.split(/=(.*)/s);
    if (isAll && !environment.test(name)) return [];
    const words = value.split(/[\s:=,]+/).map((one) => one.replace(/^-r(?=.)/, ''));
    const isModule = name === 'PYTEST_PLUGINS' || name === 'PYTHONSTARTUP';
    return words.filter((one) => one !== '').map((one) => wordOf(one, { isRun: !isModule, isModule }));
  });
}

/** Files of patterns or programs that a reader takes. */
function patternsOf(texts: readonly string[], at: number): CommandWord[] {
  return texts
    .filter((_, index) => index > at + 1 && /^(?:-\w*f|--file|--from-file)$/.test(texts[index - 1] ?? ''))
    .map((text) => wordOf(text));
}

function printerRole(texts: readonly string[], role: Role): void {
  const { at, name } = role.program;
  if (name === 'export') role.definitions.push(...environmentOf(texts.slice(at + 1), false));
  if (name === 'trap') role.code.push(texts[at + 1] ?? '');
  if (name !== 'find') return;
  const starts = texts.flatMap((text, index) => (/^-(?:exec|execdir|ok)$/.test(text) ? [index + 1] : []));
  role.nested.push(...starts);
  const runs = starts.some((start) =>
    /^(?:shell|language|unknown)$/.test(programOf(texts.slice(start)).kind),
  );
  if (runs) role.definitions.push(...texts.slice(at + 1, starts[0]).map((text) => wordOf(text)));
}

/** Checkers, managers and unknown programs: their options decide, the rest is what they are given. */
function givenRole(texts: readonly string[], role: Role): void {
  const { at, kind, name } = role.program;
  const values = settingsOf(texts, { from: at + 1, name: name.replace(/^pip3$/, 'pip'), kind });
  role.definitions.push(
    ...values.map(({ text, isRun, isModule }) => wordOf(text, { isRun: isRun && !isModule, isModule })),
  );
  if (kind === 'checker') return;
  const isStarted = (text: string) =>
    text === posix.basename(text) && /^(?:shell|language)$/.test(kindOf(text));
  const start = kind === 'unknown' ? texts.findIndex((text, index) => index > at && isStarted(text)) : -1;
  if (start > 0) role.nested.push(start);
  const operands = texts.slice(at + 1, start > 0 ? start : undefined).filter((text) => !text.startsWith('-'));
  role.code.push(...operands.filter((text) => /\S\s+\S/.test(text)));
  const isPath = (texts[at] ?? '').includes('/');
  role.definitions.push(
    ...operands.map((text) => wordOf(text, isPath ? { isArgument: true } : { isLoose: true })),
  );
}

const loads =
  /^(?:-r|--require|--import|--loader|--experimental-loader|--preload|--env-file|--rcfile|--init-file|-M|-jar|-d|-exec|-overlay|-vettool|-toolexec)$/;
const skipped = /^(?:-[IXWoOSC]|-cp|-classpath|--class-path|--conditions|--input-type|--allow\S*|--config)$/;

/** The program that an interpreter runs, what is loaded before it, and what it is given. */
function interpreterRole(texts: readonly string[], role: Role): Role {
  const { name, kind, at } = role.program;
  const evaluates = evaluatedBy(name, kind === 'shell');
  const loaded: string[] = [];
  let index = at + 1;
  for (; index < texts.length; index += 1) {
    const text = texts[index] ?? '';
    const [, option = '', value = ''] = /^(--[\w-]+)=(.*)$/s.exec(text) ?? [];
    const [, letter = '', attached = ''] = /^(-[rMd])(.+)$/.exec(text) ?? [];
    const next = texts[index + 1] ?? '';
    if (evaluates.test(text) || evaluates.test(option)) {
      role.code.push(option === '' ? next : value);
      index += option === '' ? 2 : 1;
      break;
    }
    if (loads.test(text)) loaded.push(next);
    else if (option !== '') loaded.push(value);
    else if (letter !== '' && kind === 'language' && name !== 'java') loaded.push(attached);
    if (loads.test(text) || skipped.test(text)) index += 1;
    else if (!/^-./.test(text) && !isSubcommand(name, text) && text !== '-') {
      role.script = index;
      break;
    }
  }
  const isInline = role.code.length > 0;
  const values = loaded.map((text) => text.replace(/^\w+=/, ''));
  role.definitions.push(
    ...values.map((text) => wordOf(text, { isRun: true, isInline: isInline && kind === 'language' })),
  );
  const script = role.script === null ? undefined : texts[role.script];
  if (script !== undefined) role.definitions.push(wordOf(script, { isRun: true }));
  const rest = texts.slice(role.script === null ? index : index + 1);
  const given = rest.flatMap((text) => (text.startsWith('-') ? [] : [text.replace(/^[A-Za-z_]\w*=/, '')]));
  const own = rest.flatMap((text) => /^--?[\w-]+=(.+)$/s.exec(text)?.[1] ?? []);
  role.definitions.push(...[...given, ...own].map((text) => wordOf(text, { isLoose: isInline })));
  return role;
}

function isSubcommand(name: string, text: string): boolean {
  return text === 'run' && /^(?:bun|deno|go|dart|python)$/.test(name);
}

/** The option of an interpreter that code follows. */
function evaluatedBy(name: string, isShell: boolean): RegExp {
  if (isShell) return /^-[a-zA-Z]*c$/;
  if (/^(?:python|pypy)/.test(name)) return /^-[A-Za-z]*c$/;
  if (name === 'php') return /^-r$/;
  return /^(?:ruby|perl)$/.test(name) ? /^-\w*e$/ : /^(?:-p?e|-p|--eval|--print|eval)$/;
}
