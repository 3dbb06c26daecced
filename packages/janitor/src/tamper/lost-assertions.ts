import { literalsOf, tidy, type Assertion } from './assertions.ts';
import { asksForPart, isCountOf, isNarrower, isUnwrapped, isWholeOf } from './kept-otherwise.ts';
import { makesException, onlyAsksForTwo } from './left-out.ts';
import { isSameTime, isWithin, looserThan } from './looser-numbers.ts';
import type { Line } from './changed-file.ts';

/** What became of an assertion that is no longer there as it was. */
export interface Lost {
  was: Assertion;
  /** The assertion in its place: weaker, or with other values. */
  now: Assertion | null;
  kind: 'gone' | 'weaker' | 'other';
}

/** New lines of a test that assert nothing by themselves, but may be rows of a table, calls of a helper or named values. */
export interface PlainLine extends Line {
  path: string;
}

/** What a change does to assertions, moved ones left out on both sides. */
export interface ChangedAssertions {
  removed: readonly Assertion[];
  added: readonly Assertion[];
  plain: readonly PlainLine[];
  /** Names of functions that tests define and that assert. */
  helpers: ReadonlySet<string>;
}

/**
 * Which assertions are lost. One is kept where a new one that is as strong has all its values, where a row of a table or a call of a
 * helper that asserts has them, or where they got names. Pure.
 */
export function lostAssertions(change: ChangedAssertions): Lost[] {
  const free = new Set(change.added.filter(({ strength }) => strength >= 0));
  const rows = new Set(
    change.plain.filter((line) => isRow(line.text) || callsHelper(line.text, change.helpers)),
  );
  const steps: ((was: Assertion) => boolean)[] = [
    (was) => takeBest(free, (now) => carries(now, was) && sameLiterals(now, was)),
    (was) => takeBest(free, (now) => carries(now, was)),
    (was) => takeBest(free, (now) => isStricter(now, was)),
    (was) => takeBest(free, (now) => isFoundOtherwise(now, was) || hasMoreParts(now, was)),
    (was) => takeRow(rows, { was, added: change.added }),
    (was) => isTakenIn(was, change.added),
    (was) => isTakenApart(was, change.added),
    (was) => change.added.some((now) => isCountOf(now, was)) || isUnwrapped(was, change.plain),
    (was) => takeNamed(was, { free, plain: change.plain }),
  ];
  let left = [...change.removed].filter(({ strength }) => strength >= 0);
  for (const isKept of steps) left = left.filter((was) => !isKept(was));
  return left.map((was) => judge(was, { free, all: change.added }));
}

function judge(was: Assertion, { free, all }: { free: Set<Assertion>; all: readonly Assertion[] }): Lost {
  const hollow = all.filter(({ strength }) => strength < 0);
  const near =
    [...free].find((now) => now.shape === was.shape && now.path === was.path) ??
    [...free].find((now) => now.path === was.path && calls(was).some((name) => calls(now).includes(name))) ??
    hollow.find((now) => now.path === was.path);
  if (near === undefined) return { was, now: null, kind: 'gone' };
  free.delete(near);
  const isOther =
    near.strength >= was.strength && near.isNegative === was.isNegative && !leavesOut(near, was);
  return { was, now: near, kind: isOther ? 'other' : 'weaker' };
}

/** Whether an assertion proves at least what another did. */
function carries(now: Assertion, was: Assertion): boolean {
  return (
    now.strength >= was.strength &&
    now.isNegative === was.isNegative &&
    holdsAll(now.literals, was.literals) &&
    (was.exceptions.length === 0 || now.exceptions.length > 0) &&
    !isLooser(now, was)
  );
}

/** Whether an assertion with the values of another asks for less of them. */
function isLooser(now: Assertion, was: Assertion): boolean {
  return leavesOut(now, was) || looserThan(now.text, was.text) === true;
}

function leavesOut({ text: now }: Assertion, { text: was }: Assertion): boolean {
  return makesException(now, was) || onlyAsksForTwo(now, was);
}

/** Whether an assertion asks for more than another by a smaller tolerance, or by more of a part that it looks for. */
function isStricter(now: Assertion, was: Assertion): boolean {
  if (now.path !== was.path || now.isNegative !== was.isNegative) return false;
  if (isSameTime(now.text, was.text)) return true;
  if (now.isNegative) return false;
  if (looserThan(now.text, was.text) === false || isWithin(now.text, was.text)) return true;
  const isNear =
    /near|delta|close_?to|approx|within/i.test(was.text) &&
    !/near|delta|close_?to|approx|within/i.test(now.text);
  if (isNear && now.strength === 2 && holdsAll(now.literals, was.literals.slice(0, -1))) return true;
  if (isWholeOf(now, was) || isNarrower(now, was)) return true;
  return (
    asksForPart(was) &&
    now.shape === was.shape &&
    now.strength >= was.strength &&
    was.literals.every((value, nth) => holdsPart(now.literals[nth] ?? '', value))
  );
}

const ofKind =
  /,?\s*"?\w+"?:\s*(?:expect\.(?:any|stringMatching|stringContaining|closeTo)\((?:[^()]|\([^()]*\))*\)|mock\.ANY|ANY)/g;

/** Whether a value is asked for whole as before, and has parts besides of which the kind is asked for. */
function hasMoreParts(now: Assertion, was: Assertion): boolean {
  return now.path === was.path && now.text !== was.text && now.text.replace(ofKind, '') === was.text;
}

const ofPage =
  /^expect\((?:\w+\.)*(?:locator|getBy\w+|frameLocator|findBy\w+)\(.*\)\)(\.(?:toHaveText|toHaveValue|toHaveAttribute)\(.*"[^"]{3,}".*\))$/;

/** Whether a part of a page is found in another way, and must say the same words. */
function isFoundOtherwise(now: Assertion, was: Assertion): boolean {
  const wanted = ofPage.exec(was.text)?.[1];
  return now.path === was.path && wanted !== undefined && wanted === ofPage.exec(now.text)?.[1];
}

/** Whether a text has another in it; one that is no text must be the same. */
function holdsPart(now: string, was: string): boolean {
  const part = /^\/(.+)\/\w*$/.exec(was)?.[1] ?? (was.startsWith('"') ? was.slice(1, -1) : '');
  return now === was || (part !== '' && !now.includes('|') && now.includes(part));
}

function sameLiterals(now: Assertion, was: Assertion): boolean {
  return now.literals.length === was.literals.length;
}

function takeBest(free: Set<Assertion>, fits: (now: Assertion) => boolean): boolean {
  const found = [...free].find(fits);
  if (found !== undefined) free.delete(found);
  return found !== undefined;
}

/** The values are in a row of examples, or handed to a helper. */
function takeRow(
  rows: Set<PlainLine>,
  { was, added }: { was: Assertion; added: readonly Assertion[] },
): boolean {
  const values = was.literals.filter((value) => !/^(true|false|True|False|null|None|nil)$/.test(value));
  if (values.length === 0) return false;
  // What all rows have in common may be left to the assertion about them.
  const common = added.filter(({ path }) => path === was.path).flatMap(({ literals }) => literals);
  const [row] = [...rows].filter((line) => {
    const own = literalsOf(tidy(line.text));
    return (
      holdsAll(own, was.literals) ||
      (holdsAll(own, was.literals.slice(1)) &&
        was.literals.length > 2 &&
        common.includes(was.literals[0] ?? ''))
    );
  });
  if (row !== undefined) rows.delete(row);
  return row !== undefined;
}

/** A text that was looked for by an assertion of its own or an exception, is asked for by one that asks for both at once. */
function isTakenIn(was: Assertion, added: readonly Assertion[]): boolean {
  return (
    was.strength === 1 &&
    (was.exceptions.length > 0 || was.literals.some((value) => value.startsWith('"') && value.length > 4)) &&
    added.some(
      (now) =>
        now.path === was.path &&
        now.strength >= was.strength &&
        now.isNegative === was.isNegative &&
        /match/i.test(now.text) &&
        holdsAll(now.exceptions, was.exceptions) &&
        holdsAll(now.literals, was.literals),
    )
  );
}

/** What one assertion asked of an exception and its text, two new ones ask. */
function isTakenApart(was: Assertion, added: readonly Assertion[]): boolean {
  if (was.exceptions.length === 0 || was.literals.length === 0) return false;
  const own = added.filter((now) => now.path === was.path && !now.isNegative && now.strength >= 1);
  const ofKind = own.find((now) => holdsAll(now.exceptions, was.exceptions));
  const ofText = own.find(
    (now) =>
      now !== ofKind &&
      /\bin\b|==|match|search|contain|include|equal/i.test(now.text) &&
      holdsAll(now.literals, was.literals),
  );
  return ofKind !== undefined && ofText !== undefined;
}

/** The values got names: a new assertion calls the same, and the lines around it hold what it no longer does. */
function takeNamed(
  was: Assertion,
  { free, plain }: { free: Set<Assertion>; plain: readonly PlainLine[] },
): boolean {
  const around = plain.filter(({ path }) => path === was.path).flatMap(({ text }) => literalsOf(tidy(text)));
  return takeBest(
    free,
    (now) =>
      now.path === was.path &&
      now.strength >= was.strength &&
      now.isNegative === was.isNegative &&
      (was.exceptions.length === 0 || now.exceptions.length > 0) &&
      // A value that takes the place of another is no name.
      now.literals.every((value) => was.literals.includes(value)) &&
      holdsAll([...around, ...now.literals], was.literals) &&
      !isLooser(now, was),
  );
}

function holdsAll(some: readonly string[], wanted: readonly string[]): boolean {
  const left = [...some];
  return wanted.every((value) => {
    const at = left.indexOf(value);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function isRow(text: string): boolean {
  return /^\s*(?:[[({]|["'`\d-]|\w+\s*:|\||#\[(?:case|test_case)|@(?:CsvSource|pytest)|&?\w+\s*\{)/.test(
    text,
  );
}

/** Whether a line begins with a call of a function that asserts. Pure. */
export function callsHelper(text: string, helpers: ReadonlySet<string>): boolean {
  const name = /^\s*(?:await\s+|self\.|this\.)?(\w+)!?\s*[( ]/.exec(text)?.[1];
  return name !== undefined && helpers.has(name);
}

const ofAssertions =
  /^(?:expect|assert\w*|to\w*|is\w*|not|eq|equal\w*|deep\w*|strict\w*|be|if|self|t|require|Equal\w*)$/;

/** Names that an assertion calls, those of asserting itself left out. */
function calls({ text }: Assertion): string[] {
  return [...text.matchAll(/(\w+)\s*[(.]/g)]
    .map(([, name = '']) => name)
    .filter((name) => !ofAssertions.test(name));
}
