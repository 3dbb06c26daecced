import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Exec, Log, WorkspaceSetup } from '@baton/contracts';
import type { Clone } from '../tree/clone.ts';
import { readState, type Workspace } from '../tree/workspace.ts';
import type { Isolation } from './isolation.ts';

/** What every part of a verification works with. */
export interface VerifyContext {
  clone: Clone;
  exec: Exec;
  /** Environment of commands and set-up: complete, without secrets. */
  env: Readonly<Record<string, string>>;
  log: Log;
  setup: WorkspaceSetup | null;
  /** The user's checkout, which files are copied from; null: there is none on this machine. */
  sourceRoot: string | null;
  /** Absolute folder of all that follows. */
  dir: string;
  isolation: Isolation;
}

/** Mount point of all verifications with namespaces: each sees its own tree there. */
export function mountPoint({ dir }: Pick<VerifyContext, 'dir'>): string {
  return path.join(dir, 'tree');
}

/** Folder with one folder for each verification at a time. */
export function slotsDir({ dir }: Pick<VerifyContext, 'dir'>): string {
  return path.join(dir, 'slots');
}

/** Folder of set-ups. Without namespaces each slot has its own, since installed programs hold the path that they were installed at. */
export function setupsDir({ dir, isolation }: VerifyContext, slot: string): string {
  return isolation.kind === 'overlay' ? path.join(dir, 'setups') : path.join(slot, 'setups');
}

/** A tree that Baton's own git fills, with records beside it. */
export function treeAt(clone: Clone, { tree, metaDir }: { tree: string; metaDir: string }): Workspace {
  mkdirSync(metaDir, { recursive: true, mode: 0o700 });
  return {
    path: tree,
    gitDir: path.join(tree, '.git'),
    taskFileDir: path.join(metaDir, 'task'),
    portBase: 0,
    clone,
    metaDir,
    state: readState(metaDir),
  };
}
