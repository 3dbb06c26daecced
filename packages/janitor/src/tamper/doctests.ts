import type { ChangedFile, Line } from './changed-file.ts';
import type { WeakerTest } from './weaker-test.ts';

/** An example in the documentation of Python, and what it must print. */
interface Example extends Line {
  output: string;
}

/** Examples of documentation that print something else than before, or whose output any other is as well. Pure. */
export function weakerDoctests(files: readonly ChangedFile[]): WeakerTest[] {
  const read = files
    .filter(({ path }) => /\.(?:py|pyi|rst|md|txt)$/.test(path))
    .map((file) => ({ file, before: examplesOf(file.before), after: examplesOf(file.after) }));
  const left = read.flatMap(({ after }) => after).filter(asserts);
  return read.flatMap(({ file: { path, after: now }, before }) => {
    const lost = before.filter((was) => {
      const at = left.findIndex(({ output }) => output === was.output);
      if (at >= 0) left.splice(at, 1);
      return at < 0 && asserts(was);
    });
    const [first] = lost;
    if (first === undefined) return [];
    const text = `examples of documentation weakened: ${lost.length}, in ${path}:${Math.min(first.at, Math.max(1, now.length))}`;
    return [{ text, paths: [path] }];
  });
}

function asserts({ text, output }: Example): boolean {
  return output !== '' && output !== '...' && !/#\s*doctest:\s*\+SKIP/.test(text);
}

function examplesOf(lines: readonly Line[]): Example[] {
  return lines.flatMap(({ at, text }, index) => {
    if (!/^\s*>>>\s/.test(text)) return [];
    const output: string[] = [];
    for (const next of lines.slice(index + 1, index + 40)) {
      if (/^\s*(?:>>>|$|"""|''')/.test(next.text)) break;
      if (!/^\s*\.\.\.\s/.test(next.text)) output.push(next.text.trim());
    }
    return [{ at, text, output: output.join('\n') }];
  });
}
