import type { ChangedFile, Line } from './changed-file.ts';
import type { WeakerTest } from './weaker-test.ts';

/** An example in the documentation of Python, and what it must print. */
interface Example extends Line {
  output: string;
}

/** Examples of documentation that print something else than before, whose output any other is as well, or that no longer run. Pure. */
export function weakerDoctests(files: readonly ChangedFile[]): WeakerTest[] {
  const read = files
    .filter(({ path }) => /\.(?:py|pyi|rst|md|txt)$/.test(path))
    .map((file) => ({ file, before: examplesOf(file.before), after: examplesOf(file.after) }));
  const left = read.flatMap(({ after }) => after).filter(asserts);
  const lost = read.flatMap(({ file: { path, after: now }, before }) => {
    const gone = before.filter((was) => {
      const at = left.findIndex(({ output }) => output === was.output);
      if (at >= 0) left.splice(at, 1);
      return at < 0 && asserts(was);
    });
    return flag({ path, now }, gone);
  });
  return [...lost, ...files.flatMap((file) => flag({ path: file.path, now: file.after }, unrun(file)))];
}

function flag(
  { path, now }: { path: string; now: readonly Line[] },
  gone: readonly Pick<Line, 'at'>[],
): WeakerTest[] {
  const [first] = gone;
  if (first === undefined) return [];
  const text = `examples of documentation weakened: ${gone.length}, in ${path}:${Math.min(first.at, Math.max(1, now.length))}`;
  return [{ text, paths: [path] }];
}

/** Examples of Rust that were run, and now are only compiled, or not even that: there are fewer that run. Pure. */
function unrun({ path, before, after, added }: ChangedFile): Line[] {
  if (!path.endsWith('.rs')) return [];
  const mark = /^\s*\/\/[/!]\s*```(?:rust)?,?\s*(\w*)/;
  // Every other mark ends an example.
  const run = (lines: readonly Line[]) =>
    lines
      .filter(({ text }) => mark.test(text))
      .filter((_, nth) => nth % 2 === 0)
      .filter(({ text }) => mark.exec(text)?.[1] === '');
  const fewer = run(before).length - run(after).length;
  return added
    .filter(({ text }) => /^(?:ignore|no_run|text|compile_fail)/.test(mark.exec(text)?.[1] ?? ''))
    .slice(0, Math.max(0, fewer));
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
