import {
  parse,
  type Assignment,
  type CommandNode,
  type PipelineNode,
  type Redirection,
  type Statement,
  type TestExpression,
  type Word,
  type WordPart,
} from 'unbash';

/** A word of a shell as it is handed to a program, without its quotes. */
export interface ShellWord {
  text: string;
  /** As it is written. */
  raw: string;
  /** Commands whose output is put in its place. */
  captures: readonly (readonly Pipeline[])[];
}

/** One simple command, or a group such as a loop. */
export interface Stage {
  words: readonly ShellWord[];
  /** What a group runs; null for a simple command. */
  body: readonly Pipeline[] | null;
  inputs: readonly ShellWord[];
  outputs: readonly ShellWord[];
  /** What is given to it in the script itself. */
  texts: readonly string[];
}

/** Commands of which each reads what the one before it prints. */
export interface Pipeline {
  stages: readonly Stage[];
}

/** What variables hold that a script sets itself. */
type Values = Map<string, string[]>;

/** Enough for what people write. */
const mostWords = 40;

interface Draft {
  /** All that a word can be. */
  texts: string[];
  captures: Pipeline[][];
  isSplit: boolean;
}

/** What a shell makes of a script; of what is no script of a shell, as much as can be read. Pure. */
export function shellParts(script: string): Pipeline[] {
  const { commands } = parse(script.replace(/\r\n/g, '\n'));
  return pipelinesOf(commands, new Map());
}

/** The pipelines of statements, in their order; what they set is kept in `values`. */
function pipelinesOf(statements: readonly Statement[], values: Values): Pipeline[] {
  return statements.flatMap(({ command }) =>
    (command.type === 'AndOr' ? command.commands : [command]).map((node) => pipelineOf(node, values)),
  );
}

function pipelineOf(node: PipelineNode, values: Values): Pipeline {
  const commands = node.type === 'Pipeline' ? node.commands : [node];
  return { stages: commands.map((command) => stageOf(command, values)) };
}

const plain: Stage = { words: [], body: null, inputs: [], outputs: [], texts: [] };
const named = (text: string): ShellWord => ({ text, raw: text, captures: [] });

function stageOf(node: CommandNode, values: Values): Stage {
  const wordsOf = (words: readonly Word[]) => words.flatMap((word) => wordsFrom(word, values));
  const group = (...lists: readonly ({ commands: readonly Statement[] } | undefined)[]): Stage => ({
    ...plain,
    body: lists.flatMap((list) => pipelinesOf(list?.commands ?? [], values)),
  });
  switch (node.type) {
    case 'Command': {
      const parts = [...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.suffix];
      const words = parts.flatMap((part) =>
        part.type === 'Word' || part.type === 'Assignment' ? wordsFrom(part, values) : [],
      );
      remember(words, values);
      return { ...plain, words, ...redirected(node.redirects, values) };
    }
    case 'Redirected':
      return { ...stageOf(node.command, values), ...redirected(node.redirects, values) };
    case 'Subshell':
    case 'BraceGroup':
    case 'ArithmeticFor':
      return group(node.body);
    case 'While':
      return group(node.clause, node.body);
    case 'If':
      return group(
        ...[node.clause, node.then],
        ...node.elif.flatMap((one) => [one.clause, one.then]),
        node.else,
      );
    case 'For':
    case 'Select': {
      const words = wordsOf(node.wordlist ?? []);
      values.set(
        node.name.value,
        words.map(({ text }) => text),
      );
      return { ...group(node.body), words: [named('for'), ...words] };
    }
    case 'Case':
      return {
        ...group(...node.items.map(({ body }) => body)),
        words: [named('case'), ...wordsFrom(node.word, values)],
      };
    case 'Function':
    case 'Coproc':
      if (node.body.type === 'CompoundList') return group(node.body);
      return { ...plain, body: [{ stages: [stageOf(node.body, values)] }] };
    case 'TestCommand':
      return { ...plain, words: [named('[['), ...wordsOf(testOperands(node.expression))] };
    case 'ArithmeticCommand':
      return plain;
  }
}

/** Files that a command reads and writes, and what it is given in the script. */
function redirected(
  redirections: readonly Redirection[],
  values: Values,
): Pick<Stage, 'inputs' | 'outputs' | 'texts'> {
  const [inputs, outputs, texts]: [ShellWord[], ShellWord[], string[]] = [[], [], []];
  for (const one of redirections) {
    if (one.type === 'HereDoc') texts.push(one.body.text.replace(/\n$/, ''));
    else if (one.target !== undefined) {
      const words = wordsFrom(one.target, values);
      // `2>&1` and its like name no file.
      const isFile = one.type === 'HereString' || !/&$/.test(one.operator) || !/^[\d-]/.test(one.target.text);
      if (one.type === 'HereString') texts.push(...words.map(({ text }) => text));
      else if (isFile) (one.operator.startsWith('<') ? inputs : outputs).push(...words);
    }
  }
  return { inputs, outputs, texts };
}

/** Keeps what a command sets that does nothing else. */
function remember(words: readonly ShellWord[], values: Values): void {
  const sets = words.filter(({ text }) => !/^(?:export|local|readonly|declare)$/.test(text));
  if (!sets.every(({ text, captures }) => /^\w+=/.test(text) && captures.length === 0)) return;
  for (const { text } of sets) {
    const [name = '', value = ''] = text.split(/=(.*)/s);
    if (value !== '' && name !== 'PATH') values.set(name, [value]);
  }
}

/** The words that one is by the values of its variables and the choices in its braces. */
function wordsFrom(word: Word | Assignment, values: Values): ShellWord[] {
  const draft: Draft = { texts: [''], captures: [], isSplit: false };
  if (word.type === 'Word') readWord(word, { draft, values });
  else {
    add(draft, [word.text.slice(0, word.text.indexOf('=') + 1)]);
    const parts = word.value.type === 'Word' ? [word.value] : word.value.elements;
    for (const part of parts) readWord(part, { draft, values });
    draft.isSplit = false;
  }
  const texts = draft.isSplit ? draft.texts.flatMap((text) => text.trim().split(/\s+/)) : draft.texts;
  return texts.slice(0, mostWords).map((text) => ({ text, raw: word.text, captures: draft.captures }));
}

/** The words that `[[ ]]` looks at, in their order. */
function testOperands(expression: TestExpression): Word[] {
  switch (expression.type) {
    case 'TestUnary':
      return [expression.operand];
    case 'TestBinary':
      return [expression.left, expression.right];
    case 'TestLogical':
      return expression.operands.flatMap(testOperands);
    case 'TestNot':
      return testOperands(expression.operand);
    case 'TestGroup':
      return testOperands(expression.expression);
  }
}

interface Reading {
  draft: Draft;
  values: Values;
}

function readWord({ parts, value }: Word, reading: Reading): void {
  if (parts === undefined) add(reading.draft, [value]);
  else for (const part of parts) readPart(part, { ...reading, isQuoted: false });
}

function readPart(part: WordPart, reading: Reading & { isQuoted: boolean }): void {
  const { draft, values } = reading;
  switch (part.type) {
    case 'DoubleQuoted':
    case 'LocaleString':
      for (const inner of part.parts) readPart(inner, { ...reading, isQuoted: true });
      return;
    case 'SimpleExpansion':
      return addVariable(part.text.slice(1), reading);
    case 'ParameterExpansion':
      return addVariable(part.parameter, reading);
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      draft.captures.push(pipelinesOf(part.script?.commands ?? [], values));
      return;
    case 'ArithmeticExpansion':
      return;
    case 'BraceExpansion': {
      const isPlain = /^\{[\w.*/-]*(?:,[\w.*/-]*)+\}$/.test(part.text);
      return add(draft, isPlain ? part.text.slice(1, -1).split(',') : [part.text]);
    }
    case 'ExtendedGlob':
      return add(draft, [part.text]);
    case 'Literal':
    case 'Glob':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return add(draft, [part.value]);
  }
}

/** What is not known is taken for any name below a folder, and for nothing elsewhere. */
function addVariable(name: string, { draft, values, isQuoted }: Reading & { isQuoted: boolean }): void {
  const known = values.get(name);
  if (known !== undefined && !isQuoted) draft.isSplit ||= known.some((value) => /\s/.test(value));
  add(draft, known ?? [(draft.texts[0] ?? '').includes('/') ? '*' : '']);
}

function add(draft: Draft, texts: readonly string[]): void {
  draft.texts = draft.texts.flatMap((text) => texts.map((more) => text + more)).slice(0, mostWords);
}
