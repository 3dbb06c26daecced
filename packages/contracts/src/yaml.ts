/**
 * `@baton/contracts/yaml`: what is wrong with a YAML file that a person writes, in plain words.
 */
import { isScalar, visit, type Document, type YAMLParseError } from 'yaml';

/** A mistake in a YAML text, and where it begins: an index into the text, counted from 0. */
export interface YamlMistake {
  message: string;
  offset: number;
}

/**
 * What is wrong with a YAML text: mistakes of syntax, or else what is read as something else than its text, or left out.
 * Both `plan.yaml` and `triggers.yaml` are refused for them. Pure.
 * @param document what `parseDocument` made of `text`, with `prettyErrors: false`
 */
export function yamlMistakes(text: string, document: Document.Parsed): YamlMistake[] {
  const { errors } = document;
  if (errors.length > 0) return syntaxMistakes(text, errors);
  return [...olderYaml(text, document), ...misreadValues(text, document), ...protoKeys(document)];
}

/** `yes`, `010`, `1:30` and `<<` mean other things in YAML 1.1 than they do where nothing is said. */
function olderYaml(text: string, { directives }: Document.Parsed): YamlMistake[] {
  if (directives.yaml.version !== '1.1') return [];
  const message = 'files are read as YAML 1.2, where "yes", "010" and "<<" are plain text: remove this line';
  return [{ message, offset: Math.max(0, text.indexOf('%YAML')) }];
}

/** Schemas leave this key out of maps without a word: a filter by it would let everything pass. */
function protoKeys(document: Document.Parsed): YamlMistake[] {
  const found: YamlMistake[] = [];
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key) && key.value === '__proto__')
        found.push({ message: 'no key may be called "__proto__"', offset: key.range?.[0] ?? 0 });
    },
  });
  return found;
}

const readings: Readonly<Record<string, string>> = { '!': 'a tag', '*': 'a reference to an anchor' };

/** What to say of a value that lacks quotes, since its first character has a meaning of its own in YAML. */
function needsQuotes(text: string, offset: number): string {
  const sign = text.charAt(offset);
  return `YAML reads a value that begins with "${sign}" as ${readings[sign] ?? 'syntax of its own'}: put the whole value in quotes`;
}

const closing: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/**
 * What a YAML parser says, in plain words. A bracket that is never closed is reported where it was opened, and alone:
 * what follows it is misread.
 */
function syntaxMistakes(text: string, errors: readonly YAMLParseError[]): YamlMistake[] {
  // The parser gives up in the middle of what it reads, and complains of brackets then.
  const deep = errors.find(({ message }) => message.includes('call stack'));
  if (deep !== undefined) return [{ message: 'nested too deeply to be read', offset: deep.pos[0] }];
  for (const error of errors) {
    if (!/^Flow (map|sequence).* end with a/.test(error.message)) continue;
    const open = openBracket(text.slice(0, error.pos[0]));
    if (open !== null)
      return [
        {
          message: `the "${open.bracket}" here is never closed: add a "${closing[open.bracket] ?? ''}"`,
          offset: open.offset,
        },
      ];
  }
  return errors.map((error) => ({ message: plainWords(text, error), offset: error.pos[0] }));
}

/**
 * Values that a parser accepts and reads as something else than their text: a reference to an anchor that is not there before it, and a
 * tag that YAML does not have, or that is no more than its sign, which it would leave out (`!src` and `! src` would be `src`).
 */
function misreadValues(text: string, document: Document.Parsed): YamlMistake[] {
  const anchors = new Set<string>();
  const offsets = document.warnings.flatMap(({ code, pos }) =>
    code === 'TAG_RESOLVE_FAILED' ? [pos[0]] : [],
  );
  visit(document, {
    Alias(_, { source, range }) {
      if (!anchors.has(source)) offsets.push(range?.[0] ?? 0);
    },
    Value(_, { anchor, tag, range }) {
      if (anchor !== undefined) anchors.add(anchor);
      const before = text.slice(0, range?.[0]);
      if (tag === '!' || /(?:^|\s)!\s+$/.test(before)) offsets.push(before.lastIndexOf('!'));
    },
  });
  return offsets.sort((a, b) => a - b).map((offset) => ({ message: needsQuotes(text, offset), offset }));
}

function plainWords(text: string, { code, pos, message }: YAMLParseError): string {
  if (code === 'DUPLICATE_KEY') {
    const [key = ''] = /^[^\s:,}]+/.exec(text.slice(pos[0])) ?? [];
    return `the key "${key}" is given twice here; remove one of them`;
  }
  if (code === 'MULTIPLE_DOCS')
    return 'a second document begins here: one file holds one; put the rest into a file of its own';
  if (code === 'BAD_SCALAR_START' || code === 'BAD_ALIAS') return needsQuotes(text, pos[0]);
  if (code === 'TAB_AS_INDENT') return 'a tab is used for indentation: use spaces';
  if (code === 'BLOCK_AS_IMPLICIT_KEY')
    return 'a second ": " on one line: quote the text, or begin a new line';
  const odd = oddSpace.exec(lineAt(text, pos[0]))?.[0].codePointAt(0);
  if (odd !== undefined)
    return `this line holds a space that is none to YAML (U+${odd.toString(16).toUpperCase().padStart(4, '0')}): type it again`;
  return message;
}

/** What looks like a space, or like nothing, and comes with text that is pasted from a page. */
const oddSpace = /[\u00a0\u1680\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff]/;

function lineAt(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1).split('\n', 1)[0] ?? '';
}

/** The innermost bracket that is still open at the end of a text; those in quotes and comments are none. */
function openBracket(text: string): { bracket: string; offset: number } | null {
  const open: { bracket: string; offset: number }[] = [];
  const token = /"(?:[^"\\]|\\.)*"|(?<![\w])'(?:[^']|'')*'|(?<=^|\s)#.*|[[\]{}]/gm;
  for (const { 0: found, index } of text.matchAll(token)) {
    if (found === '{' || found === '[') open.push({ bracket: found, offset: index });
    else if (found === '}' || found === ']') open.pop();
  }
  return open.at(-1) ?? null;
}
