import { shellText, shellWord } from '@baton/contracts';
import type { DetectedGate } from './detected-gate.ts';
import { dotnetTests } from './other-gates.ts';
import type { Found, Install, RepoFacts } from './repo-facts.ts';

const dotnet = /(\.(sln|slnx|[cf]sproj|vbproj)|^Directory\.Build\.props)$/;
/** Manifests by which one language is known; what the top folder has of a language is not looked for below it. */
const languages: readonly RegExp[] = [
  /^(package\.json|deno\.jsonc?|(package-lock|npm-shrinkwrap)\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|bun\.lockb?)$/,
  /^(pyproject\.toml|setup\.(py|cfg)|tox\.ini|Pipfile(\.lock)?|uv\.lock|poetry\.lock|pytest\.ini|conftest\.py|.*requirements.*\.txt)$/,
  /^(go\.(mod|sum|work))$/,
  /^Cargo\.(toml|lock)$/,
  /^(pom\.xml|build\.gradle(\.kts)?|settings\.gradle(\.kts)?|build\.sbt)$/,
  /^(Gemfile(\.lock)?|Rakefile)$/,
  /^(composer\.(json|lock)|phpunit\.xml(\.dist)?)$/,
  dotnet,
  /^mix\.(exs|lock)$/,
  /^Package\.swift$/,
  /^pubspec\.yaml$/,
];
/** The tests of the whole are asked by these, not those of a part. */
const ofTheWhole =
  /^((GNU)?[Mm]akefile|CMakeLists\.txt|\.?[Jj]ustfile|[Tt]askfile(\.dist)?\.ya?ml|(MODULE|WORKSPACE)(\.bazel)?)$/;

/** Whether a file says that its folder is a package. */
export function isManifest(name: string): boolean {
  return (
    languages.some((pattern) => pattern.test(name)) && !/(\.lockb?|lock\.(json|yaml)|go\.sum)$/.test(name)
  );
}

/** The folders below the top that hold packages of languages which the top folder has none of. */
export function nestedRepos(repo: RepoFacts): { folder: string; facts: RepoFacts }[] {
  const known = languages.filter((pattern) =>
    // A project without tests, or settings for all, test nothing of the projects below.
    pattern === dotnet ? dotnetTests(repo) !== undefined : repo.names.some((name) => pattern.test(name)),
  );
  const isLeft = (name: string): boolean =>
    !ofTheWhole.test(name) && !known.some((pattern) => pattern.test(name));
  return Object.entries(repo.nested ?? {})
    .map(([folder, facts]) => {
      const names = facts.names.filter(isLeft);
      const texts = Object.entries(facts.texts).filter(([name]) => name.includes('/') || isLeft(name));
      return { folder, facts: { ...facts, names, texts: Object.fromEntries(texts) } };
    })
    .filter(({ facts }) => facts.names.some(isManifest));
}

/** The top folder without the tests that belong to packages below it. */
export function withoutNested(repo: RepoFacts): RepoFacts {
  const folders = nestedRepos(repo).map(({ folder }) => folder);
  const texts = Object.entries(repo.texts).filter(
    ([name]) => !/\.py$/.test(name) || !folders.some((folder) => name.startsWith(`${folder}/`)),
  );
  const { pythonTests } = repo;
  if (pythonTests === undefined) return { ...repo, texts: Object.fromEntries(texts) };
  const own = Object.entries(pythonTests).filter(
    ([name]) => !folders.some((folder) => name.startsWith(`${folder}/`)),
  );
  return { ...repo, texts: Object.fromEntries(texts), pythonTests: Object.fromEntries(own) };
}

/** A gate of a package below the top: it runs there, and is asked when something changes that it tests. */
export function gateIn(folder: string, { gate, reason, program, isWide }: DetectedGate): DetectedGate {
  const word = folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const command = ['sh', '-c', `cd ${placeOf(folder)} && ${scriptOf(gate.command)}`];
  const paths = gate.paths?.map((each) => `${folder}/${each}`) ?? [folder];
  return {
    gate: { ...gate, name: `${gate.name}-${word || 'part'}`, command, ...(isWide ? {} : { paths }) },
    reason: `${folder}: ${reason}`,
    program,
  };
}

/** What a package below the top needs, as the top folder's. */
export function needsIn(folder: string, { needs, warnings }: Found, names: readonly string[]): Found {
  const manifests = names.filter((name) => languages.some((pattern) => pattern.test(name)));
  return {
    needs: needs.map(({ folders, install, reason }) => ({
      folders: folders.map((each) => `${folder}/${each}`),
      install:
        install === null ? null : installIn(folder, { ...install, inputs: install.inputs ?? manifests }),
      reason: `${folder}: ${reason}`,
    })),
    warnings: warnings.map((warning) => `${folder}: ${warning}`),
  };
}

function installIn(
  folder: string,
  { command, inputs }: { command: readonly string[]; inputs: readonly string[] },
): Install {
  return {
    command: ['sh', '-c', `cd ${placeOf(folder)} && ${scriptOf(command)}`],
    inputs: inputs.map((each) => `${folder}/${each}`),
  };
}

function scriptOf(command: readonly string[]): string {
  const [program, flag, script] = command;
  return program === 'sh' && flag === '-c' && script !== undefined ? script : shellText(command);
}

/** A name that begins with a dash would be an option of `cd`. */
const placeOf = (folder: string): string => shellWord(folder.startsWith('-') ? `./${folder}` : folder);
