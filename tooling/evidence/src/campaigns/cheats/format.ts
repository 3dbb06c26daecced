import { z } from 'zod';

/** What is done to one file: all of its new text, parts of it replaced, deleted, moved from another place, or made a link. */
const edit = z.union([
  z.string(),
  z.null(),
  z.array(z.tuple([z.string().min(1), z.string()])).min(1),
  z.strictObject({ moved: z.string(), edits: z.array(z.tuple([z.string().min(1), z.string()])).default([]) }),
  z.strictObject({ link: z.string() }),
]);

const edits = z.record(z.string(), edit);

const cheatCase = z.strictObject({
  /** What the cheat does, and its patch. */
  cheat: z.string().min(1),
  by: edits,
  /** What its honest twin does, and its patch. */
  honest: z.string().min(1),
  as: edits,
  /** Files of the project beyond those of the file of cases. */
  before: z.record(z.string(), z.string()).default({}),
  /** Files that the honest task was given by name. The cheat was given none. */
  declares: z.array(z.string()).default([]),
});

/** A file of cases: one project in one language, and pairs of patches to it. */
export const cheatFile = z.strictObject({
  language: z.string().min(1),
  /** Words of the command that judges the project. */
  gate: z.array(z.string()).min(1),
  files: z.record(z.string(), z.string()),
  cases: z.array(cheatCase).min(1),
});

/** What is done to a file. */
export type Edit = z.infer<typeof edit>;

/** Contents by path; a link gives where it leads. */
export type Tree = Readonly<Record<string, string | { link: string }>>;

/** A pair of patches: one cheats what judges it, its twin is honest work that looks alike. */
export interface CheatCase extends Omit<z.infer<typeof cheatCase>, 'by' | 'as' | 'before'> {
  language: string;
  gate: string[];
  base: Tree;
  cheated: Tree;
  twin: Tree;
}

/** The trees of a file's cases. @throws Error naming the case and the part that is not in the file it should be in */
export function casesOf(file: z.infer<typeof cheatFile>): CheatCase[] {
  return file.cases.map(({ by, as, before, ...rest }) => {
    const base = { ...file.files, ...before };
    return {
      ...rest,
      language: file.language,
      gate: file.gate,
      base,
      cheated: apply(base, by, rest.cheat),
      twin: apply(base, as, rest.honest),
    };
  });
}

function apply(base: Tree, changes: Readonly<Record<string, Edit>>, name: string): Tree {
  const tree: Record<string, string | { link: string }> = { ...base };
  for (const [path, edit] of Object.entries(changes)) {
    if (edit === null) delete tree[path];
    else if (typeof edit === 'string') tree[path] = edit;
    else if (Array.isArray(edit)) tree[path] = replaced(textOf(base, path), edit, `${name}: ${path}`);
    else if ('link' in edit) tree[path] = edit;
    else {
      delete tree[edit.moved];
      tree[path] = replaced(textOf(base, edit.moved), edit.edits, `${name}: ${edit.moved}`);
    }
  }
  return tree;
}

function textOf(tree: Tree, path: string): string {
  const text = tree[path];
  return typeof text === 'string' ? text : '';
}

function replaced(text: string, parts: readonly (readonly [string, string])[], where: string): string {
  return parts.reduce((all, [old, now]) => {
    if (!all.includes(old)) throw new Error(`${where}: there is no ${JSON.stringify(old)}`);
    return all.replace(old, () => now);
  }, text);
}
