import type { ChangedFile } from './changed-file.ts';

/** The settings of a file of JSON one by one, by the place of each, where both versions are such a file and neither lost one. */
export function settingsOf({
  before,
  after,
}: ChangedFile): { was: Map<string, string>; now: Map<string, string> } | null {
  const [was, now] = [before, after].map((lines) => leavesOf(lines.map(({ text }) => text).join('\n')));
  if (was === undefined || now === undefined || was === null || now === null) return null;
  return [...was.keys()].every((key) => now.has(key)) ? { was, now } : null;
}

function leavesOf(text: string): Map<string, string> | null {
  const leaves = new Map<string, string>();
  const visit = (place: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value)) visit(`${place}\0${key}`, one);
    else leaves.set(place, String(value));
  };
  try {
    visit('', JSON.parse(text));
    return leaves;
  } catch {
    return null;
  }
}
