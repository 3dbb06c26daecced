import { literalsOf, tidy } from './assertions.ts';
import type { ChangedFile } from './changed-file.ts';
import { bodyOf } from './languages/body.ts';
import { isSource } from './languages/all.ts';
import { indexOfLine, type CodeLine } from './live-code.ts';
import { compare, type TestFile } from './test-file.ts';
import { isTestPath } from './test-paths.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

const mocks =
  /\bmock(?:Return|Resolved|Implementation)\w*\s*\(|\b(?:spyOn|doMock|callsFake|callFake|and_return|thenReturn|thenAnswer|doReturn|willReturn\w*|returns|resolves|ReturnsAsync|Returns|stub)\b\s*[({]|\b(?:vi|jest|mock)\.(?:mock|module|fn)\s*\(|\breturn_value\b|\bside_effect\b|\bmonkeypatch\.setattr\s*\(|\bpatch(?:\.object)?\s*\(|\b(?:addInitScript|evaluate|setContent|fulfill|intercept)\s*\(|\.(?:textContent|innerHTML|innerText)\s*=(?!=)/;
const plain = /^(?:-?[01]|""|true|false|True|False|null|undefined|None|nil|NaN)$/;

/**
 * Mocks that tests get which there were, in a change of nothing but tests, with an answer that only their assertions named before: the
 * test asserts what it gives itself. Pure.
 */
export function mockedAnswers(tests: readonly TestFile[], files: readonly ChangedFile[]): Found[] {
  const isOfProduct = ({ path }: ChangedFile) => isSource(path) && !isTestPath(path);
  if (files.some(isOfProduct)) return [];
  const { added } = compare(tests, { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  return tests.flatMap((file) => {
    if (file.before.cases.length === 0) return [];
    const wanted = onlyAsserted(file);
    if (wanted.size === 0) return [];
    const old = new Set(file.before.cases.map(({ title }) => title));
    const titles = new Map(file.after.cases.map(({ at, title }) => [at, title]));
    const isOfNewTest = ({ at }: CodeLine) => {
      const title = titles.get(file.after.owners.get(at) ?? 0);
      return title !== undefined && !old.has(title);
    };
    return added
      .filter((line) => line.file === file && mocks.test(line.bare) && !isOfNewTest(line))
      .filter(({ at }) => {
        const body = bodyOf(file.after.code, indexOfLine(file.after.code, at));
        const given = body.filter((line) => file.after.changed.has(line.at));
        return given.some(({ text }) => literalsOf(tidy(text)).some((value) => isGiven(value, wanted)));
      })
      .map(({ at }) => ({ file, at }));
  });
}

/** Whether a value is one of those that are wanted, or a text that has a long one in it. */
function isGiven(value: string, wanted: ReadonlySet<string>): boolean {
  return (
    wanted.has(value) ||
    [...wanted].some((one) => one.startsWith('"') && one.length > 6 && value.includes(one.slice(1, -1)))
  );
}

/** Values that assertions name before and after, and no other line before. */
function onlyAsserted({ before, after }: TestFile): Set<string> {
  const kept = new Set(after.assertions.map(({ text }) => text));
  const asserted = before.assertions.filter(({ text }) => kept.has(text));
  const lines = new Set(before.assertions.map(({ at }) => at));
  const elsewhere = new Set(
    before.code.filter(({ at }) => !lines.has(at)).flatMap(({ text }) => literalsOf(tidy(text))),
  );
  return new Set(
    asserted
      .flatMap(({ literals }) => literals)
      .filter((value) => !plain.test(value) && value.length > 2 && !elsewhere.has(value)),
  );
}
