/** A number of a line, and what is said of it there. */
interface Measure {
  value: number;
  /** Which way the test asks for less: with a larger number, with a smaller one, or it is not known which. */
  looser: 'larger' | 'smaller' | null;
}

const numbers =
  /(?<!\w|(?<!\.)\.)-?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?(?:[iu](?:8|16|32|64|128|size)|f(?:32|64))?\b/gi;
const mayBeLarge =
  /(?:accuracy|abs|rel|abs_tol|rel_tol|[ar]tol|tol\w*|delta|epsilon|eps|margin|within|timeout\w*|time_?limit|deadline|retr(?:y|ies)|attempts|reruns|flak\w*)\W{0,4}$/i;
const mayBeSmall =
  /(?:max_?examples|max_?success|num_?runs|num_?tests|iterations|runs|repeats?|samples?|trials|cases|min_?successful|maxsize|minimum_coverage\w*|fail_under|places|digits|precision|range\s*\(\s*(?:\d+\s*,\s*)?|\w\s*<=?|\.\.=?|RepeatedTest\s*\()\W{0,3}$/i;

/** Values that are made by chance, of which a narrower range tries fewer. */
const byChance =
  /\bfc\.\w+\s*\(|\bst\.\w+\s*\(|\bstrategies\.\w+\s*\(|\b(?:integers|floats|lists|text|decimals)\s*\(|\bGen\.\w+|\bArbitraries\.|\b\w+\s+in\s+\d\w*\.\./;

/** Calls whose last number says how far a value may be off; for those with digits a smaller one is looser. */
const lastIsBound =
  /\b(?:InDelta|InEpsilon|assert_in_delta|assert_in_epsilon|\w*_NEAR|\w*NearlyEqual|assertEqualsWithDelta|assert_float_absolute_eq!|assert_receive|WithinAbs|WithinRel|closeTo|approximately|assert_relative_eq!|assert_abs_diff_eq!)\s*[( ]/;
const lastIsDigits = /\b(?:toBeCloseTo|assertAlmostEqual\w*|assert_almost_equal)\s*\(/;

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
  const [wanted, bound, ...rest] = fresh.slice(at);
  const [before, most] = old.slice(at);
  if (wanted === undefined || before === undefined || bound?.looser !== 'larger' || most === undefined)
    return false;
  const isRest = rest.every(({ value }, nth) => value === old[at + 2 + nth]?.value);
  return isRest && Math.abs(wanted.value - before.value) + bound.value <= most.value * (1 + 1e-9);
}

/** A text with powers such as `10**6` as one number. */
function inFull(text: string): string {
  // What is no tolerance says nothing.
  const plain = text.replace(/,\s*(?:[ar]tol|(?:abs|rel)(?:_tol)?)=0(?:\.0)?(?=[,)])/g, '');
  return plain.replace(/(?<![\w.])(\d{1,4})\s*\*\*\s*(\d{1,2})(?![\w.])/g, (_, base: string, power: string) =>
    String(Number(base) ** Number(power)),
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
