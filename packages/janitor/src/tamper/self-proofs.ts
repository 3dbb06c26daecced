import { tidy } from './assertions.ts';
import { bodyOf, indentOf } from './languages/body.ts';
import { compare, type TestFile } from './test-file.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

const named =
  /^\s*(?:(?:const|let|var|local)\s+)?([A-Za-z_$][\w.$]*)\s*(?::[^=]+)?=(?![=>])\s*(?:await\s+)?(.*\(.*\))\s*;?\s*$/;

/** Assertions of tests that there were, whose two sides are by new lines the same call: the code is compared with itself. Pure. */
export function selfProofs(file: TestFile): Found[] {
  const { code, changed, cases, owners, assertions } = file.after;
  const old = new Set(file.before.cases.map(({ title }) => title));
  return cases.flatMap((one) => {
    if (!old.has(one.title)) return [];
    const values = code
      .filter(({ at }) => owners.get(at) === one.at)
      .flatMap(({ at, text }) => {
        const [, name, value] = named.exec(text) ?? [];
        return name === undefined || value === undefined ? [] : [{ at, name, value: tidy(value) }];
      });
    return assertions
      .filter(({ at, strength }) => owners.get(at) === one.at && strength >= 0)
      .filter(({ at, text }) => {
        const full = values.reduceRight((all, { name, value }) => withValue(all, name, value), text);
        const isNew = changed.has(at) || values.some((value) => changed.has(value.at));
        return isNew && full !== text && file.language.hollow.some((pattern) => pattern.test(full));
      })
      .map(({ at }) => ({ file, at }));
  });
}

function withValue(text: string, name: string, value: string): string {
  const escaped = name.replace(/[.$]/g, String.raw`\$&`);
  return text.replace(new RegExp(String.raw`(?<![\w.$"])${escaped}(?![\w.$"(])`, 'g'), () => value);
}

/** Lines of tests' helpers that failed, where now nothing fails in their place. Pure. */
export function lostThrows(tests: readonly TestFile[]): Found[] {
  const { removed, added } = compare(
    tests.filter(({ language }) => /^(?:JavaScript|Python)$/.test(language.name)),
    { take: ({ code }) => code, key: ({ text }) => tidy(text) },
  );
  const fails = /\b(?:throw|raise)\b/;
  const gone = removed.filter(
    ({ bare, at, file }) => fails.test(bare) && file.before.owners.get(at) === undefined,
  );
  const kept = added.filter(({ bare }) => fails.test(bare)).length;
  const loose = tests.reduce((sum, { before, after }) => sum + after.loose - before.loose, 0);
  return gone.slice(kept + Math.max(0, loose)).map(({ file, at }) => ({ file, at }));
}

/** New lines of a block that must fail which come after what fails, or fail by themselves. Pure. */
export function behindFailure(file: TestFile): Found[] {
  if (file.language.name !== 'Python') return [];
  const { code, changed } = file.after;
  return code.flatMap(({ bare }, index) => {
    if (!/^\s*with\s+.*\b(?:pytest\.raises|assertRaises\w*)\s*\(/.test(bare)) return [];
    const [first, ...rest] = bodyOf(code, index).slice(1);
    if (first === undefined) return [];
    const direct = rest.filter(({ text }) => indentOf(text) === indentOf(first.text));
    const found = [
      ...[first].filter((line) => /^\s*raise\b/.test(line.bare)),
      ...direct.filter((line) => /^\s*(?:raise\b|assert\b|self\.assert)/.test(line.bare)),
    ];
    return found.filter(({ at }) => changed.has(at)).map(({ at }) => ({ file, at }));
  });
}

const callsBack =
  /\(\s*(?:async\s*)?(?:function\s*\w*\s*)?\(?\s*done\s*[,)]?\s*(?:=>|\)|\{)|\bdone\s*\)?\s*=>/;

/** Tests that say they are done before what they wait for has asserted anything. Pure. */
export function doneEarly(file: TestFile): Found[] {
  if (file.language.name !== 'JavaScript') return [];
  const { code, changed, cases, owners, assertions } = file.after;
  return cases
    .flatMap((one) => {
      const own = code.filter(({ at }) => owners.get(at) === one.at);
      if (!callsBack.test(own[0]?.bare ?? '')) return [];
      const asserting = new Set(assertions.map(({ at }) => at));
      const inside = own.filter(({ at }) => asserting.has(at));
      const [first] = inside;
      return own.filter((line) => {
        if (first === undefined || !changed.has(line.at) || !/^\s*done\s*\(\s*\)\s*;?\s*$/.test(line.bare))
          return false;
        const indent = indentOf(line.text);
        // What is asserted in a function on its own line comes later as well.
        const isLate = (bare: string) => /\.then\s*\(|\bset(?:Timeout|Immediate)\s*\(/.test(bare);
        if (inside.every(({ bare }) => isLate(bare))) return true;
        const opener = own.findLast(({ at, text }) => at < first.at && indentOf(text) <= indent);
        return (
          inside.every(({ text, bare }) => indentOf(text) > indent || isLate(bare)) &&
          /=>\s*\{?\s*$|\bfunction\b/.test(opener?.bare ?? '') &&
          !/\.(?:forEach|map|some|every|filter)\s*\(/.test(opener?.bare ?? '')
        );
      });
    })
    .map(({ at }) => ({ file, at }));
}

/** Tests that no longer load the strict form of assertions, but the one that takes `1` for `'1'`. Pure. */
export function lostStrictness(file: TestFile): Found[] {
  if (file.language.name !== 'JavaScript') return [];
  const strict = /\bassert\/strict\b|\bassert\b.*\bstrict\b|\bstrict\b.*\bassert\b/;
  if (!file.before.code.some(({ text }) => strict.test(text))) return [];
  if (file.after.code.some(({ text }) => strict.test(text))) return [];
  return file.after.code
    .filter(({ at, text }) => file.after.changed.has(at) && /["'](?:node:)?assert["']/.test(text))
    .map(({ at }) => ({ file, at }));
}

/** Scripts of tests that no longer end where a command of theirs fails. Pure. */
export function lostErrexit(file: TestFile): Found[] {
  if (file.language.name !== 'shell' || file.isDeleted) return [];
  const stops = (side: 'before' | 'after') =>
    file[side].code.filter(({ bare }) => /^\s*set\s+(?:-\w*e\w*\b|.*\berrexit\b)/.test(bare));
  const [was] = stops('before');
  if (was === undefined || stops('after').length > 0) return [];
  const at = file.after.code.find((line) => file.after.changed.has(line.at))?.at ?? was.at;
  return [{ file, at }];
}

/** New loops over pairs that end with the shorter list, where nothing else asserts how long the lists are. Pure. */
export function endsWithShorter(file: TestFile): Found[] {
  if (file.language.name !== 'Python') return [];
  const { code, changed, owners, assertions } = file.after;
  return code.flatMap(({ at, bare }, index) => {
    if (!changed.has(at) || !/\bzip\s*\((?!.*\bstrict\s*=\s*True)/.test(bare)) return [];
    if (/^\s*(?:@|\w+\s*=)/.test(bare)) return [];
    const body = new Set(bodyOf(code, index).map((line) => line.at));
    const own = assertions.filter((one) => owners.get(one.at) === owners.get(at));
    const isCounted = own.some(({ text }) => /\blen\s*\(/.test(text));
    return own.some((one) => body.has(one.at)) && !isCounted ? [{ file, at }] : [];
  });
}
