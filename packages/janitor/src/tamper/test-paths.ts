const named =
  /(^|[/._-])(test|spec)\.[cm]?[jt]sx?$|\.(test|spec)[.-][^/]*$|(^|\/)test_[^/]*\.py$|_test\.(py|go|rb|rs|c|cc|cpp|sh|exs)$|_spec\.rb$|Tests?\.(java|kt|cs|swift|scala|php)$|\.(bats|feature)$/;
const folder = /(^|\/)(tests?|__tests__|specs?|e2e|integration-tests)\//;
const code = /\.([cm]?[jt]sx?|py|go|rb|rs|java|kt|cs|swift|scala|php|c|cc|cpp|sh|exs|bats|feature)$/;

/** Whether a path is a test by its own name, as the usual runners find them. */
export function isTestName(path: string): boolean {
  return named.test(path);
}

/** Whether a path holds test code: by its name, or source in a folder of tests. */
export function isTestPath(path: string): boolean {
  return isTestName(path) || (folder.test(path) && code.test(path));
}

/** Whether a path holds recorded expectations, which a runner rewrites when asked to. */
export function isSnapshot(path: string): boolean {
  return /\.snap$|(^|\/)__snapshots__\/|\.(approved|golden)(\.[a-z]+)?$/.test(path);
}
