import { bodyOf, indentOf, type ReadLine } from './body.ts';

/** Lines of a block that is looked at for an answer. */
const near = 8;

/** Whether a block that catches a panic fails where there was none, as a test of panics does. Pure. */
export function expectsPanic(code: readonly ReadLine[], line: ReadLine): boolean {
  const index = code.findIndex(({ at }) => at === line.at);
  const rest = code.slice(index, index + near).map(({ bare }) => bare);
  const name = /\b(?:let\s+(?:mut\s+)?)?(\w+)\s*:?=\s*(?:\w+::)*(?:recover|catch_unwind)\b/.exec(
    line.bare,
  )?.[1];
  const asserts =
    /\bassert\w*!?\s*[.(]|\brequire\.|\b[tb]\.(?:Error|Fatal|Fail)\w*\s*\(|\bpanic\s*\(|\.(?:unwrap|unwrap_err|expect|expect_err)\s*\(|resume_unwind/;
  const inside = line.bare.slice(line.bare.search(/\b(?:recover|catch_unwind)\b/));
  // What is caught is an assertion: its failure would be lost.
  if (/\bcatch_unwind\b.*\bassert\w*!/.test(inside)) return false;
  if (
    /\bcatch_unwind\b.*\{\s*$/.test(inside) &&
    bodyOf(code, index).some(({ bare }) => /\bassert\w*!/.test(bare))
  )
    return false;
  if (/\brecover\b/.test(line.bare) && /==\s*nil/.test(line.bare))
    return rest.some((text) => asserts.test(text));
  if (name === undefined || name === '_') return /\bassert\w*!/.test(line.bare) || asserts.test(inside);
  return rest
    .slice(1)
    .some((text) => new RegExp(`\\b${name}\\b`).test(text) && (asserts.test(text) || /==\s*nil/.test(text)));
}

/** Statements of a hook of pytest that change no result and leave no test out. */
const idle =
  /^(?:yield\b|pass\b|print\s*\(|return\s*$|\w+\s*=\s*(?:yield\b|\w+\.get_result\s*\(\s*\))|setattr\s*\(\s*item\s*,|items\.sort\s*\(|random\.shuffle\s*\(|\w*reporter\.(?:write|section)\w*\s*\(|(?:log|logger|logging)\.\w+\s*\(|with\s+open\b|\w+\.write\s*\(|(?:if|for|else|elif)\b.*:\s*$|config\.addinivalue_line\s*\(|item\.(?:user_properties|stash)\b|shutil\.rmtree\s*\(|(?!session\b|item\b|config\b|report\b)\w+\.(?:close|cleanup|stop|shutdown|terminate|unlink)\s*\(\s*\)$)/;

/** Whether a hook of pytest only looks on: it prints, sorts, or keeps what happened. Pure. */
export function looksOn(code: readonly ReadLine[], line: ReadLine): boolean {
  if (!/^\s*(?:async\s+)?def\s/.test(line.bare)) return false;
  const index = code.findIndex(({ at }) => at === line.at);
  const body = bodyOf(code, index).slice(1);
  const first = indentOf(body[0]?.text ?? '');
  return (
    body.length > 0 &&
    body.every(
      ({ bare, text }) =>
        idle.test(bare.trim()) ||
        (indentOf(text) > first && /^[\s\w"'.,{}()[\]]+$/.test(bare) && /^\s*["'(){}[\]]/.test(bare)),
    )
  );
}

/** Whether a condition above a line asks whether recordings are to be written. Pure. */
export function isAsked(code: readonly ReadLine[], line: ReadLine): boolean {
  const index = code.findIndex(({ at }) => at === line.at);
  const wish = /\benviron\b|\bgetenv\b|\bprocess\.env\b|\bargv\b|\bgetoption\b/;
  return [line, ...code.slice(Math.max(0, index - 2), index)].some(({ text }) => wish.test(text));
}

/** Whether the next line of a shell's script asks how the line before ended, and now learns of this one. Pure. */
export function losesStatus(code: readonly ReadLine[], line: ReadLine): boolean {
  const index = code.findIndex(({ at }) => at === line.at);
  return /\$\?/.test(code[index + 1]?.text ?? '') && !/\$\?/.test(line.text);
}

/** Whether a method belongs to no class of tests. Pure. */
export function isOfNoTests(code: readonly ReadLine[], line: ReadLine): boolean {
  const index = code.findIndex(({ at }) => at === line.at);
  const indent = indentOf(line.text);
  const owner = code.slice(0, index).findLast(({ text }) => indentOf(text) < indent);
  return !/^\s*class\s+(?:Test\w*|\w*Test(?:s|Case)?\b|\w+\([^)]*TestCase)/.test(owner?.bare ?? '');
}
