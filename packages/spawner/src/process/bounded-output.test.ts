import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundedOutput } from './bounded-output.ts';
import { lineSplitter } from './lines.ts';

const chunks = (whole: Buffer, sizes: number[]) => {
  const parts: Buffer[] = [];
  for (let at = 0, n = 0; at < whole.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 1;
    parts.push(whole.subarray(at, at + size));
    at += size;
  }
  return parts;
};

test('what fits comes out as it went in, however it was cut', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (text, sizes) => {
        const output = boundedOutput(10_000);
        for (const part of chunks(Buffer.from(text), sizes)) output.push(part);
        expect(output.text()).toBe(Buffer.from(text).toString());
        expect(output.truncated).toBe(false);
      },
    ),
  );
});

test('what does not fit keeps its head and its tail and says how much is gone', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 101, max: 5_000 }),
      fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
      (length, sizes) => {
        const whole = Buffer.from(Array.from({ length }, (_, n) => 97 + (n % 26)));
        const output = boundedOutput(100);
        for (const part of chunks(whole, sizes)) output.push(part);
        expect(output.text()).toBe(
          `${whole.subarray(0, 50)}\n… ${length - 100} bytes dropped …\n${whole.subarray(length - 50)}`,
        );
        expect(output.truncated).toBe(true);
      },
    ),
  );
});

test('lines come whole, whatever the chunks, and nothing is lost', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'ü', '🌍', '\n') }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
      (text, sizes) => {
        const pieces: string[] = [];
        const splitter = lineSplitter((piece) => pieces.push(piece));
        for (const part of chunks(Buffer.from(text), sizes)) splitter.push(part);
        splitter.end();
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces.slice(0, -1)) expect(piece.endsWith('\n')).toBe(true);
      },
    ),
  );
});
