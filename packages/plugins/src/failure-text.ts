const longest = 2_000;

/** What was thrown, as text that can be kept: bounded, well-formed, without NUL, whatever a plugin throws. */
export function failureText(error: unknown): string {
  return textOf(error).slice(0, longest).replaceAll('\0', '').toWellFormed();
}

function textOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'it threw something that is no text';
  }
}
