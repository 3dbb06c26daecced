import { tidy } from './assertions.ts';
import { isTestSettings } from './known-settings.ts';
import type { ChangedFile } from './changed-file.ts';
import { compare, type TestFile } from './test-file.ts';

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

/** What sets the clock, the time zone, the language or the chance that tests are given. */
const world =
  /\b(?:freeze_?time|time_?machine|travel_?to|Timecop|setSystemTime|useFakeTimers|mock_?date|FakeTimeProvider|fake_?clock|fixed_?clock|Clock\.fixed|set_?now|with_?clock|(?:random_?|test_?|rng_?|global_?|manual_?)?seed(?:_?from\w*)?|random_state|srand|default_rng|TZ|LANG|LC_\w+)\b|(?:time_?zone|locale|culture)\w*/i;

/**
 * Lines of tests that were there, and of what they load, which give them another day, zone, language or chance than before: what the
 * code does in the world that it had is no longer asked. Pure.
 */
export function otherWorlds(file: TestFile): Found[] {
  if (file.before.code.length === 0 || file.isDeleted) return [];
  const { removed, added } = compare([file], { take: ({ code }) => code, key: ({ text }) => tidy(text) });
  const asserted = new Set(file.after.assertions.map(({ at }) => at));
  // The line up to what it sets, with what it calls that.
  const head = (text: string) => {
    const found = world.exec(text);
    return found === null ? null : tidy(text.slice(0, found.index + found[0].length));
  };
  const were = new Set(removed.flatMap(({ text }) => head(text) ?? []));
  return added
    .filter(({ at, text }) => {
      const now = asserted.has(at) ? null : head(text);
      return now !== null && were.has(now) && !isKept(removed, added);
    })
    .map(({ at }) => ({ file, at }));
}

/** Whether new lines have all values that lines which are gone set, perhaps by a name or in a list. */
function isKept(removed: readonly { text: string }[], added: readonly { text: string }[]): boolean {
  const values = new Set(added.flatMap(({ text }) => wordsOf(text)));
  return removed.flatMap(({ text }) => valuesOf(text)).every((one) => values.has(one));
}

/** What a line says behind the word that sets something. */
function valuesOf(text: string): string[] {
  const found = world.exec(text);
  return found === null ? [] : wordsOf(text.slice(found.index + found[0].length));
}

function wordsOf(text: string): string[] {
  return text.match(/\w[\w.+/-]*/g) ?? [];
}

/** The first line of settings for tests alone that is gone or has another value; `null` where there only came more. Pure. */
export function otherSettings({ path, removed }: ChangedFile): number | null {
  if (!isTestSettings(path)) return null;
  return removed.find(({ text }) => !/^\s*(?:[#;]|\/\/|--|<!--|$)/.test(text))?.at ?? null;
}
