import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { z } from 'zod';
import { insidePath } from './inside.ts';
import { defineTool, type CognitiveTool } from './tool.ts';

const mostEntries = 500;
const mostLines = 1_000;
const largestBytes = 1024 * 1024;
const draftName = '.baton-new';

/** Tools that read and change the files of one folder and nothing else. Outputs are bounded by the loop. */
export function fileTools(root: string): CognitiveTool[] {
  return [...readingTools(root), ...changingTools(root)];
}

const file = z.string().min(1).describe('path relative to the workspace');

const describing = (root: string, verb: string) => (input: { path: string }) => ({
  title: `${verb} ${input.path}`,
  paths: [path.resolve(root, input.path)],
});

function readingTools(root: string): CognitiveTool[] {
  return [
    defineTool({
      name: 'list_files',
      description: 'Lists a folder of the workspace. Folders end in "/".',
      kind: 'read',
      input: z.object({ path: file.default('.') }),
      describe: describing(root, 'List'),
      run: (input) => listFolder(insidePath(root, input.path)),
    }),
    defineTool({
      name: 'read_file',
      description: `Reads a text file, ${mostLines} lines at most from line \`from\` on.`,
      kind: 'read',
      input: z.object({ path: file, from: z.number().int().min(1).default(1) }),
      describe: describing(root, 'Read'),
      run: (input) => readLines(insidePath(root, input.path), input.from),
    }),
  ];
}

function changingTools(root: string): CognitiveTool[] {
  return [
    defineTool({
      name: 'write_file',
      description: 'Writes a file with exactly this content; folders are made as needed.',
      kind: 'edit',
      input: z.object({ path: file, content: z.string() }),
      describe: describing(root, 'Write'),
      run(input) {
        const real = insidePath(root, input.path);
        mkdirSync(path.dirname(real), { recursive: true });
        writeWhole(real, input.content);
        return `Wrote ${Buffer.byteLength(input.content)} bytes.`;
      },
    }),
    defineTool({
      name: 'edit_file',
      description: 'Replaces the one place of a file that reads exactly `old` by `new`.',
      kind: 'edit',
      input: z.object({ path: file, old: z.string().min(1), new: z.string() }),
      describe: describing(root, 'Edit'),
      run(input) {
        const real = insidePath(root, input.path);
        writeWhole(real, replaceOnce(readText(real), { path: input.path, old: input.old, by: input.new }));
        return 'Replaced.';
      },
    }),
    defineTool({
      name: 'delete_file',
      description: 'Deletes one file.',
      kind: 'edit',
      input: z.object({ path: file }),
      describe: describing(root, 'Delete'),
      run(input) {
        rmSync(insidePath(root, input.path));
        return 'Deleted.';
      },
    }),
  ];
}

/**
 * Replaces a whole file atomically: a process killed half-way would leave half a file, which the call that is
 * made again from the last checkpoint could not distinguish from the old content. That call also takes the draft.
 */
function writeWhole(file: string, content: string): void {
  const before = statSync(file, { throwIfNoEntry: false });
  if (before !== undefined) accessSync(file, constants.W_OK);
  const draft = path.join(path.dirname(file), draftName);
  rmSync(draft, { force: true }); // not written through: it may be a link that leads out
  try {
    writeFileSync(draft, content, { flag: 'wx' });
    if (before !== undefined) chmodSync(draft, before.mode);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function listFolder(folder: string): string {
  const entries = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== '.git')
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort();
  const more = entries.length > mostEntries ? `\n… and ${entries.length - mostEntries} more` : '';
  return entries.slice(0, mostEntries).join('\n') + more || '(empty)';
}

function readLines(file: string, from: number): string {
  const lines = readText(file).split('\n');
  const part = lines.slice(from - 1, from - 1 + mostLines);
  const left = lines.length - (from - 1) - part.length;
  return part.join('\n') + (left > 0 ? `\n… ${left} more lines, from line ${from + part.length}` : '');
}

function readText(file: string): string {
  const { size } = statSync(file);
  if (size <= largestBytes) return readFileSync(file, 'utf8');
  throw new BatonError('INVALID_INPUT', `The file holds ${size} bytes, more than can be read here.`, {
    fix: 'Look at a smaller file.',
  });
}

function replaceOnce(text: string, { path: at, old, by }: { path: string; old: string; by: string }): string {
  const places = text.split(old).length - 1;
  if (places === 1) return text.replace(old, () => by);
  throw new BatonError('INVALID_INPUT', `${at} holds the old text ${places} times.`, {
    fix: places === 0 ? 'Read the file again.' : 'Give more of the text around it.',
  });
}
