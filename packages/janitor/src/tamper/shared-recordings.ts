import { blocksAround } from './blocks.ts';
import type { ChangedFile } from './changed-file.ts';
import { definesGates } from './gate-files.ts';
import { isAsked } from './languages/harmless.ts';
import { languageOf } from './languages/all.ts';
import { liveCode } from './live-code.ts';
import { listPaths, type ChangeRange } from './read-change.ts';
import type { TestFile } from './test-file.ts';
import { isSnapshot, isTestPath } from './test-paths.ts';
import { pathsIn, pathsNamed } from './text-paths.ts';

/** A new line, and the paths that it names. */
interface Naming {
  path: string;
  at: number;
  names: string[];
}

/** Code beside the product, which may read tests for good reasons. */
const besideProduct =
  /(^|\/)(?:scripts?|tools?|tooling|build|ci|bench\w*|examples?|docs?|testing|fixtures?|\.\w[^/]*)\//i;
const ofTests = /(^|\/)(?:tests?|__tests__|specs?|testdata|__fixtures__)\//;

/** New lines of the product that read a file of its tests: the answer may come from what the test expects. @throws GIT_FAILED */
export async function readsOfTests(
  range: ChangeRange,
  sources: readonly ChangedFile[],
): Promise<{ text: string; path: string }[]> {
  const lines = sources
    .filter(({ path }) => !isOfTests(path) && !besideProduct.test(path) && !definesGates(path))
    .filter(({ path }) => !/\.(?:config|conf)\.\w+$/.test(path))
    .flatMap(freshLines)
    .filter(({ names }) => names.some((name) => ofTests.test(name)));
  if (lines.length === 0) return [];
  const paths = (await listPaths(range, range.to)).filter(isOfTests);
  return lines
    .filter(({ names }) => names.some((name) => ofTests.test(name) && pathsNamed(name, paths).length > 0))
    .map(({ path, at }) => ({ path, text: `code that reads its tests: ${path}:${at}` }));
}

function isOfTests(path: string): boolean {
  return isTestPath(path) || isSnapshot(path) || ofTests.test(path);
}

function freshLines(file: ChangedFile): Naming[] {
  const fresh = new Set(file.added.map(({ at }) => at));
  const old = new Set(file.removed.map(({ text }) => text.trim()));
  return liveCode(file.after, languageOf(file.path).syntax)
    .code.filter(({ at, text }) => fresh.has(at) && !old.has(text.trim()))
    .map(({ at, text }) => ({ path: file.path, at, names: pathsIn(text) }));
}

const writes =
  /\b(?:WriteFile|write_?file(?:Sync)?|writeText|writeString|WriteAll\w+|file_put_contents|write_text|write_bytes|binwrite|Files\.(?:write|copy)|fs::write|fs::copy|copyFile(?:Sync)?|File\.(?:write|copy)|IO\.write)\b/i;
const condition = /^\s*(?:[})]\s*)?(?:else\b|(?:if|unless|elif|elsif|when|switch|case)\b)/;
const ofScratch = /te?mp(?:_?(?:path|dir|folder))?\b|TempDir|mkdtemp/i;

/** New lines of what tests load that write a recorded expectation of the repository, and that under no condition. @throws GIT_FAILED */
export async function writtenRecordings(
  range: ChangeRange,
  tests: readonly TestFile[],
): Promise<{ text: string; paths: string[] }[]> {
  const lines = tests.flatMap(({ path, before, after }) => {
    const old = new Set(before.code.map(({ text }) => text.trim()));
    return after.code
      .filter((line) => after.changed.has(line.at) && !old.has(line.text.trim()) && writes.test(line.bare))
      .filter(({ text, bare }) => !/\bif\b|\bunless\b|&&|\?/.test(bare) && !ofScratch.test(text))
      .filter((line) => !isAsked(after.code, line))
      .filter(
        ({ at }) => !blocksAround(after.code, { at, from: 0 }).some((above) => condition.test(above.bare)),
      )
      .map(({ at, text }) => ({ path, at, names: pathsIn(text) }));
  });
  if (lines.every(({ names }) => names.length === 0)) return [];
  const recorded = (await listPaths(range, range.from)).filter(isSnapshot);
  return lines
    .filter(({ names }) => names.some((name) => name.includes('/') && pathsNamed(name, recorded).length > 0))
    .map(({ path, at }) => ({
      paths: [path],
      text: `recorded expectations written by their test: 1 more in ${path}:${at}`,
    }));
}
