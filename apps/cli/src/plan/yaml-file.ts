import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { BatonError, notUtf8, utf8Text, type ErrorCode } from '@baton/contracts';
import { yamlMistakes } from '@baton/contracts/yaml';

import { nearest } from '../terminal/nearest.ts';
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
} from 'yaml';

type KeyPath = readonly (string | number)[];

/** A place in a file; both counted from 1. */
export interface Place {
  line: number;
  column: number;
}

/** One thing that is wrong with a file. */
export interface FileProblem {
  path: KeyPath;
  message: string;
  place: Place | undefined;
}

/** A YAML file as plain data, with the place of each key. */
export interface YamlFile {
  /** As the user named it, for messages. */
  name: string;
  value: unknown;
  /** The place of a key path, or of its nearest existing parent when the path itself does not exist. */
  placeOf(path: KeyPath, part?: 'key' | 'value'): Place;
}

/**
 * Reads a YAML file. Duplicate keys and several documents are refused.
 * @throws FILE_MISSING; `code` with every syntax error or the first byte that is no UTF-8, with line and column
 */
export async function readYamlFile(
  file: string,
  { name, code }: { name: string; code: ErrorCode },
): Promise<YamlFile> {
  const bytes = await readFile(file).catch(async (error: NodeJS.ErrnoException) => {
    throw unreadable(name, { error, near: await nearestFile(file, name) });
  });
  const read = utf8Text(bytes);
  if (!read.ok) {
    const { line, column } = read;
    throw fileProblems([{ path: [], message: notUtf8, place: { line, column } }], { name, code });
  }
  return parseYaml(read.text, { name, code });
}

/** Parses the text of a YAML file. @throws `code` with every syntax error, its line and column */
export function parseYaml(text: string, { name, code }: { name: string; code: ErrorCode }): YamlFile {
  const lines = new LineCounter();
  // `merge`: YAML 1.2 knows `<<: *anchor` as an extension only, and plans with many like steps use it.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const nul = text.indexOf('\0');
  if (nul >= 0) throw fileProblems([{ path: [], message: notUtf8, place: placeAt(nul) }], { name, code });
  const mistakes = yamlMistakes(text, document);
  if (mistakes.length > 0) {
    throw fileProblems(
      mistakes.map(({ message, offset }) => ({ path: [], message, place: placeAt(offset) })),
      { name, code },
    );
  }
  return {
    name,
    value: plainData(document, { name, code }),
    placeOf: (path, part = 'value') => placeAt(offsetOf(document, path, part)),
  };
}

/** One error for all problems of a file: `plan.yaml:12:7 stages.0.name: …`, one a line. */
export function fileProblems(
  problems: readonly FileProblem[],
  { name, code }: { name: string; code: ErrorCode },
): BatonError {
  const lines = problems.map(({ path, message, place }) => {
    const where = place ? `${name}:${place.line}:${place.column}` : name;
    return path.length > 0 ? `${where} ${path.join('.')}: ${message}` : `${where}: ${message}`;
  });
  const text =
    lines.length === 1 ? (lines[0] ?? '') : [`${name} has ${lines.length} problems`, ...lines].join('\n');
  return new BatonError(code, text, {
    details: {
      file: name,
      issues: problems.map(({ path, message, place }) => ({ path, message, ...place })),
    },
  });
}

/** The parser detects aliases that multiply beyond reason, or name no anchor, only while it expands them. */
function plainData(document: Document, { name, code }: { name: string; code: ErrorCode }): unknown {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw fileProblems(
      [{ path: [], message: `its aliases cannot be expanded: ${message}`, place: undefined }],
      {
        name,
        code,
      },
    );
  }
}

function offsetOf(document: Document, path: KeyPath, part: 'key' | 'value'): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const [index, key] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    const last = index === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => String(isScalar(item.key) ? item.key.value : item.key) === String(key),
      );
      if (!pair) return offset;
      node = last && part === 'key' ? pair.key : (pair.value ?? pair.key);
      if (isScalar(node) && node.value === null) node = pair.key;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
    } else {
      return offset;
    }
    if (!isNode(node)) return offset;
    offset = (node as Node).range?.[0] ?? offset;
  }
  return offset;
}

/** A YAML file beside the one that is not there whose name is near; as the user would name it. */
async function nearestFile(file: string, name: string): Promise<string | undefined> {
  const beside = await readdir(path.dirname(file)).catch(() => []);
  const plain = (each: string): string => each.replace(/\.ya?ml$/i, '');
  const plans = beside.filter(
    (each) => /\.ya?ml$/i.test(each) && each !== 'baton.yaml' && each !== path.basename(file),
  );
  const wanted = plain(path.basename(file));
  const near = nearest(wanted, plans.map(plain)); // of names without their ending, which all have
  const meant = plans.find((each) => plain(each) === wanted) ?? plans.find((each) => plain(each) === near);
  return meant === undefined ? undefined : path.join(path.dirname(name), meant);
}

function unreadable(
  name: string,
  { error, near }: { error: NodeJS.ErrnoException; near: string | undefined },
): BatonError {
  const reason =
    { ENOENT: 'does not exist', EISDIR: 'is a folder', EACCES: 'cannot be read: permission denied' }[
      error.code ?? ''
    ] ?? `cannot be read: ${error.message}`;
  return new BatonError('FILE_MISSING', `${name} ${reason}.`, {
    at: name,
    fix:
      near === undefined ? 'Check the path; `baton init` writes an example plan.' : `Did you mean ${near}?`,
    cause: error,
  });
}
