/** What is read of a change at once, and at all: an agent decides how big a change is, and all that is read is held in memory. */
export interface ReadingLimits {
  /** Most bytes of one file, before and after together. */
  fileBytes: number;
  /** Most bytes that one git command prints. */
  portionBytes: number;
  /** Most bytes of one change. */
  changeBytes: number;
  /** Most paths that one git command is given. */
  portionPaths: number;
  /** Most characters that these paths have together. */
  portionNames: number;
}

/** Well above what people write, and below what a git command may print. */
export const readingLimits: ReadingLimits = {
  fileBytes: 16 * 1024 * 1024,
  portionBytes: 16 * 1024 * 1024,
  changeBytes: 80 * 1024 * 1024,
  portionPaths: 200,
  portionNames: 100_000,
};

/** A changed file and its bytes, before and after together. */
export interface SizedPath {
  path: string;
  bytes: number;
}

/** Paths in portions that can each be read by one command. Pure. */
export function portionsOf(files: readonly SizedPath[], limits = readingLimits): string[][] {
  const portions: string[][] = [];
  let [bytes, names] = [Infinity, Infinity];
  for (const file of files) {
    const last = portions.at(-1);
    bytes += file.bytes;
    names += file.path.length;
    const isFull = bytes > limits.portionBytes || names > limits.portionNames;
    if (last === undefined || isFull || last.length >= limits.portionPaths) {
      portions.push([file.path]);
      [bytes, names] = [file.bytes, file.path.length];
    } else last.push(file.path);
  }
  return portions;
}

/** Which files are too big to be read, alone or with all smaller ones. Pure. */
export function tooLarge(files: readonly SizedPath[], limits = readingLimits): SizedPath[] {
  let left = limits.changeBytes;
  return files
    .toSorted((one, other) => one.bytes - other.bytes)
    .filter(({ bytes }) => {
      if (bytes > limits.fileBytes || bytes > left) return true;
      left -= bytes;
      return false;
    });
}
