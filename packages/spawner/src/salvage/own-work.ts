import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gitText } from '../git/git.ts';
import { isRealFolder, neutralise } from '../tree/agent-git.ts';
import { linesOf, quoted, textOf, unquoted, type BytePath } from '../tree/byte-path.ts';
import type { AttemptKey } from '../tree/clone.ts';
import { secretsFolder } from './kept-secrets.ts';
import type { LeftOut } from '../tree/left-out.ts';
import { keepTips } from './own-tips.ts';
import { notInClone, notReached, tipsOf, unkeptTips } from './reached.ts';
import { isSecretLike } from './secret-files.ts';
import { hasObjects } from './settled.ts';
import type { Workspace } from '../tree/workspace.ts';

const fetchMs = 10 * 60_000;
const mostSingleFetches = 50;

/** What of an agent's own repository was kept. */
export interface OwnWork {
  /** The ref that holds it; null: there is nothing that is not kept elsewhere. */
  ref: string | null;
  leftOut: LeftOut[];
}

/**
 * Keeps what an agent's repository holds besides its HEAD: every commit that no ref of the clone leads to (stashes,
 * other branches, what was amended, reset or rebased away), by the objects themselves, so that it does not matter what
 * still names them; and staged content that is in no commit. All of it becomes parents and tree of one commit at
 * `refs/baton/own/<task>/<fence>`, which stays on this machine. Its git folder must be neutralised, and the tree's own
 * content and HEAD be kept already.
 */
export async function keepOwnWork(workspace: Workspace, attempt: AttemptKey): Promise<OwnWork> {
  const { gitDir } = workspace;
  if (!isRealFolder(gitDir) || !hasObjects(path.join(gitDir, 'objects'))) return { ref: null, leftOut: [] };
  const local = await localObjects(workspace);
  const commits = local.filter(({ kind }) => kind === 'commit').map(({ id }) => id);
  const leftOut = await bringIn(workspace, commits);
  const whole = commits.filter((id) => !leftOut.some(({ file }) => file === `commit ${id}`));
  const { texts, staged } = await inNoCommit(workspace, { attempt, local, commits: whole });
  const lost = [...texts, ...staged];
  const extra = lost.length === 0 ? [] : [await commitOfLost(workspace, lost)];
  leftOut.push(...(await bringIn(workspace, extra)));
  const tips = await unkeptTips(workspace, { attempt, ids: [...whole, ...extra] });
  return { ref: tips.length === 0 ? null : await keepTips(workspace, { attempt, tips }), leftOut };
}

interface LocalObject {
  id: string;
  kind: string;
}

/** Objects that lie in the agent's own folder, without those that it borrows from the clone, and that the clone lacks or might lose. */
async function localObjects(workspace: Workspace): Promise<LocalObject[]> {
  const { gitDir, clone } = workspace;
  const borrowed = path.join(gitDir, 'objects/info/alternates');
  rmSync(borrowed, { force: true });
  try {
    const args = [
      '--git-dir',
      gitDir,
      'cat-file',
      '--batch-all-objects',
      '--batch-check=%(objectname) %(objecttype)',
    ];
    const printed = await gitText(clone.git, args, { cwd: workspace.metaDir });
    return linesOf(printed).map((line) => {
      const [id = '', kind = ''] = line.split(' ');
      return { id, kind };
    });
  } finally {
    neutralise(workspace);
  }
}

/** Fetches commits with all that leads to them; those that cannot be read whole are named. */
async function bringIn(workspace: Workspace, commits: readonly string[]): Promise<LeftOut[]> {
  const { clone, gitDir } = workspace;
  const unknown = await notInClone(workspace, commits);
  if (unknown.length === 0) return [];
  const tips = await tipsOf(workspace, unknown);
  const fetch = (ids: readonly string[]) =>
    clone.git(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--stdin', '--', gitDir], {
      cwd: clone.path,
      stdin: ids.map((id) => `${id}\n`).join(''),
      timeoutMs: fetchMs,
    });
  if ((await fetch(tips)).exitCode === 0) return [];
  const failed: LeftOut[] = [];
  for (const id of unknown.slice(0, mostSingleFetches)) {
    const one = await fetch([id]);
    if (one.exitCode !== 0) failed.push(missing(id, one.stderr));
  }
  return [
    ...failed,
    ...unknown.slice(mostSingleFetches).map((id) => missing(id, 'too many commits of this kind')),
  ];
}

function missing(id: string, why: string): LeftOut {
  return {
    file: `commit ${id}`,
    reason: 'incomplete',
    detail: why.trim().split('\n').at(-1)?.slice(0, 200) ?? '',
  };
}

interface LostBlob {
  file: BytePath;
  id: string;
}

/** Content that was staged and is neither in a commit nor in the tree, and the words of annotated tags. */
async function inNoCommit(
  workspace: Workspace,
  {
    attempt,
    local,
    commits,
  }: { attempt: AttemptKey; local: readonly LocalObject[]; commits: readonly string[] },
): Promise<{ texts: LostBlob[]; staged: LostBlob[] }> {
  const tags = await notInClone(
    workspace,
    local.filter(({ kind }) => kind === 'tag').map(({ id }) => id),
  );
  const texts: LostBlob[] = [];
  for (const id of tags) {
    const stdin = await ownGit(workspace, ['cat-file', 'tag', id]);
    texts.push({
      file: `tags/${id}`,
      id: await ownGit(workspace, ['hash-object', '-w', '--stdin'], { stdin }),
    });
  }
  const own = local.filter(({ kind }) => kind === 'blob').map(({ id }) => id);
  const blobs = await notReached(workspace, { attempt, ids: own, commits });
  if (blobs.length === 0) return { texts: await unknownOf(workspace, texts), staged: [] };
  const names = await stagedNames(workspace);
  const staged: LostBlob[] = [];
  for (const id of blobs) {
    const name = names.get(id) ?? null;
    if (name !== null && isSecretLike(name)) await keepSecret(workspace, { attempt, id, name });
    else
      staged.push({
        file: `staged/${id.slice(0, 12)}${name === null ? '' : `-${name.split('/').at(-1)}`}`,
        id,
      });
  }
  return { texts: await unknownOf(workspace, texts), staged };
}

async function unknownOf(workspace: Workspace, lost: readonly LostBlob[]): Promise<LostBlob[]> {
  const unknown = new Set(
    await notInClone(
      workspace,
      lost.map(({ id }) => id),
    ),
  );
  return lost.filter(({ id }) => unknown.has(id));
}

async function stagedNames(workspace: Workspace): Promise<Map<string, BytePath>> {
  const { clone, gitDir } = workspace;
  const args = ['-c', 'core.quotePath=true', '--git-dir', gitDir, 'ls-files', '--stage'];
  const shown = await clone.git(args, { cwd: clone.path });
  const names = new Map<string, BytePath>();
  for (const line of linesOf(shown.stdout)) {
    const [, id = '', name = ''] = /^\d+ ([0-9a-f]+) \d\t(.*)$/.exec(line) ?? [];
    names.set(id, unquoted(name));
  }
  return names;
}

async function keepSecret(
  workspace: Workspace,
  { attempt, id, name }: { attempt: AttemptKey; id: string; name: BytePath },
): Promise<void> {
  const folder = path.join(secretsFolder(workspace.clone, attempt), '.staged');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${id.slice(0, 12)}-${path.basename(textOf(name)).replaceAll('"', '')}`);
  if (!existsSync(file))
    writeFileSync(file, await ownGit(workspace, ['cat-file', 'blob', id], { isExact: true }), {
      mode: 0o600,
    });
}

async function commitOfLost(workspace: Workspace, lost: readonly LostBlob[]): Promise<string> {
  const index = path.join(workspace.metaDir, 'own-index');
  for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
  try {
    const stdin = lost.map(({ file, id }) => `100644 ${id}\t${quoted(file)}\n`).join('');
    await ownGit(workspace, ['update-index', '--index-info'], { stdin, index });
    const tree = await ownGit(workspace, ['write-tree'], { index });
    return await ownGit(workspace, [
      'commit-tree',
      tree,
      '-m',
      'Content that was staged and is in no commit',
    ]);
  } finally {
    for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
  }
}

async function ownGit(
  { clone, gitDir, metaDir }: Workspace,
  args: readonly string[],
  { stdin, index, isExact = false }: { stdin?: string; index?: string; isExact?: boolean } = {},
): Promise<string> {
  const all = ['--git-dir', gitDir, ...args];
  const options = {
    cwd: metaDir,
    ...(stdin === undefined ? {} : { stdin }),
    ...(index === undefined ? {} : { env: { GIT_INDEX_FILE: index } }),
  };
  if (!isExact) return gitText(clone.git, all, options);
  return (await clone.git(all, options)).stdout;
}
