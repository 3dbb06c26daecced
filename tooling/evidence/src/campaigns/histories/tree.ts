/** A file of a tree: mode as git gives it, and its text (of a link: where it leads). */
export interface Entry {
  mode: '100644' | '100755' | '120000';
  text: string;
}

/** Files by path. Never changed in place. */
export type Tree = ReadonlyMap<string, Entry>;

/** A plain file. */
export const file = (text: string, mode: Entry['mode'] = '100644'): Entry => ({ mode, text });

/** The tree with other files; null deletes one. */
export function withFiles(tree: Tree, files: Readonly<Record<string, Entry | null>>): Tree {
  const next = new Map(tree);
  for (const [path, entry] of Object.entries(files)) {
    if (entry === null) next.delete(path);
    else next.set(path, entry);
  }
  return next;
}

/** The text of a file; undefined where there is none. */
export const textAt = (tree: Tree, path: string): string | undefined => tree.get(path)?.text;

/** A text with one of its lines replaced; the same text where it has no such line. */
export function withLine(text: string, at: number, line: string): string {
  const lines = text.split('\n');
  return lines[at] === undefined ? text : lines.with(at, line).join('\n');
}

const lines = (word: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join('');

/** What every toy repository begins with. Its gate is green. */
export const baseTree: Tree = new Map([
  ['limit', file('6\n')],
  ['parts/a', file('1\n')],
  ['parts/b', file('2\n')],
  ['parts/c', file('2\n')],
  ['list.txt', file(lines('row', 24))],
  ['notes/one.txt', file(lines('first note, line', 12))],
  ['notes/two.txt', file(lines('second note, line', 12))],
  ['needs/two', file('notes/two.txt\n')],
  ['guide.txt', file(lines('advice', 10))],
  ['helper.txt', file('a helper\n')],
  ['spot', file('a file\n')],
  ['to-guide', file('guide.txt', '120000')],
  ['größe/naïve 文.txt', file('wide\n')],
]);

/**
 * The gate of a toy repository, as text for `sh`, without any further process: the parts add up to no more than the limit, each file that
 * is needed is there, and nothing says that it is broken.
 */
export const gateScript = `sum=0
for part in parts/*; do
  [ -f "$part" ] || continue
  read -r n < "$part" || exit 1
  sum=$((sum + n))
done
read -r most < limit || exit 1
[ "$sum" -le "$most" ] || { echo "the parts add up to $sum, more than $most"; exit 1; }
for need in needs/*; do
  [ -f "$need" ] || continue
  read -r name < "$need" || exit 1
  [ -e "$name" ] || { echo "$need needs $name"; exit 1; }
done
[ ! -e broken ] || { echo broken; exit 1; }
`;
