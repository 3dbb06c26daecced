import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PlaceRun, PlaceRunOptions } from '@baton/contracts';
import { sweepMarked } from '../process/kill-tree.ts';
import { markerVariable, supervisorId } from '../process/process-table.ts';
import { fromText, textOf } from '../tree/byte-path.ts';
import { copyWhole } from '../workspace/copy-sources.ts';
import { anchored, resetTree } from '../workspace/reset.ts';
import { copyIndex, emptyState, indexFile, nulList, treeGitText, type Workspace } from '../tree/workspace.ts';
import { removeSpecial, walkTree } from '../tree/walk-tree.ts';
import type { VerifyContext } from './place-files.ts';
import { markMoment } from '../tree/changed-since.ts';
import { removeTree } from '../tree/remove-tree.ts';
import { rewrittenSince } from './rewritten.ts';
import { writtenText } from './written-text.ts';
import type { SetUpLayer } from './set-up-layer.ts';

const mostShown = 20;
/** Runs of one command while tracked files are written and put back. */
const mostRuns = 3;

/** One commit with its set-up, copied afresh for each command. */
export interface CopyPlace {
  context: VerifyContext;
  /** The tree, copied afresh for each command. */
  workspace: Workspace;
  head: string;
  layer: SetUpLayer | null;
  /** Gathers what was written and put back in each of the runs of a command. */
  rewritten: Set<string>;
}

interface CopyRun {
  argv: readonly [string, ...string[]];
  options: PlaceRunOptions;
  runDir: string;
}

/**
 * Runs one command on a full copy of tree and set-up that nothing ran in before, then compares. If a tracked file was written and put
 * back in that time, the command may have seen another one: it runs again on a fresh copy. A command that writes such files itself does so
 * each time; its third run counts, and the files are named.
 *
 * @throws WORKSPACE_FAILED, GIT_FAILED
 */
export async function runOnCopy(place: CopyPlace, command: CopyRun): Promise<PlaceRun> {
  for (let runs = 1; ; runs += 1) {
    const { run, rewritten } = await runOnce(place, command);
    if (rewritten.length === 0 || run.timedOut) return run;
    if (runs === mostRuns) {
      rewritten.forEach((file) => place.rewritten.add(file));
      return run;
    }
    const files = rewritten.slice(0, mostShown);
    place.context.log.warn('tracked files were written and put back while a command ran; it runs again', {
      files,
    });
  }
}

async function runOnce(
  place: CopyPlace,
  { argv, options, runDir }: CopyRun,
): Promise<{ run: PlaceRun; rewritten: string[] }> {
  const { context, workspace, layer } = place;
  await layCopy(place);
  const laid = path.join(runDir, 'laid');
  await markMoment(laid);
  const { keepTree, keepFile, ...execOptions } = options;
  const marker = createHash('sha256').update(`${supervisorId()} ${runDir}`).digest('hex').slice(0, 32);
  const env = { ...options.env, [markerVariable]: marker };
  const ended = await context.exec(argv, { ...execOptions, env, cwd: workspace.path });
  await sweepMarked(marker);
  if (ended.aborted) return { run: { ...ended, changed: [], left: [], tree: null }, rewritten: [] };
  const kept = keepFile === undefined ? null : writtenText(workspace.path, { file: keepFile, since: laid });
  const special = await clearSpecial(workspace, layer);
  const diff = [
    'diff',
    '--name-only',
    '-z',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
    '--ignore-submodules=all',
  ];
  const changed = nulList(await treeGitText(workspace, diff)).sort();
  const own = new Set(['.git', ...(layer?.paths ?? [])]);
  const others = await treeGitText(workspace, [
    'ls-files',
    '-z',
    '--others',
    '--directory',
    '--no-empty-directory',
  ]);
  const left = nulList(others).filter((file) => !own.has(file.replace(/\/$/, '')));
  left.push(...special.filter((file) => !changed.includes(file)));
  const tree = changed.length > 0 && keepTree === true ? await treeOf(workspace, runDir) : null;
  const run = { ...ended, changed, left: left.sort().slice(0, mostShown), tree, kept };
  // What changed a tracked file has the "no" that it deserves.
  return { run, rewritten: changed.length > 0 ? [] : await rewrittenSince(workspace, laid) };
}

/** Removes pipes, sockets and devices that a command left, since git waits at a pipe in place of its attributes; gives their names. */
async function clearSpecial(workspace: Workspace, layer: SetUpLayer | null): Promise<string[]> {
  const skip = new Set((layer?.paths ?? []).map(fromText));
  const { special } = await walkTree(workspace.path, { skip, mayChange: true });
  await removeSpecial(workspace.path, special);
  return special.map(textOf);
}

/** Nothing of what lay there before stays, whatever it was. */
async function layCopy({ context, workspace, head, layer }: CopyPlace): Promise<void> {
  await removeTree(workspace.path);
  rmSync(indexFile(workspace), { force: true });
  if (layer === null) mkdirSync(workspace.path, { recursive: true });
  else await copyWhole(layer.files, workspace.path, context);
  Object.assign(workspace.state, { ...emptyState, setupPaths: layer?.paths ?? [] });
  await resetTree(workspace, head);
  writeGitSettings(workspace, layer);
}

/** Lets git in the tree pass over what set-up made, and know the submodules that set-up initialised. */
export function writeGitSettings(workspace: Workspace, layer: SetUpLayer | null): void {
  const lines = (layer?.paths ?? []).map((file) => `${anchored(file)}\n`);
  writeFileSync(path.join(workspace.gitDir, 'info', 'exclude'), lines.join(''));
  if (layer?.hasSubmodules === true)
    appendFileSync(path.join(workspace.gitDir, 'config'), '[submodule]\n\tactive = .\n');
}

async function treeOf(workspace: Workspace, runDir: string): Promise<string> {
  const index = path.join(runDir, 'index');
  copyIndex(indexFile(workspace), index);
  await treeGitText(workspace, ['add', '-u', '--', '.'], { index });
  return treeGitText(workspace, ['write-tree'], { index });
}
