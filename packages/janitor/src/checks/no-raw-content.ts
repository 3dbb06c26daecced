import { filteredPaths, type FilteredPath } from '../filtered-paths.ts';
import { gitText } from '../run-git.ts';
import { listChangedPaths } from '../tamper/read-change.ts';
import type { CheckContext, Finding } from './check-context.ts';

const shown = 10;
const submodule = '160000';
const attributesName = /(^|\/)\.gitattributes$/;

/**
 * No file that a filter is named for (Git LFS, git-crypt, one's own) is added or altered: Baton's worktrees run no filters, so what lands
 * would be its raw content, a secret in clear for instance. Both the attributes that the change brings and those that it changes count.
 */
export async function noRawContent(context: CheckContext): Promise<Finding> {
  const { git, repo, baseCommit, candidateCommit, attributesFile = null } = context;
  const range = { git, clone: repo, from: baseCommit, to: candidateCommit };
  const changes = context.changes ?? (await listChangedPaths(range));
  const written = changes.filter(({ status, mode }) => status !== 'deleted' && mode !== submodule);
  const paths = written.map((change) => change.path);
  if (paths.length === 0) return { passed: true, reason: 'no file added or altered' };
  const ask = { git, repo, paths, attributesFile };
  const like = { tree: baseCommit, changes: changes.map(({ path }) => path) };
  const named = await filteredPaths({ ...ask, tree: candidateCommit, like });
  if (changes.some(({ path }) => attributesName.test(path)))
    named.push(...(await filteredPaths({ ...ask, tree: baseCommit })));
  if (named.length === 0) return { passed: true, reason: 'no changed file has a filter' };
  const kept = await blobsOf(context);
  const idOf = new Map(written.map(({ path, id }) => [path, id]));
  const raw = [...new Map(named.map((one) => [one.path, one])).values()].filter(
    ({ path }) => !kept.has(idOf.get(path) ?? ''),
  );
  if (raw.length === 0) return { passed: true, reason: 'files with a filter were only moved or copied' };
  const listed = { git, repo, paths: raw.map(({ path }) => path), attributesFile: null };
  const inTrees = [candidateCommit, baseCommit].map((tree) => filteredPaths({ ...listed, tree }));
  const ofTrees = new Map((await Promise.all(inTrees)).flat().map((one) => [one.path, one]));
  const sources = [
    { file: '.gitattributes', raw: [...ofTrees.values()] },
    { file: "the repository's own .git/info/attributes", raw: raw.filter(({ path }) => !ofTrees.has(path)) },
  ];
  return { passed: false, reason: refusal(sources.filter((source) => source.raw.length > 0)) };
}

/** What the base already stores, whatever its name: moving it changes no content. */
async function blobsOf({ git, repo, baseCommit }: CheckContext): Promise<Set<string>> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', '--format=%(objectname)', baseCommit];
  return new Set((await gitText(git, args, { cwd: repo })).split('\0'));
}

function refusal(sources: readonly { file: string; raw: readonly FilteredPath[] }[]): string {
  const what = sources.map(({ file, raw }) => `${file} names ${listOf(raw)}`).join(', and ');
  const why = 'Baton runs no filters, so the raw content would land instead of what the filter makes of it';
  return `${what}; ${why}: leave these files as they are, and change them by hand where the filter is set up`;
}

function listOf(raw: readonly FilteredPath[]): string {
  const filters = [...new Set(raw.map(({ filter }) => filter))].sort();
  const files = raw.slice(0, shown).map(({ path }) => path);
  const more = raw.length > shown ? ` and ${raw.length - shown} more` : '';
  const which = filters.length === 1 ? `the filter ${filters[0]}` : `the filters ${filters.join(', ')}`;
  return `${which} for ${files.join(', ')}${more}`;
}
