import type { ChangedFile } from '../../src/tamper/changed-file.ts';
import { testFiles } from '../../src/tamper/test-file.ts';
import { weakerTests } from '../../src/tamper/weaker-tests.ts';

/** A file as it was and as it is; an empty text: it was or is not there. */
export function changed(path: string, texts: { before: string; after: string }): ChangedFile {
  const lines = (text: string) =>
    text === '' ? [] : text.split('\n').map((line, at) => ({ at: at + 1, text: line }));
  const [before, after] = [lines(texts.before), lines(texts.after)];
  const without = (some: typeof before, others: typeof before) =>
    some.filter(({ text }) => !others.some((other) => other.text === text));
  return { path, before, after, removed: without(before, after), added: without(after, before) };
}

/** What is said of a change to one test file. */
export function weakened(path: string, texts: { before: string; after: string }): string[] {
  const files = [changed(path, texts)];
  return weakerTests(files, testFiles(files)).map((one) => one.text);
}
