/** Text, or the place of the first byte that is no UTF-8; line and column count from 1, columns in characters. */
export type Utf8Text = { ok: true; text: string } | { ok: false; line: number; column: number };

/** The message for a file in another encoding. */
export const notUtf8 = 'this is not UTF-8 text; save the file in UTF-8 ("Save with encoding" in the editor)';

/** Reads bytes as UTF-8 and guesses nothing: text in another encoding is refused with its place, never read with other characters. */
export function utf8Text(bytes: Uint8Array): Utf8Text {
  const text = decoded(bytes);
  if (text !== null) return { ok: true, text };
  let valid = 0;
  for (let broken = bytes.length; broken - valid > 1;) {
    const middle = Math.floor((valid + broken) / 2);
    if (decoded(bytes.subarray(0, middle), { stream: true }) === null) broken = middle;
    else valid = middle;
  }
  const before = decoded(bytes.subarray(0, valid), { stream: true }) ?? '';
  const lines = before.split('\n');
  return { ok: false, line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

/** `stream`: a character may be cut off at the end. */
function decoded(bytes: Uint8Array, options: { stream?: boolean } = {}): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, options);
  } catch {
    return null;
  }
}
