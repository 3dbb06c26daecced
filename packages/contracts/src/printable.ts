/** What a terminal obeys instead of showing, what shows nothing, and what turns or breaks the line that it is in. */
const hidden = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;

/** Joiners and selectors in their one honest place: between and after the parts of one emoji. */
const insideEmoji = [
  String.raw`(?<=\p{Extended_Pictographic})[\u{FE0E}\u{FE0F}]`,
  String.raw`\u{FE0F}(?=\u{20E3})`,
  String.raw`(?<=\p{Extended_Pictographic}[\u{FE0F}\p{Emoji_Modifier}]?)\u{200D}(?=\p{Extended_Pictographic})`,
].join('|');

const textParts = new RegExp(`\\r\\n|(${insideEmoji}|[\\n\\t])|${hidden}`, 'gu');
const jsonParts = new RegExp(`(${insideEmoji}|\\n)|${hidden}`, 'gu');

/**
 * Text from outside as it may be shown: control characters but line feed and tab, escape sequences, marks that turn the
 * direction of writing, characters without width and lone surrogates become visible (`␛`, `\u202e`); a carriage return
 * before a line feed is dropped. Emoji stay whole. For people only: it cannot be turned back.
 */
export function printable(text: string): string {
  return text.replace(textParts, (part, kept: string | undefined) => {
    if (kept !== undefined) return kept;
    return part === '\r\n' ? '\n' : picture(part);
  });
}

/**
 * A JSON text with the same characters written as JSON's own escapes: a parser reads the same value, and a terminal
 * obeys nothing. Line feeds between the parts of the text stay.
 */
export function printableJson(json: string): string {
  return json.replace(jsonParts, (part, kept: string | undefined) => {
    if (kept !== undefined) return kept;
    return Array.from({ length: part.length }, (_, at) => escape(part.charCodeAt(at))).join('');
  });
}

/** {@link printable} on one line: runs of white space become one space. For titles, subjects and cells of tables. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/gu, ' ').trim());
}

/** The Unicode control picture of an ASCII control character, else the number as JavaScript writes it. */
function picture(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return code > 0xffff ? `\\u{${code.toString(16)}}` : escape(code);
}

function escape(codeUnit: number): string {
  return `\\u${codeUnit.toString(16).padStart(4, '0')}`;
}
