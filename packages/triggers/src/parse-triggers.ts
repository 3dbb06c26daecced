import { BatonError, inputIssues, type InputIssue } from '@baton/contracts';
import { yamlMistakes } from '@baton/contracts/yaml';
import { isMap, isNode, isPair, LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';
import { check } from './checked.ts';
import { triggersFile, type TriggersFile } from './rule.ts';

/** One thing that is wrong with a file, and where: line and column count from 1. */
export interface FileIssue extends InputIssue {
  line: number;
  column: number;
}

const asked = z.object({ text: z.string(), file: z.string() });

/**
 * Reads the text of `triggers.yaml`.
 * @param options.file name for messages
 * @throws CONFIG_INVALID naming every issue with line and column, in `details.issues` too; INVALID_INPUT for what is no text
 */
export function parseTriggers(text: string, options: { file: string }): TriggersFile {
  check(asked, { text, ...options }, 'What is read as triggers');
  const { file } = options;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => ({ line: lines.linePos(offset).line, column: lines.linePos(offset).col });
  const mistakes = yamlMistakes(text, document);
  if (mistakes.length > 0) {
    throw invalidTriggers(
      file,
      mistakes.map(({ message, offset }) => ({ path: [], message, ...at(offset) })),
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
