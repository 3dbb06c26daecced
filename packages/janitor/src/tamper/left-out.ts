import { tidy } from './assertions.ts';
import { compare, type TestFile } from './test-file.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

/** Names of options and calls by which a comparison, a rule or a table of examples passes over a part of what it has. */
const exempts =
  /^(?:\w*ignor\w*|\w*exclud\w*|except|\w*omit\w*|mask\w*|without[A-Z_]\w*|\w*maxDiff\w*|max_?diff\w*|\w*threshold\w*|freeze|allowEmpty\w*|allow_empty\w*|\w*lenient\w*|\w*loose(?:ly)?|fuzzy\w*|\w*comparing(?:Only)?\w*|\w*case_?insensitive\w*|\w*any_?order\w*|\w*unordered\w*|num\w*ToSkip|skip_?\w*(?:rows|lines|header|footer)|nrows|max_?rows|limit_?rows|\w*tolerance\w*|[ar]_?tol|(?:rel|abs)_?tol|epsilon)$/i;
const notStrict = /\b(?:strict|exact|check)\w*\s*[:=]\s*false\b/i;

function namesOf(text: string): string[] {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/[A-Za-z_]\w*/g) ?? [];
}

/** Names that one list has and another has not, as often as it has them. */
function without(some: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return some.filter((name) => {
    const at = left.indexOf(name);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Whether a text says all that another says, and makes an exception besides. Both are tidy. Pure. */
export function makesException(now: string, was: string): boolean {
  const [names, old] = [namesOf(now), namesOf(was)];
  const isLess = without(names, old).some((name) => exempts.test(name));
  return without(old, names).length === 0 && (isLess || (notStrict.test(now) && !notStrict.test(was)));
}

const unequal =
  /!=|\bassertNotEquals?\b|\bnot\.to(?:Strict)?Equal\b|\bnotDeep(?:Strict)?Equal\b|\brefute_equal\b|\bto_not eq\b|\bnot_to eq\b|\bisNotEqualTo\b|\bNotEqual\b|\bassert_ne!/;
const notSame =
  /\bis not (?!None\b)|\bassertIsNot\b|\bassertNotSame\b|\bnot\.toBe\b|\bnotStrictEqual\b|\brefute_same\b|\b(?:not_to|to_not) (?:be|equal)\b|\bisNotSameAs\b|\bNotSame\b|\bptr_eq\b/;

/** Whether two values had to differ, and now need only be two. Pure. */
export function onlyAsksForTwo(now: string, was: string): boolean {
  const ofPlain =
    /(?:\bis not\s+|\b(?:be|equal|toBe|isNotSameAs)\s*[( ]\s*|^\w+(?:\.\w+)*\((?:[^()]|\([^()]*\))*,\s*)(?:-?\d[\d.]*|"[^"]*"|true|false|null|nil)\)?$/;
  return unequal.test(was) && notSame.test(now) && !unequal.test(now) && !ofPlain.test(now);
}

/** Lines of tests, but for assertions, that say what they said and make an exception besides. Pure. */
export function newExceptions(file: TestFile): Found[] {
  if (file.before.code.length === 0) return [];
  const { removed, added } = compare([file], { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  const asserted = new Set(file.after.assertions.map(({ at }) => at));
  const were = removed.map(({ text }) => tidy(text)).filter((text) => namesOf(text).length > 1);
  return added
    .filter(({ at, text }) => !asserted.has(at) && were.some((was) => makesException(tidy(text), was)))
    .map(({ at }) => ({ file, at }));
}
