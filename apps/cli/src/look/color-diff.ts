import type { Colors } from '../terminal/colors.ts';

/** A unified diff with the colours of git. */
export function colorDiff(text: string, colors: Colors): string {
  return text
    .trimEnd()
    .split('\n')
    .map((whole) => {
      const line = whole.replace(/\r$/, '␍'); // a change of line ends is a change, too
      if (/^(diff|index|---|\+\+\+) /.test(line)) return colors.bold(line);
      if (line.startsWith('@@')) return colors.cyan(line);
      if (line.startsWith('+')) return colors.green(line);
      return line.startsWith('-') ? colors.red(line) : line;
    })
    .join('\n');
}
