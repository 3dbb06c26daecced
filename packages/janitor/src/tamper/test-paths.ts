import { inLowerCase, isSource, languageOf } from './languages/all.ts';

const named =
  /(^|[/._-])(test|spec|cy)\.[cm]?[jt]sx?$|\.(test|spec)[.-][^/]*$|(^|\/)test_[^/]*\.(py|rb|c|cc|cpp|sh)$|(^|\/)tests?\.py$|_test\.(py|go|rb|rs|c|cc|cpp|cxx|sh|bash|exs|dart|lua)$|_spec\.(rb|lua)$|\.t$|(Spec|Test)\.hs$|Suite\.scala$|(^|\/)Test[A-Z][^/]*\.java$|(Tests?|TestCase|Spec|IT)\.(java|kt|cs|swift|scala|groovy|php)$|\.(bats|feature)$|\.(tftest|tofutest)\.hcl$|[._-]test\.sql$|(^|\/)(run[-_])?tests?\.(sh|bash|rb|php|pl)$/;
const folder =
  /(^|\/)(tests?|__tests__|specs?|e2e|integration-tests|androidTest|testFixtures|cypress|\w*[a-z]Tests?|Tests|(?:\w+\.)+Tests?)\//;

/** Whether a path is a test by its own name, as the usual runners find them. */
export function isTestName(path: string): boolean {
  return named.test(inLowerCase(path)) && languageOf(path).lost?.test(path) !== true;
}

/** Whether a path holds test code: by its name, or source in a folder of tests. */
export function isTestPath(path: string): boolean {
  return named.test(inLowerCase(path)) || isTestSupport(path) || (folder.test(path) && isSource(path));
}

/** Whether a path is loaded with the tests, so that it can change what they say. */
export function isTestSupport(path: string): boolean {
  return /(^|\/)(conftest\.py|(spec|rails|test)_helper\.rb|setup-?[tT]ests?\.[cm]?[jt]sx?|(jest|vitest|test)[.-]?[sS]etup\.[cm]?[jt]sx?)$/.test(
    path,
  );
}

/** Whether a path holds recorded expectations, which a runner rewrites when asked to. */
export function isSnapshot(path: string): boolean {
  return (
    /\.snap$|(^|\/)(__snapshots__|__approvals__|__image_snapshots__)\/|\.(approved|verified|golden)(\.[a-z]+)?$/.test(
      path,
    ) ||
    /(^|\/)(testdata|tests?|specs?)\/([^/]+\/)*((golden|goldens|expected|snapshots|approvals|cassettes)\/|[^/]*expected[^/]*$)/.test(
      path,
    )
  );
}

/** Whether a path holds data in a folder of tests, such as a table of examples. */
export function isTestData(path: string): boolean {
  return folder.test(path) && /\.(?:jsonc?|json5|jsonl|ndjson|ya?ml|toml|csv|tsv|txt|xml)$/i.test(path);
}
