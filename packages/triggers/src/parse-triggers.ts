import { BatonError, inputIssues, needsQuotes, type InputIssue } from '@baton/contracts';
import { isMap, isNode, isPair, LineCounter, parseDocument, visit, type Document } from 'yaml';
import { triggersFile, type TriggersFile } from './rule.ts';

/** One thing that is wrong with a file, and where: line and column count from 1. */
export interface FileIssue extends InputIssue {
  line: number;
  column: number;
}

/**
 * Reads the text of `triggers.yaml`.
 * @param options.file name for messages
 * @throws CONFIG_INVALID naming every issue with line and column, in `details.issues` too
 */
export function parseTriggers(text: string, options: { file: string }): TriggersFile {
  const { file } = options;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => ({ line: lines.linePos(offset).line, column: lines.linePos(offset).col });
  if (document.errors.length > 0) {
    throw invalidTriggers(
      file,
      document.errors.map((error) => ({ path: [], message: error.message, ...at(error.pos[0]) })),
    );
  }
  const misread = misreadAt(text, document);
  if (misread.length > 0) {
    throw invalidTriggers(
      file,
      misread.map((offset) => ({ path: [], message: needsQuotes(text, offset), ...at(offset) })),
    );
  }
  const result = triggersFile.safeParse(toPlain(document, file) ?? { rules: [] });
  if (result.success) return result.data;
  const issues = inputIssues(result.error).map((issue) => ({
    ...issue,
    ...at(offsetOf(document, issue.path)),
  }));
  throw invalidTriggers(file, issues);
}

/** Where values begin that are read as something else than their text: an unknown tag would be left out, and `!push` or `! push` be `push`. */
function misreadAt(text: string, document: Document.Parsed): number[] {
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
  return offsets.sort((a, b) => a - b);
}

function toPlain(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 50 });
  } catch (cause) {
    // Aliases of aliases: a small file that would unfold into a huge one.
    throw new BatonError('CONFIG_INVALID', `${file} uses too many aliases: ${String(cause)}`, {
      fix: 'Write the repeated parts out.',
      at: file,
      cause,
    });
  }
}

/** Offset of the key of a path; of a missing key, that of the thing that lacks it. */
function offsetOf(document: Document, path: InputIssue['path']): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const name = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find(
        (item) => isPair(item) && String(isNode(item.key) ? item.key.toJSON() : item.key) === String(name),
      );
      if (isNode(pair?.key) && pair.key.range) return pair.key.range[0];
    }
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

/** One error for all issues of a file. */
export function invalidTriggers(file: string, issues: FileIssue[]): BatonError {
  const lines = issues.map(({ path, message, line, column }) => {
    const where = path.length > 0 ? `${path.join('.')}: ` : '';
    return `${file}:${line}:${column} ${where}${message}`;
  });
  const [first] = issues;
  return new BatonError('CONFIG_INVALID', `The triggers are not valid:\n${lines.join('\n')}`, {
    fix: 'Correct the lines named above; "baton triggers test" checks the file again.',
    details: { issues },
    ...(first === undefined ? {} : { at: `${file}:${first.line}:${first.column}` }),
  });
}
