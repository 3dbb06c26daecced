/** Files whose every change can change what a check does. */
const whole = [
  /(^|\/)(GNU)?[Mm]akefile$|\.mk$|(^|\/)[Jj]ustfile$|(^|\/)Taskfile\.ya?ml$/,
  /^\.github\/(workflows|actions)\/|(^|\/)\.gitlab-ci\.yml$|^\.circleci\/|(^|\/)Jenkinsfile$|(^|\/)azure-pipelines\.yml$|^\.travis\.yml$|^\.buildkite\//,
  /(^|\/)(jest|vitest|vite|playwright|cypress|karma\.conf|ava|babel|wdio)(\.[\w-]+)*\.(config\.)?[cm]?[jt]s(on)?$/,
  /(^|\/)\.(mocharc|nycrc|c8rc|taprc|eslintrc|prettierrc|stylelintrc|swcrc|babelrc)(\.[a-z]+)?$/,
  /(^|\/)(eslint|prettier|stylelint)\.config\.[cm]?[jt]s$|(^|\/)\.(eslintignore|prettierignore|npmrc|yarnrc|yarnrc\.yml|pnpmfile\.cjs|gitattributes|gitmodules)$/,
  /(^|\/)(biome|deno|turbo|nx|lerna|tsconfig(\.[\w-]+)?)\.jsonc?$|(^|\/)\.?oxlint(rc)?\.json$/,
  /(^|\/)(pytest\.ini|tox\.ini|noxfile\.py|conftest\.py|\.coveragerc|mypy\.ini|\.flake8|ruff\.toml|\.ruff\.toml|\.pylintrc|sitecustomize\.py)$/,
  /(^|\/)(\.golangci\.ya?ml|clippy\.toml|\.clippy\.toml|rustfmt\.toml|phpunit\.xml(\.dist)?|\.rspec|Rakefile)$/,
  /^\.(husky|pre-commit-config\.yaml|lefthook\.yml)|^lefthook\.ya?ml$/,
  /^baton\.yaml$/,
];

/** Files of which only some sections matter. */
const partly: readonly { file: RegExp; section: RegExp }[] = [
  {
    file: /(^|\/)pyproject\.toml$/,
    section:
      /^(tool\.(pytest|coverage|ruff|mypy|tox|pylint|flake8|black|isort|hatch\.envs|nox|poe|pyright|unittest)|build-system)/,
  },
  { file: /(^|\/)setup\.cfg$/, section: /^(tool:pytest|flake8|mypy|coverage|aliases|isort)/ },
  { file: /(^|\/)Cargo\.toml$/, section: /^(lib|bin|test|bench|lints|profile|workspace)/ },
];

const locks =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|poetry\.lock|uv\.lock|Pipfile\.lock|Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock)$/;

/** Whether every change of a path concerns a gate's definition. */
export function definesGates(path: string): boolean {
  return whole.some((pattern) => pattern.test(path));
}

/** Whether a path is a lock file: it decides which tools a gate runs. */
export function isLockFile(path: string): boolean {
  return locks.test(path);
}

/** Whether only sections of this file concern gates; then {@link changedSections} says which. */
export function hasGateSections(path: string): boolean {
  return partly.some(({ file }) => file.test(path));
}

/** Sections of a TOML or INI file that concern gates and differ between two versions. */
export function changedSections(path: string, versions: { before: string; after: string }): string[] {
  const section = partly.find(({ file }) => file.test(path))?.section;
  if (section === undefined) return [];
  const [before, after] = [sections(versions.before), sections(versions.after)];
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => section.test(name) && before.get(name) !== after.get(name),
  );
}

/** Whether lines added to a lock file take a package from somewhere else than a registry. */
export function foreignSource(added: readonly string[]): boolean {
  return added.some((line) =>
    /\b(resolved|resolution|tarball|source|url)\b.*(git\+|git@|file:|http:\/\/|github:|codeload\.github)/.test(
      line,
    ),
  );
}

function sections(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let name = '';
  for (const line of text.split('\n')) {
    const header = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*$/.exec(line)?.[1];
    if (header !== undefined) name = header;
    else if (line.trim() !== '') found.set(name, `${found.get(name) ?? ''}${line.trim()}\n`);
  }
  return found;
}
