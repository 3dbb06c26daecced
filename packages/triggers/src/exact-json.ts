import { BatonError } from '@baton/contracts';

/** Far deeper than what senders send, and far from what recursion takes. */
const maxDepth = 100;

/** Digits that each number of the computer keeps. */
const keptDigits = 15;

/** What JSON.parse says besides a value; TypeScript knows it of newer editions of the language only. */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/**
 * Reads the JSON of an event like `JSON.parse`, but for numbers that would become others, such as 12345678901234567890 or 1e400: each
 * of these stays the text that it came as. Ids of other systems are such numbers.
 * @throws SyntaxError · INVALID_INPUT for what is nested more than 100 deep
 */
export function parseExactJson(text: string): unknown {
  if (isTooDeep(text)) {
    throw new BatonError('INVALID_INPUT', `The body of the webhook is nested more than ${maxDepth} deep.`, {
      fix: 'Send a flatter object.',
    });
  }
  const keep: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && isAltered(value, source) ? source : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown);
}

function isAltered(value: number, source: string): boolean {
  const digits = source.replace(/e.*$/i, '').replaceAll(/\D/g, '').replace(/^0+/, '');
  if (digits.length > keptDigits) return String(value) !== source;
  return !Number.isFinite(value) || (value === 0 && digits !== '');
}

/** Whether a JSON text is nested deeper than `maxDepth`: parsers and schemas recurse into what they are given. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (isText && sign === '\\') at += 1;
    else if (sign === '"') isText = !isText;
    else if (!isText && (sign === '[' || sign === '{')) depth += 1;
    else if (!isText && (sign === ']' || sign === '}')) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}
