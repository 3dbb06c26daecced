import { expect, it } from 'vitest';

import { printable, printableJson, printableLine } from './printable.ts';

const obeyed = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

it('every code point that a terminal obeys or hides is made visible, and no other is touched', () => {
  for (let code = 0; code <= 0x10_ffff; code += code === 0x3_0000 ? 0xb_0000 : 1) {
    const character = String.fromCodePoint(code);
    const shown = printable(`a${character}b`);
    if (character === '\n' || character === '\t' || !obeyed.test(character)) {
      expect(shown, code.toString(16)).toBe(`a${character}b`);
    } else {
      expect(obeyed.test(shown), code.toString(16)).toBe(false);
      expect(shown.length, code.toString(16)).toBeGreaterThan(2);
    }
  }
});

it.each([
  ['an escape sequence', '\u001b[8mx\u001b]52;c;aGk=\u0007', '␛[8mx␛]52;c;aGk=␇'],
  ['the one-byte form of it', '\u009b31mred', '\\u009b31mred'],
  ['text that is written backwards', 'safe\u202egnp.exe', 'safe\\u202egnp.exe'],
  ['isolates and marks', '\u2066a\u2069\u200e\u200f\u061c', '\\u2066a\\u2069\\u200e\\u200f\\u061c'],
  ['letters that nobody sees', 'a\u200bb\u{e0041}c\ufeff', 'a\\u200bb\\u{e0041}c\\ufeff'],
  ['selectors that carry data', 'x\u{fe01}\u{e0100}', 'x\\ufe01\\u{e0100}'],
  ['a line that begins again', 'failed\rlanded', 'failed␍landed'],
  ['breaks that are no line feed', 'a\u2028b\u0085c', 'a\\u2028b\\u0085c'],
  ['half a character', 'a\ud800b', 'a\\ud800b'],
  ['line ends of another system', 'a\r\nb', 'a\nb'],
])('%s can be read and does nothing', (_, text, shown) => {
  expect(printable(text)).toBe(shown);
});

it('emoji stay whole, and a second selector behind one does not hide', () => {
  for (const emoji of ['👩‍💻', '❤️', '1️⃣', '👩🏽‍🚀', '🏳️‍🌈']) expect(printable(emoji)).toBe(emoji);
  expect(printable('❤️\u{fe0f}')).toBe('❤️\\ufe0f');
  expect(printable('a\u200d👩')).toBe('a\\u200d👩');
});

it('JSON made printable is read as the same value, and holds nothing that a terminal obeys', () => {
  const value = {
    'k\u202ee\u0085y': ['\u001b[2J', '\u009b', '\u2028', '\ud800', '\u{e0041}', 'a\n', '👩‍💻', '\u007f'],
  };
  const text = printableJson(JSON.stringify(value, undefined, 2));
  expect(JSON.parse(text)).toEqual(value);
  expect(obeyed.test(text.replaceAll('\n', '').replaceAll('👩‍💻', ''))).toBe(false);
});

it('a title is one line, whatever white space it holds', () => {
  expect(printableLine(' fix\n\n✔ landed\u2028x\t\u000by ')).toBe('fix ✔ landed x y');
  expect(printableLine('a\u001b[1A')).toBe('a␛[1A');
});
