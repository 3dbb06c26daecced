import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { utf8Text } from './utf8-text.ts';

test.each([
  ['Latin-1', Buffer.from('name: x\ntitle: caf\u00e9 au lait\n', 'latin1'), 2, 11],
  ['UTF-16', Buffer.from('\ufeffname: x\n', 'utf16le'), 1, 1],
  ['a character that is cut off at the end', Buffer.from('naïve 🎉').subarray(0, -1), 1, 7],
  ['half a pair of UTF-16', Buffer.from([0x61, 0xed, 0xa0, 0x80]), 1, 2],
])('%s is refused with its place', (_, bytes, line, column) => {
  expect(utf8Text(bytes)).toEqual({ ok: false, line, column });
});

test.each(['', 'naïve 🎉\n', '\ufeffname: x\r\n', 'a \ufffd that was there'])(
  'what is UTF-8 comes as it is, with its byte order mark: %j',
  (text) => {
    expect(utf8Text(Buffer.from(text))).toEqual({ ok: true, text });
  },
);
