import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { answerMs, patienceMs, watchHelper } from './helper-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A helper that answers until it is told otherwise. */
function helperOf() {
  const seen = { heard: 0, asked: 0, killed: 0, answers: true };
  const watched = {
    heard: () => seen.heard,
    ask() {
      seen.asked += 1;
      if (seen.answers) seen.heard += 1;
    },
    kill: () => void (seen.killed += 1),
  };
  return { seen, watched };
}

it('a helper that answers is asked again and again, and never killed for a program that does not end', () => {
  const { seen, watched } = helperOf();
  watchHelper(watched, { ms: 1_000 });
  vi.advanceTimersByTime(1_000 + 5 * (patienceMs + answerMs));
  expect(seen).toMatchObject({ asked: 6, killed: 0 });
});

it('a helper that says nothing to a question is killed once, with whatever it said before', () => {
  const { seen, watched } = helperOf();
  watchHelper(watched, { ms: 1_000 });
  seen.heard = 7;
  vi.advanceTimersByTime(1_000 + patienceMs);
  seen.answers = false;
  vi.advanceTimersByTime(10 * patienceMs);
  expect(seen).toMatchObject({ asked: 2, killed: 1 });
});

it('a watch that was ended asks nothing, and kills nothing that it had asked', () => {
  const { seen, watched } = helperOf();
  watchHelper(watched, { ms: 1_000 })();
  vi.advanceTimersByTime(patienceMs);
  expect(seen.asked).toBe(0);
  seen.answers = false;
  const end = watchHelper(watched, { ms: 1_000 });
  vi.advanceTimersByTime(1_000);
  end();
  vi.advanceTimersByTime(patienceMs);
  expect(seen).toMatchObject({ asked: 1, killed: 0 });
});

it('a limit beyond what a timer can hold does not ask at once', () => {
  const { seen, watched } = helperOf();
  const end = watchHelper(watched, { ms: Number.MAX_SAFE_INTEGER });
  vi.advanceTimersByTime(patienceMs);
  expect(seen.asked).toBe(0);
  end();
});

it('a helper from which nothing is due is not asked, and asked once something is', () => {
  const { seen, watched } = helperOf();
  const due = { yet: false };
  watchHelper({ ...watched, isDue: () => due.yet }, { ms: 1_000 });
  seen.answers = false;
  vi.advanceTimersByTime(20 * patienceMs);
  expect(seen).toMatchObject({ asked: 0, killed: 0 });
  due.yet = true;
  vi.advanceTimersByTime(patienceMs + answerMs);
  expect(seen).toMatchObject({ asked: 1, killed: 1 });
});
