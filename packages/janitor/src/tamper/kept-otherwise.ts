import type { Assertion } from './assertions.ts';

/** What asks for one part of a text, or for one of its kinds. */
const ofPart =
  /contain|include|starts?_?with|ends?_?with|match|throw|raise|should_panic|\bin\b|strstr|prefix|suffix|regex|=~/i;

/** Whether an assertion looks for a part of something. Pure. */
export function asksForPart({ text }: Assertion): boolean {
  return ofPart.test(text);
}

/** What is asserted: the first value that a call of asserting is given and that is written as no literal. */
function subjectOf(text: string): string | undefined {
  return /^(?:\w+[.:!]*)*\s*[( ]\s*(?:(?:"(?:[^"\\]|\\.)*"|\/(?:[^/\\]|\\.)+\/\w*),\s*)?([A-Za-z_][\w.]*(?:\([^()]*\))?)/.exec(
    text,
  )?.[1];
}

/** Whether an assertion asks for a whole value of which another asked for a part. Pure. */
export function isWholeOf(now: Assertion, was: Assertion): boolean {
  const subject = subjectOf(was.text);
  const inside = (value: string) => /^(?:"|\/(?=[\w ]+\/$))(.*).$/.exec(value)?.[1] ?? value;
  return (
    now.path === was.path &&
    !now.isNegative &&
    !was.isNegative &&
    was.strength === 1 &&
    now.strength === 2 &&
    was.literals.length > 0 &&
    subject !== undefined &&
    subject === subjectOf(now.text) &&
    was.literals.every(
      (one) => inside(one) !== one && now.literals.some((value) => inside(value).includes(inside(one))),
    )
  );
}

/** Whether a pattern only says of how many characters a part of another is. Pure. */
export function isNarrower(now: Assertion, was: Assertion): boolean {
  const plain = now.text.replace(/(?<=\/.*)\{[1-9]\d*(?:,\d+)?\}(?=.*\/)/g, '+');
  return now.path === was.path && now.text !== was.text && plain === was.text;
}

/** Whether all calls of a function are asked for, where their number was. Pure. */
export function isCountOf(now: Assertion, was: Assertion): boolean {
  const once =
    /^(?:self\.)?assert(?:Equals?)?\s*\(?([\w.]+)\.call_count(?:,\s*|\s*==\s*)1\)?$/.exec(was.text)?.[1] ??
    null;
  if (once !== null) return now.path === was.path && /\bassert_called_once_with\(/.test(now.text);
  const called = /^([\w.]*)\.assert_called_once\(\)$/.exec(was.text)?.[1];
  if (called !== undefined)
    return now.path === was.path && now.text.startsWith(`${called}.assert_called_once_with(`);
  const exactly = /^expect\(([\w.]+)\)\.toHaveBeenCalled(?:Times\(1\)|Once\(\))$/.exec(was.text)?.[1];
  if (exactly !== undefined && now.text.startsWith(`expect(${exactly}).toHaveBeenCalledExactlyOnceWith(`))
    return now.path === was.path;
  const [, name, times] = /^expect\((\w+)\)\.toHaveBeenCalledTimes\((\d+)\)$/.exec(was.text) ?? [];
  const [, list = ''] =
    new RegExp(String.raw`^expect\(${name}\.mock\.calls\)\.(?:toEqual|toStrictEqual)\(\[(.*)\]\)$`).exec(
      now.text,
    ) ?? [];
  return name !== undefined && now.path === was.path && (list.match(/\[/g) ?? []).length === Number(times);
}

/** Whether a line takes the value of a result, which ends the test where it is a failure: that there is one was asserted. Pure. */
export function isUnwrapped(was: Assertion, lines: readonly { path: string; text: string }[]): boolean {
  const subject =
    /^assert_eq!\s*\((.+),\s*(?:Result::)?Ok\(\(\)\)\)$/.exec(was.text)?.[1] ??
    /^assert!\s*\((.+)\.is_(?:ok|some)\(\)\)$/.exec(was.text)?.[1];
  return (
    subject !== undefined &&
    lines.some(
      ({ path, text }) =>
        path === was.path && ['.unwrap()', '.expect(', '?'].some((end) => text.includes(`${subject}${end}`)),
    )
  );
}
