import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Place } from './place.ts';
import { git, run, tryGit } from './plain-git.ts';

/** A three-way merge as plain git makes it. */
export interface Merge {
  start: string;
  onto: string;
  head: string;
}

/** What such a merge comes to: a tree, or a conflict. */
export type Merged = { kind: 'tree'; tree: string } | { kind: 'conflict' };

/** What plain git and the gate itself say of the commits of a place. Nothing of Baton's is asked. */
export class Court {
  private readonly place: Place;
  private readonly plainGate: string;
  private readonly env: Readonly<Record<string, string>>;
  private readonly green = new Map<string, boolean>();
  private readonly trees = new Map<string, string>();
  private readonly merges = new Map<string, Merged>();

  constructor(place: Place, plainGate: string) {
    this.place = place;
    this.plainGate = plainGate;
    this.env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(place.target, 'objects') };
  }

  git(...args: string[]): Promise<string> {
    return git(this.place.author, args, { env: this.env });
  }

  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    const args = ['merge-base', '--is-ancestor', ancestor, descendant];
    return (await tryGit(this.place.author, args, { env: this.env })).exitCode === 0;
  }

  /** Looks up the trees of commits that are going to be asked for, at once. */
  async learn(commits: readonly string[]): Promise<void> {
    const unknown = [...new Set(commits)].filter((commit) => !this.trees.has(commit));
    if (unknown.length === 0) return;
    const found = await this.git('rev-parse', ...unknown.map((commit) => `${commit}^{tree}`));
    found.split('\n').forEach((tree, at) => this.trees.set(unknown[at] ?? '', tree));
  }

  async treeOf(commit: string): Promise<string> {
    await this.learn([commit]);
    return this.trees.get(commit) ?? '';
  }

  /** Whether a file of a commit holds what git writes around the sides of a conflict. */
  async hasMarks(commit: string): Promise<boolean> {
    const args = ['grep', '--quiet', '--extended-regexp', '^(<{7,}|>{7,}) ', commit];
    return (await tryGit(this.place.author, args, { env: this.env })).exitCode === 0;
  }

  /** Whether the gate is green on a tree that is laid out by itself. */
  async isGreen(tree: string): Promise<boolean> {
    const known = this.green.get(tree);
    if (known !== undefined) return known;
    const laid = path.join(this.place.author, '..', 'laid');
    mkdirSync(laid, { recursive: true });
    const env = { ...this.env, GIT_INDEX_FILE: path.join(laid, '..', 'laid-index'), GIT_WORK_TREE: laid };
    await git(this.place.author, ['-c', 'core.bare=false', 'read-tree', '-u', '--reset', tree], { env });
    const ended = await run(['sh', this.plainGate], { cwd: laid });
    this.green.set(tree, ended.exitCode === 0);
    return ended.exitCode === 0;
  }

  /** Merges a range onto a commit. */
  async merged({ start, onto, head }: Merge): Promise<Merged> {
    const key = `${start} ${onto} ${head}`;
    const known = this.merges.get(key);
    if (known !== undefined) return known;
    const made = await this.merge({ start, onto, head });
    this.merges.set(key, made);
    return made;
  }

  private async merge({ start, onto, head }: Merge): Promise<Merged> {
    await this.learn([start, onto, head]);
    const [startTree, ontoTree, headTree] = [
      await this.treeOf(start),
      await this.treeOf(onto),
      await this.treeOf(head),
    ];
    if (startTree === headTree) return { kind: 'tree', tree: ontoTree };
    if (startTree === ontoTree) return { kind: 'tree', tree: headTree };
    const sideOf = (tree: string) => this.git('commit-tree', '-p', start, '-m', 'side', tree);
    const [ours, theirs] = await Promise.all([sideOf(ontoTree), sideOf(headTree)]);
    const args = ['merge-tree', '--write-tree', '--messages', ours, theirs];
    const ended = await tryGit(this.place.author, args, { env: this.env });
    // Of some conflicts only the messages say that they are one.
    if (ended.exitCode === 1 || /^CONFLICT \(/m.test(ended.stdout)) return { kind: 'conflict' };
    if (ended.exitCode !== 0) throw new Error(`git ${args.join(' ')} failed: ${ended.stderr}`);
    return { kind: 'tree', tree: ended.stdout.split('\n')[0] ?? '' };
  }
}
