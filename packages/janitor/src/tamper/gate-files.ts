import { changeBegins, type ChangedFile, type Line } from './changed-file.ts';
import { changedParts } from './changed-parts.ts';
import { namedTargets } from './named-targets.ts';

/** Files whose every change can change what a check does. */
const whole = [
  /(^|\/)(GNU)?[Mm]akefile$|\.mk$|(^|\/)[Jj]ustfile$|(^|\/)Taskfile\.ya?ml$/,
  /^\.github\/(workflows|actions)\/|(^|\/)\.gitlab-ci\.yml$|^\.circleci\/|(^|\/)Jenkinsfile$|(^|\/)azure-pipelines\.yml$|^\.travis\.yml$|^\.buildkite\//,
  /(^|\/)(jest|vitest|playwright|cypress|karma\.conf|ava|babel|wdio)(\.[\w-]+)*\.(config\.)?[cm]?[jt]s(on)?$|(^|\/)vite(\.config)?\.[cm]?[jt]s$/,
  /(^|\/)\.(mocharc|nycrc|c8rc|taprc|eslintrc|prettierrc|stylelintrc|swcrc|babelrc)(\.[a-z]+)?$/,
  /(^|\/)(eslint|prettier|stylelint)\.config\.[cm]?[jt]s$|(^|\/)\.(eslintignore|prettierignore|yarnrc|yarnrc\.yml|pnpmfile\.cjs|gitmodules)$/,
  /(^|\/)(biome|deno|turbo|nx|lerna|tsconfig(\.[\w-]+)?)\.jsonc?$|(^|\/)\.?oxlint(rc)?\.json$/,
  /(^|\/)(\.?pytest\.(ini|toml)|tox\.(ini|toml)|noxfile\.py|\.coveragerc|\.?mypy\.ini|\.flake8|\.?ruff\.toml|\.?pylintrc(\.toml)?|(based)?pyright(config)?\.json|ty\.toml|pyrefly\.toml|\.bandit|bandit\.ya?ml|\.isort\.cfg|dodo\.py|(site|user)customize\.py)$|\.pth$|^tasks\.py$/,
  /(^|\/)(\.golangci\.(ya?ml|toml|json)|clippy\.toml|\.clippy\.toml|rustfmt\.toml|\.?nextest\.toml|deny\.toml|phpunit(\.dist)?\.xml(\.dist)?|phpstan(\.dist)?\.(neon|php)(\.dist)?|phpcs(\.dist)?\.xml(\.dist)?|psalm(\.dist)?\.xml(\.dist)?|\.php-cs-fixer(\.dist)?\.php|behat\.ya?ml|codeception\.ya?ml|analysis_options\.ya?ml|dart_test\.ya?ml|\.scalafix\.conf|\.scalafmt\.conf|\.luacheckrc|\.swiftformat|magefile\.go|[\w.-]*\.runsettings|xunit\.runner\.json|Thorfile|build\.xml|pmd[\w-]*\.xml|spotbugs[\w-]*\.xml|tarpaulin\.toml|\.rspec|Rakefile|\.rubocop(_todo)?\.yml|\.simplecov)$|(^|\/)\.cargo\/config(\.toml)?$/,
  /^\.(husky|pre-commit-config\.yaml|lefthook\.yml)|^lefthook\.ya?ml$/,
  /(^|\/)(\.?codecov\.ya?ml|sonar-project\.properties|\.clang-tidy|\.clang-format|\.shellcheckrc|detekt\.ya?ml|checkstyle[\w-]*\.xml|testng\.xml|junit-platform\.properties|\.bazelrc|bunfig\.toml|knip\.jsonc?|\.swiftlint\.yml|\.credo\.exs)$/,
  /(^|\/)(cucumber|nightwatch(\.conf)?|protractor\.conf|testem|web-test-runner\.config|\.?jasmine(\.config)?|tsd|size-limit\.config|commitlint\.config|lint-staged\.config|\.dependency-cruiser)\.([cm]?[jt]s|json|ya?ml)$|(^|\/)([Gg]ulpfile|[Gg]runtfile|[Jj]akefile)(\.babel)?\.([cm]?[jt]s|coffee)$/,
  /(^|\/)(tslint\.(json|ya?ml)|\.(jshintrc|jscsrc|htmlhintrc|testcaferc|textlintrc|remarkrc|lintstagedrc|commitlintrc|size-limit)(\.\w+)?|node\.config\.json|dprint\.jsonc?|rome\.json|\.?cspell\.(json|ya?ml))$/,
  /(^|\/)(\.yamllint(\.ya?ml)?|\.markdownlint(-cli2)?(\.\w+)?|\.editorconfig|\.globalconfig|\.hadolint\.ya?ml|\.ansible-lint|\.semgrep\.ya?ml|\.?mise\.toml)$|^(\.drone\.yml|\.woodpecker\.ya?ml|bitbucket-pipelines\.yml|\.?appveyor\.yml|\.cirrus\.yml|cloudbuild\.ya?ml|Earthfile)$|^\.woodpecker\//,
  /(^|\/)\.mvn\/(maven|jvm)\.config$|(^|\/)\.mvn\/extensions\.xml$|(^|\/)gradle-wrapper\.properties$|(^|\/)(Makefile|hatch|pixi)\.toml$|(^|\/)\.envrc$/,
  /(^|\/)(\.busted|\.proverc|\.bazelignore|\.Rprofile|\.Renviron|\.lintr)$/,
  /^baton\.yaml$/,
  // What takes the name of a test library is found in its place.
  /(^|\/)(_?pytest|unittest)(\.py$|\/)|(^|\/)(minitest|rspec|test\/unit)(\/(autorun|core|expectations|test|assertions))?\.rb$|(^|\/)org\/(junit|assertj|hamcrest)\/|(^|\/)vendor\/.*\/(testify|gtest|googletest|catch2)\//,
];

/** Files of which only some sections matter. */
const partly: readonly { file: RegExp; section: RegExp }[] = [
  {
    file: /(^|\/)pyproject\.toml$/,
    section:
      /^(tool\.(pytest|coverage|ruff|mypy|tox|pylint|flake8|black|isort|hatch\.envs|nox|poe|(based)?pyright|unittest|bandit|ty|pyrefly|taskipy|pdm\.scripts|rye\.scripts|vulture|mutmut)\b|build-system|project\.entry-points($|\.["']?pytest11)|tool\.poetry\.plugins\.["']?pytest11)/,
  },
  { file: /(^|\/)Pipfile$/, section: /^scripts$/ },
  { file: /(^|\/)setup\.cfg$/, section: /^(tool:pytest|flake8|mypy|coverage|aliases|isort)/ },
  {
    file: /(^|\/)Cargo\.toml$/,
    section: /^(test|bench|lints|profile\.(dev|test)|workspace($|\.(?!dependencies|package))|patch|replace)/,
  },
];

/** Files of which only lines with some words matter, beside whatever else they say; `inParts` looks at what of a line is changed. */
const worded: readonly { file: RegExp; words: RegExp; gone?: RegExp; inParts?: true }[] = [
  {
    file: /(^|\/)pom\.xml$/,
    words:
      /skip|testFailureIgnore|exclude>|include>|argLine|failIfNo|surefire|failsafe|jacoco|minimum>|failOn|groups>|checkstyle|spotbugs/i,
  },
  {
    file: /\.gradle(\.kts)?$/,
    words:
      /\btest\b|ignoreFailures|\benabled\b|exclude(?!\s*\(?\s*(?:group|module))|\bfilter\b|useJUnit|jacoco|minimum|onlyIf|setDependsOn|dependsOn\s*(?:=|\.(?:remove|clear|retain))|finalizedBy|Tags\b|detekt|checkstyle|startParameter/,
  },
  {
    // What only says how packages are saved and told of decides about no tool.
    file: /(^|\/)\.npmrc$/,
    words:
      /^(?!\s*(?:[#;]|$|(?:save-\w+|engine-strict|fund|audit|audit-level|progress|loglevel|color|update-notifier|message|sign-git-\w+|tag-version-prefix|init[.-][\w-]+)\s*=))/,
  },
  { file: /(^|\/)gradle\.properties$/, words: /skip|test/i },
  {
    file: /(^|\/)CMakeLists\.txt$|\.cmake$/,
    words:
      /enable_testing|add_test|set_tests_properties|set_property\s*\(\s*TEST\b|WILL_FAIL|DISABLED|discover_tests|CTEST|NDEBUG|-w\b|-Wno|-W(error|all|extra)/i,
  },
  // Marks by which a target of Bazel or Buck is run until it passes, or not at all.
  {
    file: /(^|\/)(BUILD|BUCK|TARGETS)(\.bazel)?$|\.bzl$/,
    words: /\bflaky\b|\bmanual\b|\btags\s*=|\btest_filter\b|\bstatus\b|\bargs\s*=/,
  },
  // A step of an image that tests, and passes whatever they say.
  {
    file: /(^|\/)(Dockerfile|Containerfile)[\w.-]*$|\.dockerfile$/i,
    words: /\b(test|check|lint|verify)\b.*(\|\||;)\s*(true|:|exit\s+0|echo)\b/,
    gone: /^\s*RUN\b.*\b(test|check|lint|verify|pytest|tox|nox|ctest|rspec)\b/,
  },
  // What containers of tests run, and what is laid over their files.
  {
    file: /(^|\/)(docker-)?compose[\w.-]*\b(test|tests|ci|e2e|sut|check)\b[\w.-]*\.ya?ml$/,
    words:
      /\b(command|entrypoint|volumes|tmpfs)\s*:|^\s*-\s*["']?[.$~]?[\w{}/.-]*:\/|(\|\||;)\s*(true|:|exit\s+0)/,
  },
  {
    file: /(^|\/)(docker-)?compose[\w.-]*\.ya?ml$/,
    words: /\b(command|entrypoint)\s*:.*\b(test|check|lint|verify|pytest|vitest|jest|tox|rspec)\b/,
  },
  { file: /(^|\/)meson\.build$/, words: /\btest\s*\(|should_fail|werror|warning_level/ },
  { file: /(^|\/)meson(_options\.txt|\.options)$/, words: /tests?\b/i },
  {
    file: /(^|\/)CMake(User)?Presets\.json$/,
    inParts: true,
    words: /"(?:exclude|include|filter|index|label|noTestsAction|stopOnFailure)"|"testPresets":[\s,[]*\{/,
  },
  {
    file: /(^|\/)rebar\.config$/,
    words: /eunit|\bct_|\bcover|proper|dialyzer|xref|exclude|erl_opts|hooks|overrides/,
  },
  { file: /(^|\/)MODULE\.bazel$/, words: /\w_override\s*\(/ },
  {
    file: /(^|\/)pnpm-workspace\.yaml$/,
    words: /patchedDependencies|\.patch\b|^overrides|^packageExtensions/,
  },
  { file: /(^|\/)pubspec(_overrides)?\.yaml$/, words: /dependency_overrides/ },
  {
    file: /(^|\/)dune(-project|-workspace)?$/,
    words:
      /accepted-exit-codes|ignore-(?:stdout|stderr|outputs)|\benabled_if\b|\baction\b|\bmodules\b|\bflags\b|\bruntest\b/,
  },
  { file: /(^|\/)go\.(mod|work)$/, words: /^\s*replace\b|=>/ },
  { file: /(^|\/)Gemfile$/, words: /\b(path|git|github):/ },
  { file: /(^|\/)setup\.py$/, words: /test_suite|cmdclass|tests_require|pytest11/ },
  { file: /(^|\/)(pyproject\.toml|setup\.cfg)$/, words: /pytest11/ },
  {
    file: /(^|\/)Cargo\.toml$/,
    words: /^\s*(autotests|autobenches|test|harness|build|doctest|path|required-features)\s*=/,
  },
  {
    file: /\.(cs|fs|vb)proj$|\.(props|targets)$/,
    words: /IsTestProject|WarningsAsErrors|NoWarn|Remove=|[tT]hreshold|VSTest|RunSettings/,
  },
  { file: /\.sbt$/, words: /\btest\w*\b|Test\b|scalacOptions|coverage|unmanaged\w*|dependencyOverrides/ },
  { file: /(^|\/)mix\.exs$/, words: /test_\w+|warnings_as_errors|aliases|\btest:/, inParts: true },
  {
    file: /(^|\/)Package(@swift-[\d.]+)?\.swift$/,
    words: /\bexclude:|\bsources:|\bunsafeFlags\b|\bDISABLE|\bpath:/,
    inParts: true,
  },
  {
    file: /(^|\/)\.storybook\/[\w.-]+\.([cm]?[jt]sx?|json)$/,
    words: /\bstories\b|\btags\b|\bexclude|\binclude|\bskip|\bdisable|\btest\s*:|\bpostVisit\b|\bpreVisit\b/,
    inParts: true,
  },
  {
    file: /(^|\/)composer\.json$/,
    words:
      /"(test|lint|check|phpunit|phpstan|repositories|replace)(?![\w-]*\/)|"type":\s*"(path|vcs|git|package)"|"files":\s*\[\s*"(?!src\/|app\/|lib\/)/,
    inParts: true,
  },
  {
    file: /(^|\/)conftest\.py$/,
    words:
      /\bsetattr\s*\((?!\s*item\b)|\bpatch(\.object)?\s*\(|pytest_plugins|__import__|sys\.(modules|settrace|path)/,
  },
];

/** A new line by which a test of CMake fails in one more case, or a check of Gradle runs one more task. */
const asksForMore =
  /^\s*tasks\s*\.\s*(?:named\(\s*["']check["']\s*\)|check)\s*\{\s*dependsOn\([^{}]*\)\s*\}\s*$|^\s*(?:set_tests_properties\s*\([^()]*\bPROPERTIES|set_property\s*\(\s*TEST\b[^()]*\bPROPERTY)\s+FAIL_REGULAR_EXPRESSION\s+(?:"[^"]*"|[^\s()]+)\s*\)\s*(?:#.*)?$/i;

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

/** Whether only some sections or lines of this file concern gates; then {@link gateLines} finds them. */
export function hasGateLines(path: string): boolean {
  return [...partly, ...worded].some(({ file }) => file.test(path)) || /(^|\/)project\.json$/.test(path);
}

/** Changed lines of a file that concern gates, each with the section of TOML or INI that it is in, if that is what matters. */
export function gateLines(file: ChangedFile): { at: number; section: string | null }[] {
  const targets = namedTargets(file)?.checks ?? [];
  if (targets.length > 0) return [{ at: changeBegins(file), section: null }];
  const section = partly.find((each) => each.file.test(file.path))?.section;
  const asked = worded.find((each) => each.file.test(file.path));
  const words = asked?.words;
  const ofSections = (all: readonly Line[], changed: readonly Line[]) => {
    if (section === undefined) return [];
    const names = sectionNames(all);
    return changed
      .filter(({ text }) => text.trim() !== '')
      .map(({ at }) => ({ at, section: names[at - 1] ?? '' }))
      .filter(({ section: name }) => section.test(name) && name !== 'bench');
  };
  const names = file.path.endsWith('Cargo.toml') ? sectionNames(file.after) : [];
  const inParts =
    asked?.inParts !== true
      ? []
      : changedParts(file).filter(({ texts }) =>
          [texts.was, texts.now].some((text) => words?.test(text) === true),
        );
  const inLines = [
    // What is about benchmarks alone is about no test.
    ...file.added.filter(({ at, text }) => !asksForMore.test(text) && names[at - 1] !== 'bench'),
    ...file.removed,
  ].filter(({ text }) => words?.test(text) === true);
  const lost = (lines: readonly Line[]) => lines.filter(({ text }) => asked?.gone?.test(text) === true);
  const steps = lost(file.removed).slice(lost(file.added).length);
  return [
    ...steps.map(({ at }) => ({ at, section: null })),
    ...ofSections(file.after, file.added),
    ...ofSections(file.before, file.removed),
    ...(asked?.inParts === true ? inParts : inLines).map(({ at }) => ({ at, section: null })),
  ];
}

/** Whether lines added to a lock file take a package from somewhere else than a registry. */
export function foreignSource(added: readonly string[]): boolean {
  return added.some((line) =>
    /\b(resolved|resolution|tarball|source|url)\b.*(git\+|git@|file:|http:\/\/|github:|codeload\.github)/.test(
      line,
    ),
  );
}

/** The section that each line is in. */
function sectionNames(lines: readonly Line[]): string[] {
  let name = '';
  return lines.map(({ text }) => {
    name = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:#.*)?$/.exec(text)?.[1] ?? name;
    return name;
  });
}
