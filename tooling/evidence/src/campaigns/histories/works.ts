import { file, textAt, withFiles, withLine, type Tree } from './tree.ts';

/** What a piece of work does to a tree, whichever it is made on. */
export interface Work {
  key: string;
  kind: WorkKind;
  /** Which of a few places it touches: works with the same number meet there. */
  spot: number;
}

/** Works that touch the same spot and their meaning are documented beside each. */
export type WorkKind = keyof typeof acts;

const part = (spot: number): string => `parts/${['a', 'b', 'c'][spot % 3] ?? 'a'}`;
const note = (spot: number): string => `notes/${['one', 'two'][spot % 2] ?? 'one'}.txt`;

/** What each kind of work does. */
const acts = {
  /** A file of its own. */
  clean: (tree: Tree, { key }: Work) => withFiles(tree, { [`out/${key}.txt`]: file(`${key}\n`) }),
  /** A line of a list: conflicts with another work on the same or the next line. */
  line: (tree: Tree, { key, spot }: Work) =>
    withFiles(tree, {
      'list.txt': file(withLine(textAt(tree, 'list.txt') ?? 'row\n', (spot % 4) * 6, `row of ${key}`)),
    }),
  /** Adds 1 to a part: one fits under the limit, two do not, and they merge without a conflict. */
  raise: (tree: Tree, { spot }: Work) =>
    withFiles(tree, { [part(spot)]: file(`${Number(textAt(tree, part(spot)) ?? 0) + 1}\n`) }),
  /** Lowers the limit: green alone, red together with a raised part. */
  lower: (tree: Tree) =>
    withFiles(tree, { limit: file(`${Math.max(0, Number(textAt(tree, 'limit') ?? 0) - 1)}\n`) }),
  /** Needs a file that another work may move or delete: green alone, red together. */
  need: (tree: Tree, { key, spot }: Work) =>
    withFiles(tree, { [`needs/${key}`]: file(`${spot % 2 === 0 ? 'notes/one.txt' : 'guide.txt'}\n`) }),
  /** Red by itself. */
  bad: (tree: Tree, { key }: Work) =>
    withFiles(tree, { broken: file('yes\n'), [`out/${key}.txt`]: file(`${key}\n`) }),
  /** No change at all. */
  empty: (tree: Tree) => tree,
  /** Moves a note, and changes a line of it. */
  rename: (tree: Tree, { key }: Work) => {
    const text = textAt(tree, 'notes/one.txt');
    if (text === undefined) return withFiles(tree, { [`moved/${key}.txt`]: file(`${key}\n`) });
    return withFiles(tree, {
      'notes/one.txt': null,
      [`moved/${key}.txt`]: file(withLine(text, 11, `moved by ${key}`)),
    });
  },
  /** Changes the first line of a note that another may move. */
  edit: (tree: Tree, { key, spot }: Work) =>
    withFiles(tree, { [note(spot)]: file(withLine(textAt(tree, note(spot)) ?? 'none\n', 0, `by ${key}`)) }),
  /** A bit of a mode, nothing else. */
  mode: (tree: Tree) =>
    withFiles(tree, {
      'helper.txt': file(
        textAt(tree, 'helper.txt') ?? '',
        tree.get('helper.txt')?.mode === '100755' ? '100644' : '100755',
      ),
    }),
  /** A folder where a file was. */
  folder: (tree: Tree, { key }: Work) => {
    const isFile = tree.has('spot');
    return withFiles(tree, { ...(isFile ? { spot: null } : {}), [`spot/${key}.txt`]: file(`${key}\n`) });
  },
  /** Changes the file that another work makes a folder. */
  spot: (tree: Tree, { key }: Work) =>
    [...tree.keys()].some((path) => path.startsWith('spot/'))
      ? withFiles(tree, { [`spot/of ${key}`]: file(`${key}\n`) })
      : withFiles(tree, { spot: file(`a file of ${key}\n`) }),
  /** A link in place of a file or in place of another link. */
  link: (tree: Tree, { key, spot }: Work) =>
    spot % 2 === 0
      ? withFiles(tree, { 'to-guide': file(`out/${key}.txt`, '120000') })
      : withFiles(tree, { [`link-${key}`]: file('nowhere/at all', '120000') }),
  /** Names beyond ASCII, with a tab, a quote and a line break. */
  names: (tree: Tree, { key }: Work) =>
    withFiles(tree, {
      'größe/naïve 文.txt': file(`changed by ${key}\n`),
      [`größe/${key} "q"\t\\x\nnext.txt`]: file(`${key}\n`),
    }),
  /** Deletes a file that another work changes. */
  delete: (tree: Tree) => withFiles(tree, { 'guide.txt': null }),
  /** Changes a file that another work deletes. */
  change: (tree: Tree, { key }: Work) =>
    withFiles(tree, {
      'guide.txt': file(withLine(textAt(tree, 'guide.txt') ?? 'advice\n', 4, `advice of ${key}`)),
    }),
  /** The same as every other work of its kind: the second has nothing to land. */
  twin: (tree: Tree) => withFiles(tree, { 'out/twin.txt': file('twin\n') }),
} satisfies Record<string, (tree: Tree, work: Work) => Tree>;

/** The tree after a work. Pure. */
export const applied = (work: Work, tree: Tree): Tree => acts[work.kind](tree, work);

/** Works that come in twos: each alone is fine, together they conflict, are red, or leave one of them without a change. */
const pairs: readonly (readonly [WorkKind, WorkKind])[] = [
  ['raise', 'raise'],
  ['raise', 'lower'],
  ['need', 'rename'],
  ['need', 'delete'],
  ['line', 'line'],
  ['rename', 'edit'],
  ['rename', 'rename'],
  ['folder', 'spot'],
  ['folder', 'folder'],
  ['link', 'link'],
  ['delete', 'change'],
  ['names', 'names'],
  ['twin', 'twin'],
  ['mode', 'mode'],
];

const singles: readonly WorkKind[] = [
  ...(['clean', 'clean', 'clean', 'line', 'raise', 'edit', 'mode', 'link', 'names', 'bad', 'bad'] as const),
  ...(['empty', 'rename', 'folder', 'delete', 'change', 'need'] as const),
];

/** So many works by chance: one or two pairs, and others beside them, in any order. */
export function worksOf(count: number, random: () => number): Work[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const kinds: { kind: WorkKind; spot: number }[] = [];
  for (let pair = 0; pair < (count > 4 ? 2 : 1); pair += 1) {
    const spot = Math.floor(random() * 6);
    for (const kind of pick(pairs)) kinds.push({ kind, spot: kind === 'raise' ? spot + kinds.length : spot });
  }
  while (kinds.length < count) kinds.push({ kind: pick(singles), spot: Math.floor(random() * 6) });
  const order = kinds.map((each) => ({ each, at: random() })).sort((a, b) => a.at - b.at);
  return order.map(({ each: { kind, spot } }, at) => ({ key: `${kind}-${at}`, kind, spot }));
}
