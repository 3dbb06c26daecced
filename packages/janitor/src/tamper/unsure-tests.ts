import { blocksAround } from './blocks.ts';
import { bodyOf, indentOf } from './languages/body.ts';
import { indexOfLine, type CodeLine } from './live-code.ts';
import type { TestFile } from './test-file.ts';

/** A line of a test, with its file. */
interface InTest extends CodeLine {
  file: TestFile;
}

/** Something at a line of a changed test. */
interface Found {
  file: TestFile;
  at: number;
}

/** Lines that a change adds, and the tests that there were before it: how much each asserted, by its title. */
export interface TestChange {
  added: readonly InTest[];
  before: ReadonlyMap<string, number>;
}

const condition = /^\s*(?:[})]\s*)?(?:else\b|(?:if|unless|elif|elsif|when|while|switch|guard)\b)/;
const later =
  /\b(?:setTimeout|setImmediate|queueMicrotask|nextTick|requestAnimationFrame|requestIdleCallback)\s*\(|\.then\s*\(|\bgo\s+func\b|\bspawn\s*[({]|\bThread(?:\.new|\.start|\s*\()|\bTask\s*(?:\.(?:Run|detached|async)\b|\{)|\bcreate_task\s*\(|\blaunch\s*\{|\.async\s*\{/;
const waited = /\b(?:await|return|yield)\b|\.join\s*\(|\.Wait\s*\(|<-\s*\w|\bdone\s*\(|\bwait\w*\s*\(/;

/**
 * Assertions of a test that there was before, which by new lines around them run only under a condition, or when the test may be over.
 * A test that asserts as much as before outside of them has only got more. Pure.
 */
export function unsureAssertions(file: TestFile, { added, before }: TestChange): Found[] {
  const { code, cases, assertions, owners } = file.after;
  if (file.language.name === 'shell') return [];
  const fresh = new Set(added.filter((line) => line.file === file).map(({ at }) => at));
  const ofCases = cases.flatMap((one) => {
    const had = before.get(one.title);
    if (had === undefined || had === 0) return [];
    const own = assertions.filter(({ at }) => owners.get(at) === one.at);
    const guards = own.flatMap(({ at }) => guardOf(file, { at, from: one.at, fresh }) ?? []);
    const outside = blocksAround(code, { at: one.at, from: 0 }).find(
      ({ at, bare }) => fresh.has(at) && (condition.test(bare) || isUncalled(code, bare)),
    );
    if (outside !== undefined) return [{ file, at: outside.at }];
    const isLess = own.length - guards.length < had;
    return isLess ? guards.slice(0, 1).map((at) => ({ file, at })) : [];
  });
  return [...ofCases, ...unsureHelpers(file, fresh)];
}

const helper = /^\s*(?:pub\s+)?(?:async\s+)?(?:fn|func|fun|def|function)\s+(\w+)/;

/** The same of functions that tests call: of one that was there and asserts less outside of new conditions. */
function unsureHelpers(file: TestFile, fresh: ReadonlySet<number>): Found[] {
  const { before, after } = file;
  const asserted = ({ code, assertions }: TestFile['after'], index: number) => {
    const lines = new Set(bodyOf(code, index).map(({ at }) => at));
    return assertions.filter(({ at }) => lines.has(at));
  };
  return after.code.flatMap((line, index) => {
    const name = helper.exec(line.bare)?.[1];
    if (name === undefined || after.owners.has(line.at)) return [];
    const was = before.code.findIndex(
      ({ at, bare }) => helper.exec(bare)?.[1] === name && !before.owners.has(at),
    );
    if (was < 0) return [];
    const own = asserted(after, index);
    const guards = own.flatMap(({ at }) => guardOf(file, { at, from: line.at, fresh }) ?? []);
    return own.length - guards.length < asserted(before, was).length
      ? guards.slice(0, 1).map((at) => ({ file, at }))
      : [];
  });
}

/** Whether a line begins a function, perhaps around a suite, whose name is nowhere else. */
function isUncalled(code: readonly CodeLine[], bare: string): boolean {
  const name =
    /\b(?:function\s+|(?:const|let|var)\s+)(\w+)\s*(?:\(|=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>))/.exec(
      bare,
    )?.[1];
  if (name === undefined) return false;
  const word = new RegExp(`\\b${name}\\b`);
  return code.filter((line) => word.test(line.bare)).length === 1;
}

/** The new line by which an assertion does not always run. */
function guardOf(
  { after: { code, owners }, language }: TestFile,
  { at, from, fresh }: { at: number; from: number; fresh: ReadonlySet<number> },
): number | undefined {
  const index = indexOfLine(code, at);
  const line = code[index];
  if (line === undefined) return undefined;
  if (fresh.has(at) && language.guard === undefined && isInline(line, language.assertions)) return at;
  if (fresh.has(at) && isInCatch(code, { index, assertions: language.assertions })) return at;
  if (fresh.has(at) && isLateInLine(code, { index, assertions: language.assertions })) return at;
  const around = blocksAround(code, { at, from: from + 1 });
  // The condition of failing belongs to what fails.
  const own = language.guard?.test(around[0]?.bare ?? '') === true ? around.slice(1) : around;
  // What another test waits for comes too late for this one.
  const rest = code
    .slice(index)
    .filter((one) => owners.get(one.at) === owners.get(at))
    .map(({ bare }) => bare);
  return own.find(({ at: place, bare }, nth) => {
    if (!fresh.has(place)) return false;
    if (condition.test(bare)) return true;
    if (isOnlyIfThrown(code, { at: place, bare })) return true;
    if (!later.test(bare) || waited.test(bare)) return false;
    return ![...own.slice(nth + 1).map((one) => one.bare), ...rest.slice(1, 12)].some((one) =>
      waited.test(one),
    );
  })?.at;
}

/** Whether a block runs only where the code before it threw, and nothing fails where it did not. */
function isOnlyIfThrown(code: readonly CodeLine[], { at, bare }: { at: number; bare: string }): boolean {
  const index = indexOfLine(code, at);
  if (/\.catch\s*\(.*\{\s*$/.test(bare))
    return !code
      .slice(Math.max(0, index - 4), index + 1)
      .some((line) => /\bthrow\b|\bfail\b/.test(line.bare) || isCounted.test(line.bare));
  if (!handles.test(bare)) return false;
  const begin = triedFrom(code, { index, bare });
  if (begin < 0) return false;
  const end = index + bodyOf(code, index).length;
  const next = code.slice(end).findIndex((line) => indentOf(line.text) < indentOf(bare));
  const below = code.slice(end, next < 0 ? end + 6 : end + Math.min(next, 6));
  return (
    ![...code.slice(begin, index), ...below].some((line) => failsOtherwise.test(line.bare)) &&
    !code.slice(Math.max(0, begin - 4), begin).some((line) => isCounted.test(line.bare))
  );
}

/** What fails where nothing was thrown: in the block itself, after it, or in the `else` of Python. */
const failsOtherwise =
  /\bfail\w*\b|\bthrow\b|\braise\b|\bpanic|\bunreachable|\bflunk\b|\bXCTFail\b|^\s*else\b|\bassert\w*\s*[.( ]|\bexpect\s*\(/i;
const isCounted = /\bassertions\s*\(|\bhasAssertions\b|\bplan\s*\(/;

/** Whether an assertion is in a function on its line that runs later, with nothing near that waits for it. */
function isLateInLine(
  code: readonly CodeLine[],
  { index, assertions }: { index: number; assertions: RegExp },
): boolean {
  const bare = code[index]?.bare ?? '';
  const [first] = bare.matchAll(assertions);
  if (first === undefined || !later.test(bare.slice(0, first.index))) return false;
  const from = /^\s*\./.test(bare) ? index - 3 : index;
  // What is waited for inside of that function is no wait of the test.
  const [head, tail] = [bare.slice(0, bare.search(later)), bare.slice(endOfCall(bare, bare.search(later)))];
  const near = code.slice(Math.max(0, from), index + 12).filter((one) => one.at !== code[index]?.at);
  return ![head, tail, ...near.map((one) => one.bare)].some((one) => waited.test(one));
}

/** Whether an assertion is in a function on its line that runs only where a promise failed, and nothing fails where it did not. */
function isInCatch(
  code: readonly CodeLine[],
  { index, assertions }: { index: number; assertions: RegExp },
): boolean {
  const bare = code[index]?.bare ?? '';
  const [first] = bare.matchAll(assertions);
  const head = bare.slice(0, first?.index ?? 0);
  const near = code.slice(Math.max(0, index - 3), index).map((line) => line.bare);
  return (
    /\.catch\s*\([^()]*(?:\([^()]*\))?[^()]*$/.test(head) &&
    ![head, ...near].some((text) => isCounted.test(text) || /\bthrow\b|\bfail\b/.test(text))
  );
}

/** Where the brackets of a call end that begins at or after a place; the end of the line where they do not. */
function endOfCall(bare: string, from: number): number {
  let depth = 0;
  for (let at = from; at < bare.length; at++) {
    if ('({['.includes(bare[at] ?? ' ')) depth += 1;
    if (')}]'.includes(bare[at] ?? ' ') && --depth <= 0) return at + 1;
  }
  return bare.length;
}

/** Whether a condition is on the line of the assertion itself. */
function isInline({ bare }: CodeLine, assertions: RegExp): boolean {
  const [first] = bare.matchAll(assertions);
  if (first === undefined) return false;
  const [head, tail] = [bare.slice(0, first.index), bare.slice(first.index + first[0].length)];
  return (
    /^\s*(?:if|unless|elif)\b|(?:&&|\|\||\?)\s*(?:await\s+)?$/.test(head) ||
    /[)\]\w]\s+(?:if|unless)\s+(?!.*\belse\b)/.test(tail)
  );
}

const leaves =
  /(?:^|[\s{;:)])(?:return|next|break|continue)\s*(?:;|$|\}|if\b|unless\b|0\b|nil\b|None\b|null\b|undefined\b|true\b|false\b|void\b|Ok\s*\(|Promise\.resolve\s*\(\s*\))/;
const opensFunction =
  /=>\s*[{(]?\s*$|\bfunction\b|\bfunc\s*\(|\blambda\b|\bdo\s*(?:\|[^|]*\|)?\s*$|\|[^|]*\|\s*(?:async\s+)?(?:move\s+)?\{\s*$|->\s*\{?\s*$|^\s*(?:async\s+)?def\b|^\s*(?:pub\s+)?fn\b|^\s*\w+\s*\(\)\s*\{\s*$/;
const runsTest =
  /(?<![\w])(?:it|test|describe|context|specify|Run|run|each\w*|for\w*|subtest|step|times|map|section)\b/i;

/** Whether a new line leaves a test that there was before under a condition, with assertions of it still to come. Pure. */
export function leavesEarly({ file, ...line }: InTest, { before }: Pick<TestChange, 'before'>): boolean {
  if (!leaves.test(line.bare)) return false;
  const { code, cases, owners, assertions } = file.after;
  const owner = owners.get(line.at);
  const own = cases.find(({ at }) => at === owner);
  if (own === undefined || !before.has(own.title)) return false;
  if (!assertions.some(({ at }) => at > line.at && owners.get(at) === owner)) return false;
  const around = blocksAround(code, { at: line.at, from: own.at + 1 });
  if (around.some(({ bare }) => opensFunction.test(bare) && !runsTest.test(bare) && !isHead(bare)))
    return false;
  const isInlined = /\b(?:if|unless|elif|when|guard|else)\b|&&/.test(line.bare);
  if (isInlined) return !assertions.some(({ at }) => at === line.at);
  const guard = around[0];
  if (guard === undefined || !condition.test(guard.bare)) return false;
  // What fails and then leaves is no cheat.
  return !assertions.some(({ at }) => at >= guard.at && at < line.at);
}

/** The function that a mark such as `@Test` is above of. */
function isHead(bare: string): boolean {
  return /^\s*(?:(?:public|private|protected|static|async|override|suspend|final)\s+)*(?:void|fun|def|fn|func|function|Task|async)\b/.test(
    bare,
  );
}

const handles = /\bcatch\s*(?:\([^)]*\))?\s*\{|\bcatch\s+\w[^{]*\{|^\s*except\b.*:|^\s*rescue\b/;
const fails =
  /\b(?:throw|raise|reraise|fail\w*|assert\w*|expect\w*|should|panic|reject|abort|flunk|XCTFail)\b|\bt\.(?:Error|Fatal)|\bdone\s*\(\s*\w|\bexit\s*\(?\s*[1-9]|\breturn\s+(?:1|err|false|False)\b/i;

/** A failing assertion is caught, and nothing follows from it. Pure. */
export function isCaught({ file, at, bare }: InTest): boolean {
  const found = handles.exec(bare);
  if (found === null) return false;
  const { code, assertions } = file.after;
  const index = indexOfLine(code, at);
  const body = bodyOf(code, index).slice(1);
  const handler = [bare.slice(found.index + found[0].length), ...body.map((line) => line.bare)].join('\n');
  if (fails.test(handler)) return false;
  const kept = [...handler.matchAll(/(\w+)\s*=(?!=)|(\w+)\.(?:push|append|add)\s*\(/g)].flatMap(
    ([, one, other]) => one ?? other ?? [],
  );
  if (
    assertions.some((one) => one.at > at && kept.some((name) => new RegExp(`\\b${name}\\b`).test(one.text)))
  )
    return false;
  const begin = triedFrom(code, { index, bare });
  if (begin < 0) return false;
  const tried = new Set(code.slice(begin, index + 1).map((line) => line.at));
  const isPolling =
    /\w/.test(handler.replace(/\b(?:pass|continue|nil|end)\b/g, '')) &&
    blocksAround(code, { at: code[begin]?.at ?? at, from: 0 }).some((line) =>
      /\bwhile\b|\bloop\b|\bfor\s*\(\s*;\s*;/.test(line.bare),
    );
  return !isPolling && assertions.some((one) => tried.has(one.at));
}

/** Where the block begins whose failures are handled at a line. */
function triedFrom(code: readonly CodeLine[], { index, bare }: { index: number; bare: string }): number {
  const opens = /\btry\b|\bbegin\b|\bdo\s*\{?\s*$|\bdo\s+\|[^|]*\|\s*$/;
  if (opens.test(bare)) return index;
  const indent = indentOf(bare);
  for (let above = index - 1; above >= Math.max(0, index - 60); above--) {
    const line = code[above];
    if (line === undefined || indentOf(line.text) > indent) continue;
    if (opens.test(line.bare) || (/^\s*rescue\b/.test(bare) && /^\s*def\b/.test(line.bare))) return above;
    if (indentOf(line.text) < indent) return -1;
  }
  return -1;
}
