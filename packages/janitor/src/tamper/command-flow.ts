import { kindOf, programOf, type Program } from './command-programs.ts';
import { roleOf } from './command-subjects.ts';
import type { Pipeline, ShellWord, Stage } from './shell-parts.ts';

/**
 * Where the output of a command goes: to an interpreter that runs it, to another command as what it is to work on, to one that looks
 * at it, or nowhere in particular.
 */
export type Flow = 'run' | 'given' | 'observed' | 'told';

const textsOf = ({ words }: Stage): string[] => words.map(({ text }) => text);

/** Where what a stage prints goes by the stages after it; without any, where all of its line goes. Pure. */
export function flowOfPipe(
  rest: readonly Stage[],
  { outer, isStrict }: { outer: Flow; isStrict: boolean },
): Flow {
  const flows = rest.map((stage) => flowInto(stage, isStrict));
  for (const flow of ['run', 'observed', 'given'] as const) if (flows.includes(flow)) return flow;
  return outer;
}

/** What a stage does with what it is given. */
function flowInto(stage: Stage, isStrict: boolean): Flow {
  if (stage.body !== null) return runsAny(stage.body) ? 'run' : 'told';
  const texts = textsOf(stage);
  const program = programOf(texts);
  const isMany = texts.slice(0, program.at).some((text) => /(?:^|\/)xargs$/.test(text));
  if (isBare(texts, program)) return 'run';
  if (isMany) return flowToMany(texts, program);
  if (program.kind === 'shell' && texts.some((text) => /^-[a-z]*s$/.test(text))) return 'run';
  if (/^(?:tee|cat|head|tail|less|read)$/.test(program.name)) return 'told';
  const isFilter =
    /^(?:sed|tr|cut|sort|uniq|ts|nl)$/.test(program.name) ||
    (/grep$|^rg$/.test(program.name) && texts.some((text) => /^-\w*v|^--invert/.test(text)));
  return isStrict && isFilter ? 'told' : 'observed';
}

/** Words that `xargs` hands on. */
function flowToMany(texts: readonly string[], program: Program): Flow {
  const { kind } = program;
  if (kind === 'shell' || kind === 'language') return 'run';
  if (kind === 'checker' || kind === 'unknown' || kind === 'manager')
    return texts.length > program.at ? 'given' : 'told';
  return kind === 'tester' || kind === 'compares' || kind === 'reader' ? 'observed' : 'told';
}

/** An interpreter that gets its program from what it reads. */
function isBare(texts: readonly string[], { kind, isModule }: Program): boolean {
  if (isModule || (kind !== 'shell' && kind !== 'language')) return false;
  const role = roleOf(texts);
  return role.script === null && role.code.length === 0;
}

/** Whether a loop runs what it reads: by an interpreter, or as a program. */
function runsAny(body: readonly Pipeline[]): boolean {
  return body.some(({ stages }) =>
    stages.some((stage) => {
      if (stage.body !== null) return runsAny(stage.body);
      const texts = textsOf(stage);
      const { kind, at } = programOf(texts);
      const [word] = stage.words.slice(at);
      if (word === undefined) return false;
      if (word.text === '' && word.raw.includes('$')) return true;
      const role = roleOf(texts);
      return (
        (kind === 'shell' || kind === 'language' || kind === 'sources') &&
        (role.script === null || texts[role.script] === '')
      );
    }),
  );
}

/** Whether a group runs what it reads from files. Pure. */
export function inputsRun({ body }: Stage): boolean {
  return body !== null && runsAny(body);
}

/** Where what is captured in a word goes. Pure. */
export function flowOfCapture(
  word: ShellWord,
  { stage, flow, later }: { stage: Stage; flow: Flow; later: readonly Stage[] },
): Flow {
  const texts = textsOf(stage);
  const program = programOf(texts);
  const variable = /^(\w+)=/.exec(word.text)?.[1];
  if (variable !== undefined && stage.words.indexOf(word) < program.at)
    return flowOfVariable(variable, later);
  if (stage.body !== null) return texts[0] === 'for' ? 'given' : 'observed';
  if (program.kind === 'shell' || program.kind === 'sources' || program.kind === 'language')
    return /^[$"]/.test(word.raw) && /\//.test(word.text) ? 'told' : 'run';
  if (stage.words.indexOf(word) === program.at) return word.text === '' ? 'run' : 'told';
  if (program.kind === 'tester' || program.kind === 'compares' || program.kind === 'reader')
    return 'observed';
  if (program.kind === 'printer') return flow;
  return 'given';
}

/** What a script does with what it kept in a variable. */
function flowOfVariable(name: string, later: readonly Stage[]): Flow {
  const isIn = (word: ShellWord) => new RegExp(String.raw`\$\{?${name}\b`).test(word.raw);
  const users = later.filter(({ words }) => words.some(isIn));
  for (const stage of users) {
    const { kind, at } = programOf(textsOf(stage));
    const place = stage.words.findIndex(isIn);
    if (kind === 'shell' || kind === 'sources' || place === at) return 'run';
  }
  const kinds = users.map((stage) => programOf(textsOf(stage)).kind);
  if (kinds.some((kind) => kind === 'tester' || kind === 'compares' || kind === 'reader')) return 'observed';
  const isPrinted = kinds.every((kind) => kind === 'printer');
  return isPrinted ? 'told' : 'given';
}

/** Where what a command writes to a file goes: by what later commands do with the file. Pure. */
export function flowOfFile(stage: Stage, { flow, later }: { flow: Flow; later: readonly Stage[] }): Flow {
  const outputs = stage.outputs.map(({ raw }) => raw).filter((raw) => !raw.startsWith('/dev/'));
  for (const raw of outputs) {
    const users = later.filter(({ words, inputs }) => [...words, ...inputs].some((word) => word.raw === raw));
    const kinds = users.map((user) => programOf(textsOf(user)));
    if (kinds.some(({ kind }) => kind === 'shell' || kind === 'language' || kind === 'sources')) return 'run';
    if (kinds.some(({ kind, name }) => kindOf(name) === kind && /^(?:tester|compares|reader)$/.test(kind)))
      return 'observed';
  }
  return flow;
}
