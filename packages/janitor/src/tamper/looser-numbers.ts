import { inMilliseconds } from './measured-times.ts';

/** A number of a line, and what is said of it there. */
interface Measure {
  value: number;
  /** Which way the test asks for less: with a larger number, with a smaller one, or it is not known which. */
  looser: 'larger' | 'smaller' | null;
}

const numbers =
  /(?<!\w|(?<!\.)\.)-?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?(?:[iu](?:8|16|32|64|128|size)|f(?:32|64))?\b/gi;
const mayBeLarge =
  /(?:accuracy|abs|rel|abs_tol|rel_tol|[ar]tol|tol\w*|delta|epsilon|eps|margin|within|timeout\w*|time_?limit|deadline|max_?time|max_?duration|at_?most|eventually|retr(?:y|ies)|attempts|reruns|flak\w*)\W{0,4}(?:value\s*=\s*)?$/i;
const mayBeSmall =
  /(?:max_?examples|max_?success|num_?runs|num_?tests|iterations|runs|repeats?|samples?|trials|cases|for\s+range|min_?successful|maxsize|minimum_coverage\w*|fail_under|places|digits|precision|range\s*\(\s*(?:\d+\s*,\s*)?|\w\s*<=?|\.\.=?|RepeatedTest\s*\()\W{0,3}$/i;

/** Values that are made by chance, of which a narrower range tries fewer. */
const byChance =
  /\bfc\.\w+\s*\(|\bst\.\w+\s*\(|\bstrategies\.\w+\s*\(|\b(?:integers|floats|lists|text|decimals)\s*\(|\bGen\.\w+|\bArbitraries\.|\b\w+\s+in\s+\d\w*\.\./;

/** A limit of time that is none. */
const noLimit =
  /((?:timeout\w*|time_?limit|deadline|max_?time)\W{0,4}?)\s*(?::?infinity|(?:math\.|float\()?["']?inf\b["']?\)?|-1|0|none|null|nil|undefined|false|(?:\w+\.)+max(?:_\w+)?|\w+::MAX)(?![\w.])/gi;

/** Calls whose last number says how far a value may be off; for those with digits a smaller one is looser. */
const lastIsBound =
  /\b(?:InDelta|InEpsilon|assert_in_delta|assert_in_epsilon|\w*_NEAR|\w*NearlyEqual|assertEqualsWithDelta|assert_float_absolute_eq!|assert_receive|WithinAbs|WithinRel|closeTo|approximately|assert_relative_eq!|assert_abs_diff_eq!)\s*[( ]/;
const lastIsDigits =
  /\b(?:toBeCloseTo|assertAlmostEqual\w*|assert_almost_equal)\s*\(|\bAssert\.Equal\s*\([^()]*,[^()]*(?:\([^()]*\)[^()]*)?,\s*\d+\s*\)/;

function measures(text: string): Measure[] {
  const found = [...text.matchAll(numbers)];
  return found.map((match, nth) => {
    const before = text.slice(Math.max(0, match.index - 40), match.index);
    const fails = /^\s*if\b/.test(text);
    const isBelow = /(?:<=?|\bLess\w*\(|toBeLessThan\w*\()\s*$/.test(before);
    const isAbove = /(?:>=?|\bGreater\w*\(|toBeGreaterThan\w*\()\s*$/.test(before);
    const isBound = /assert|expect|^\s*if\b/.test(text.slice(0, match.index));
    const isMade = byChance.test(text);
    const after = text.slice(match.index + match[0].length);
    const isLast = nth === found.length - 1 && (nth > 0 || /,\s*$/.test(before));
    const isLarge =
      (isBound && (fails ? isAbove : isBelow)) ||
      mayBeLarge.test(before) ||
      (isMade && (/\bmin\w*["']?\s*[:=]\s*$/.test(before) || after.startsWith('..'))) ||
      (isLast && lastIsBound.test(text));
    const isSmall =
      (isBound && (fails ? isBelow : isAbove)) ||
      (mayBeSmall.test(before) &&
        !/assert|expect/.test(text.slice(0, match.index).replace(/.*\bfor\b/, ''))) ||
      (isMade && /\bmax\w*["']?\s*[:=]\s*$/.test(before)) ||
      (isLast && lastIsDigits.test(text)) ||
      /\bplaces\W{0,3}$/.test(before);
    const value = Number(match[0].replaceAll('_', '').replace(/[iuf](?:\d+|size)$/, ''));
    return { value, looser: isLarge ? 'larger' : isSmall ? 'smaller' : null };
  });
}

/** A text with its numbers left out. */
function shapeOf(text: string): string {
  return text.replace(numbers, '§');
}

/**
 * Whether one line asks for less than another that differs from it by numbers alone: a limit or tolerance is larger, or fewer examples
 * are tried. `null` where the two differ otherwise, or by a number of which nothing is known. Pure.
 */
export function looserThan(now: string, was: string): boolean | null {
  return comparedNumbers(inFull(now), inFull(was));
}

/**
 * Whether a value with a tolerance allows nothing that another did not: the two texts differ by these two numbers alone, and what is
 * allowed now lies within what was. Pure.
 */
export function isWithin(now: string, was: string): boolean {
  if (shapeOf(now) !== shapeOf(was) || now === was) return false;
  const [old, fresh] = [measures(was), measures(now)];
  const at = fresh.findIndex(({ value }, nth) => value !== old[nth]?.value);
  const end = fresh.findIndex(({ looser }, nth) => nth > at && looser !== null);
  const [wanted, before, bound, most] = [fresh[at], old[at], fresh[end], old[end]];
  if (wanted === undefined || before === undefined || bound === undefined || most === undefined) return false;
  const isRest = fresh.every(({ value }, nth) => nth === at || nth === end || value === old[nth]?.value);
  // Digits allow half of the last one.
  const allowed = ({ value, looser }: Measure) => (looser === 'larger' ? value : 0.5 * 10 ** -value);
  return isRest && Math.abs(wanted.value - before.value) + allowed(bound) <= allowed(most) * (1 + 1e-9);
}

/** Whether two texts differ by nothing but the units of a time. Pure. */
export function isSameTime(now: string, was: string): boolean {
  return now !== was && inFull(now) === inFull(was);
}

const ofLimit = /(?:time_?out|time_?limit|deadline|max_?time)\w*/i;

/** Whether a line that sets a limit of time sets none any more. Pure. */
export function losesLimit(now: string, was: string): boolean {
  const [fresh, old] = [now, was].map((text) => ofLimit.exec(text));
  if (fresh === null || fresh === undefined || old === null || old === undefined) return false;
  const [isSame, rest] = [now.slice(0, fresh.index) === was.slice(0, old.index), now.slice(fresh.index)];
  return (
    isSame &&
    /\d/.test(was.slice(old.index)) &&
    !/\d/.test(rest) &&
    /\b(?:none|infinit\w+|never|forever|disabled)\b/i.test(rest)
  );
}

/** A text with powers such as `10**6` as one number. */
function inFull(text: string): string {
  // What is no tolerance says nothing.
  const plain = text.replace(/,\s*(?:[ar]tol|(?:abs|rel)(?:_tol)?)=0(?:\.0)?(?=[,)])/g, '');
  const ofTime = inMilliseconds(plain).replace(noLimit, (_, limit: string) => `${limit}1e15`);
  return ofTime.replace(
    /(?<![\w.])(\d{1,4})\s*\*\*\s*(\d{1,2})(?![\w.])/g,
    (_, base: string, power: string) => String(Number(base) ** Number(power)),
  );
}

function comparedNumbers(now: string, was: string): boolean | null {
  if (shapeOf(now) !== shapeOf(was) || now === was) return null;
  const [old, fresh] = [measures(was), measures(now)];
  const changed = fresh.flatMap((one, nth) => {
    const before = old[nth]?.value ?? one.value;
    return one.value === before ? [] : [{ looser: one.looser, isLarger: one.value > before }];
  });
  if (changed.length === 0 || changed.some(({ looser }) => looser === null)) return null;
  return changed.some(({ looser, isLarger }) => (looser === 'larger') === isLarger);
}
