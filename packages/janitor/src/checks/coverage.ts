import type { CoverageReport } from '@baton/contracts';

/** Lines that were run, and all lines. */
export interface Coverage {
  covered: number;
  total: number;
}

/** Reads the lines of a report; `why`: it cannot be read, as the end of a sentence. Pure. */
export function readCoverage(
  text: string | null,
  { file, format }: Pick<CoverageReport, 'file' | 'format'>,
): Coverage | { why: string } {
  if (text === null) return { why: `it wrote no ${file}` };
  const found = readers[format](text);
  const isSound =
    found !== null &&
    Number.isSafeInteger(found.total) &&
    Number.isSafeInteger(found.covered) &&
    found.total > 0 &&
    found.covered >= 0 &&
    found.covered <= found.total;
  return isSound ? found : { why: `${file} names no covered lines as ${format} does` };
}

const readers: Readonly<Record<CoverageReport['format'], (text: string) => Coverage | null>> = {
  lcov: (text) => {
    const sum = (key: string): number =>
      [...text.matchAll(new RegExp(`^${key}:(\\d+)\\s*$`, 'gm'))].reduce(
        (all, [, value]) => all + Number(value),
        0,
      );
    return { covered: sum('LH'), total: sum('LF') };
  },
  cobertura: (text) => {
    const [root = ''] = /<coverage\b[^>]*>/.exec(text) ?? [];
    const value = (key: string): number =>
      Number(new RegExp(`\\b${key}\\s*=\\s*["'](\\d+)["']`).exec(root)?.[1] ?? Number.NaN);
    return { covered: value('lines-covered'), total: value('lines-valid') };
  },
  'istanbul-summary': (text) => {
    try {
      const lines = (JSON.parse(text) as { total?: { lines?: Partial<Coverage> } }).total?.lines;
      return { covered: Number(lines?.covered ?? Number.NaN), total: Number(lines?.total ?? Number.NaN) };
    } catch {
      return null;
    }
  },
};

/** `81.25 % of 1600 lines`. */
export function shareText({ covered, total }: Coverage): string {
  return `${share({ covered, total }).toFixed(2)} % of ${total} lines`;
}

const share = ({ covered, total }: Coverage): number => (covered / total) * 100;

/** Whether the share of covered lines fell by more points than it may. Pure. */
export function hasFallen(
  { before, after }: { before: Coverage; after: Coverage },
  mayFallBy: number,
): boolean {
  // A division is not exact: a limit that is just reached is kept.
  return share(before) - share(after) > mayFallBy + 1e-9;
}
