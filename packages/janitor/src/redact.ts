import { keyShapes } from './key-shapes.ts';

const secretName = /TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|CREDENTIAL|DATABASE_URL/i;

/**
 * Text without keys: whatever has the shape of one, and the values of variables whose names say that they are secret. Applied to all
 * output that is stored or shown.
 */
export function redact(text: string, options: { env: Readonly<Record<string, string>> }): string {
  const values = Object.entries(options.env)
    .filter(([name, value]) => secretName.test(name) && value.length >= 6)
    .sort(([, a], [, b]) => b.length - a.length);
  const named = values.reduce((rest, [name, value]) => rest.replaceAll(value, `[${name} removed]`), text);
  return keyShapes.reduce((rest, { kind, find }) => rest.replace(find, `[${kind} removed]`), named);
}

/** The end of a text, at most `maxBytes` of UTF-8, cut at a line where one is near. */
export function tail(text: string, options: { maxBytes: number }): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= options.maxBytes) return text;
  const kept = bytes
    .subarray(bytes.length - options.maxBytes)
    .toString('utf8')
    .replace(/^\uFFFD+/, '');
  const line = kept.indexOf('\n');
  return `[…]\n${line >= 0 && line < 200 ? kept.slice(line + 1) : kept}`;
}
