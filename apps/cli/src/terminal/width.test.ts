import fc from 'fast-check';
import sliceAnsi from 'slice-ansi';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';

import { cutTo, widthOf } from './width.ts';

test('every character takes as many columns as Unicode says', () => {
  const characters = Array.from({ length: 0x1_1000 }, (_, code) => String.fromCodePoint(code));
  expect(characters.filter((character) => widthOf(character) !== stringWidth(character))).toEqual([]);
});

test('a text is as wide, and cut at the same place, whichever way it is measured', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({
      unit: fc.constantFrom('a', 'ü', '✔', '→', '\u0301', '\ufe0f', '\u20e3', '日', '\u200d', '1'),
    }),
  );
  fc.assert(
    fc.property(text, fc.nat(12), (given, width) => {
      expect(widthOf(given)).toBe(stringWidth(given));
      const cut = width < 1 ? '' : `${sliceAnsi(given, 0, width - 1)}…`;
      expect(cutTo(given, width)).toBe(stringWidth(given) <= width ? given : cut);
    }),
  );
});
