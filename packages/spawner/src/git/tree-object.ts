/** A path as git has it, with one character (U+0000 to U+00FF) for each byte: it need not be text. */
export type LatinPath = string;

/** An entry of a tree object. */
export interface TreeEntry {
  /** Six octal digits, as git shows it. */
  mode: string;
  /** Name within its folder. */
  name: LatinPath;
  id: string;
}

/** A path that differs between two trees; null: it is not in that one. */
export interface TreeChange {
  path: LatinPath;
  before: TreeEntry | null;
  after: TreeEntry | null;
}

export const folderMode = '040000';
export const linkMode = '160000';
const space = 32;

/** Entries of a tree object, in its order; null when it is not well-formed. */
export function readTree(body: Buffer, idBytes: number): TreeEntry[] | null {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < body.length;) {
    const cut = body.indexOf(space, at);
    const end = cut < 0 ? -1 : body.indexOf(0, cut);
    if (end < 0 || end + 1 + idBytes > body.length) return null;
    const mode = shownMode(body.toString('latin1', at, cut));
    const name = body.toString('latin1', cut + 1, end);
    if (mode === null || name === '' || name.includes('/')) return null;
    const entry = { mode, name, id: body.toString('hex', end + 1, end + 1 + idBytes) };
    const last = entries.at(-1);
    if (last !== undefined && compareEntries(last, entry) >= 0) return null;
    entries.push(entry);
    at = end + 1 + idBytes;
  }
  return entries;
}

/** The body of a tree object with these entries, which are in git's order. */
export function writeTree(entries: readonly TreeEntry[]): Buffer {
  const parts = entries.flatMap(({ mode, name, id }) => [
    Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`, 'latin1'),
    Buffer.from(id, 'hex'),
  ]);
  return Buffer.concat(parts);
}

/** Git's order: by bytes, a folder as if its name ended in a slash. */
export function compareEntries(one: TreeEntry, other: TreeEntry): number {
  const [a, b] = [sortName(one), sortName(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

const sortName = ({ mode, name }: TreeEntry): string => (mode === folderMode ? `${name}/` : name);

/** Old git wrote other rights of files as well; all of git takes them for one of two. */
function shownMode(mode: string): string | null {
  const value = /^[0-7]{5,6}$/.test(mode) ? parseInt(mode, 8) : 0;
  const kind = value & 0o170000;
  if (kind === 0o100000) return (value & 0o100) === 0 ? '100644' : '100755';
  if (kind === 0o120000) return '120000';
  if (kind === 0o040000) return folderMode;
  return kind === 0o160000 ? linkMode : null;
}

/** A change as `diff-tree -z --raw --no-abbrev` prints it. */
export function rawChange({ path, before, after }: TreeChange): string {
  const one = before ?? after;
  const zeros = '0'.repeat(one?.id.length ?? 40);
  const modes = `:${before?.mode ?? '000000'} ${after?.mode ?? '000000'}`;
  const letter = before === null ? 'A' : after === null ? 'D' : kindOf(before) === kindOf(after) ? 'M' : 'T';
  return `${modes} ${before?.id ?? zeros} ${after?.id ?? zeros} ${letter}\0${path}\0`;
}

const kindOf = ({ mode }: TreeEntry): string => mode.slice(0, 2);

/** An entry as `ls-tree` prints it, without the end of its line. */
export function listedEntry({ mode, id }: TreeEntry, name: string): string {
  const type = mode === folderMode ? 'tree' : mode === linkMode ? 'commit' : 'blob';
  return `${mode} ${type} ${id}\t${name}`;
}

const named: Readonly<Record<string, string>> = {
  '\x07': 'a',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\v': 'v',
  '"': '"',
  '\\': '\\',
};

/** A path as git prints it with `core.quotePath`. */
export function quotedByGit(path: LatinPath): string {
  if (!/[\x00-\x1f\x7f-\xff"\\]/.test(path)) return path;

  const escaped = path.replace(/[\x00-\x1f\x7f-\xff"\\]/g, (byte) => {
    const letter = named[byte];
    return letter === undefined ? `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}` : `\\${letter}`;
  });
  return `"${escaped}"`;
}
