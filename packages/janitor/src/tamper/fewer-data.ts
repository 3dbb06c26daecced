import type { ChangedFile, Line } from './changed-file.ts';
import { isTestData } from './test-paths.ts';
import type { WeakerTest } from './weaker-test.ts';

/** Data of tests that has fewer examples than before; what is in another file of the change is not gone. Pure. */
export function fewerData(files: readonly ChangedFile[]): WeakerTest[] {
  const data = files.filter(({ path }) => isTestData(path));
  const left = data.reduce(
    (sum, file) => sum + (file.before.length === 0 ? count(file.path, file.after) : 0),
    0,
  );
  const lost = data.flatMap((file) => {
    const isGone = file.after.length === 0;
    const fewer = count(file.path, file.before) - count(file.path, file.after);
    return fewer > 0 && (!isGone || holdsExamples.test(file.path)) ? [{ file, fewer }] : [];
  });
  if (lost.reduce((sum, { fewer }) => sum + fewer, 0) <= left) return [];
  return lost.map(({ file: { path, removed }, fewer }) => ({
    text: `examples removed: ${fewer} fewer in ${path}:${removed[0]?.at ?? 1}`,
    paths: [path],
  }));
}

/** Other data that is deleted may belong to a test that is no longer needed. */
const holdsExamples = /(cases?|examples?|vectors?|scenarios?|tables?)([/._-]|s?\.)/i;

/** Elements of lists in JSON and YAML, or lines. */
function count(path: string, lines: readonly Line[]): number {
  const text = lines.map((line) => line.text).join('\n');
  if (/\.json$/i.test(path)) return elements(text) ?? filled(lines);
  if (/\.ya?ml$/i.test(path)) return lines.filter((line) => /^\s*-\s/.test(line.text)).length;
  return /\.(?:csv|tsv|txt|jsonl|ndjson)$/i.test(path) ? filled(lines) : 0;
}

function filled(lines: readonly Line[]): number {
  return lines.filter(({ text }) => text.trim() !== '').length;
}

/** How many elements all lists of a JSON text have; an object that is no element counts by its members. */
function elements(text: string): number | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return 0;
    return Array.isArray(value) ? value.length : listed(Object.values(value));
  } catch {
    return text.trim() === '' ? 0 : null;
  }
}

function listed(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + (Array.isArray(value) ? value.length : 0), 0);
}
