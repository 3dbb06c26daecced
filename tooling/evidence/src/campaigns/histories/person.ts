import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { History, PersonAct } from './history.ts';
import { headOf, type Place } from './place.ts';
import { git, makeCommits, readTree, tryGit } from './plain-git.ts';
import { file, withFiles, withLine, type Entry } from './tree.ts';

/** A killed holder may have left a lock; the next one removes it once the lease is over. */
const mostTries = 500;
const pauseMs = 20;

/** A move of the target by a person. */
export interface PersonMove {
  from: string;
  to: string;
  startMs: number;
  endMs: number;
}

/** A person at the target and its checkout, with what they did. */
export class Person {
  private readonly place: Place;
  private readonly works: History['works'];
  private count = 0;
  readonly moves: PersonMove[] = [];
  readonly problems: string[] = [];
  /** What was taken back of the target, until it is brought back. */
  private taken: { head: string } | null = null;

  constructor(place: Place, works: History['works']) {
    this.place = place;
    this.works = works;
  }

  /**
   * Does it, waits, and undoes what is to be undone.
   *
   * @param noticed Settles when somebody has noticed what holds up all landing, or none will.
   */
  async act({ act, forMs }: PersonAct, noticed: () => Promise<void>): Promise<void> {
    this.count += 1;
    const own = { [`person/${this.count}.txt`]: file(`note ${this.count}\n`) };
    switch (act) {
      case 'commit':
        await this.commit(own);
        return;
      case 'conflicting commit':
        await this.commit({}, (text) => withLine(text, 0, `row of a person ${this.count}`));
        return;
      case 'red commit':
        await this.commit({ ...own, broken: file('by a person\n') });
        await delay(forMs);
        await noticed();
        await this.mend();
        return;
      case 'take back own commit': {
        const made = await this.commit(own);
        await delay(forMs);
        if ((await headOf(this.place)) === made.to) await this.moveTo(made.from, made.to);
        return;
      }
      case 'take back landed': {
        const head = await headOf(this.place);
        if (head === this.place.base || this.taken !== null) return; // nothing has landed
        const was = await this.moveTo(await git(this.place.target, ['rev-parse', `${head}^`]), head);
        if (was === null) return;
        this.taken = { head: was };
        await delay(forMs);
        await noticed();
        await this.bringBack();
        return;
      }
      case 'change a file':
        return this.changeFile(forMs);
      case 'file in the way':
        return this.putInTheWay(forMs);
      case 'begin a bisect':
        return this.doAndUndo(['bisect', 'start'], { undo: ['bisect', 'reset'], forMs });
      case 'switch away':
        return this.doAndUndo(['switch', '--quiet', '--detach'], {
          undo: ['switch', '--quiet', this.place.branch],
          forMs,
        });
    }
  }

  /** Deletes what a person broke, if it is there. */
  async mend(): Promise<void> {
    const head = await headOf(this.place);
    if ((await readTree(this.place.target, head)).has('broken')) await this.commit({ broken: null });
  }

  /** Brings back what was taken off the target, as the run asks for it. */
  async bringBack(): Promise<void> {
    if (this.taken === null) return;
    const { head } = this.taken;
    this.taken = null;
    for (;;) {
      const now = await headOf(this.place);
      if (now === head) return;
      const isAhead = await tryGit(this.place.target, ['merge-base', '--is-ancestor', now, head]);
      if (isAhead.exitCode === 0) {
        if ((await this.moveTo(head, now)) !== null) return;
        continue;
      }
      // It is there already, or its landing was not confirmed yet and was made again.
      return;
    }
  }

  /** Commits files on the target, as often as somebody else is faster. */
  private async commit(
    files: Readonly<Record<string, Entry | null>>,
    list: (text: string) => string = (text) => text,
  ): Promise<PersonMove> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const startMs = Date.now();
      const move = await (this.place.checkout === null
        ? this.commitByPush(files, list)
        : this.commitInCheckout(this.place.checkout, { files, list }));
      if (move !== null) {
        const made = { ...move, startMs, endMs: Date.now() };
        this.moves.push(made);
        return made;
      }
      await delay(pauseMs);
    }
    throw new Error('the person could not commit');
  }

  private async commitByPush(
    files: Readonly<Record<string, Entry | null>>,
    list: (text: string) => string,
  ): Promise<{ from: string; to: string } | null> {
    const { target, branch } = this.place;
    const from = await headOf(this.place);
    const tree = await readTree(target, from);
    const text = tree.get('list.txt')?.text ?? '';
    const next = withFiles(tree, { 'list.txt': file(list(text)), ...files });
    const [ref, message] = [`refs/heads/${branch}`, `by a person ${this.count}\n`];
    try {
      const [to = ''] = await makeCommits(target, [{ ref, parents: [from], tree: next, message }]);
      return { from, to };
    } catch {
      return null; // somebody was faster
    }
  }

  private async commitInCheckout(
    checkout: string,
    { files, list }: { files: Readonly<Record<string, Entry | null>>; list: (text: string) => string },
  ): Promise<{ from: string; to: string } | null> {
    const at = (name: string) => path.join(checkout, name);
    const listed = readFileSync(at('list.txt'), 'utf8');
    for (const [name, entry] of Object.entries(files)) {
      if (entry === null) {
        rmSync(at(name), { force: true });
        continue;
      }
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), entry.text);
    }
    if (list(listed) !== listed) writeFileSync(at('list.txt'), list(listed));
    const names = [...Object.keys(files), ...(list(listed) === listed ? [] : ['list.txt'])];
    if ((await tryGit(checkout, ['add', '--all', '--', ...names])).exitCode !== 0) return null;
    const message = ['commit', '--quiet', '-m', `by a person ${this.count}`, '--', ...names];
    if ((await tryGit(checkout, message)).exitCode !== 0) return null;
    const to = await git(checkout, ['rev-parse', 'HEAD']);
    return { from: await git(checkout, ['rev-parse', 'HEAD^']), to };
  }

  /** Moves the target to another commit, from where it was seen, and gives where it was; null: somebody was faster. */
  private async moveTo(to: string, from: string): Promise<string | null> {
    const { checkout, target, branch } = this.place;
    const startMs = Date.now();
    const noted = (was: string): string => {
      this.moves.push({ from: was, to, startMs, endMs: Date.now() });
      return was;
    };
    if (checkout === null) {
      const moved = await tryGit(target, ['update-ref', `refs/heads/${branch}`, to, from]);
      return moved.exitCode === 0 ? noted(from) : null;
    }
    for (let tries = 0; tries < mostTries; tries += 1) {
      if ((await tryGit(checkout, ['reset', '--quiet', '--keep', to])).exitCode === 0)
        return noted(await git(checkout, ['rev-parse', `${branch}@{1}`]));
      await delay(pauseMs);
    }
    throw new Error('the person could not reset');
  }

  private async changeFile(forMs: number): Promise<void> {
    const { checkout } = this.place;
    if (checkout === null) return;
    const at = path.join(checkout, 'helper.txt');
    const before = readFileSync(at, 'utf8');
    appendFileSync(at, 'not committed\n');
    await delay(forMs);
    if (readFileSync(at, 'utf8') !== `${before}not committed\n`)
      this.problems.push('a change that was not committed is gone');
    writeFileSync(at, before);
  }

  /** Calls git in the checkout, and undoes that; what a lock of another git holds up is called again. */
  private async doAndUndo(
    args: readonly string[],
    { undo, forMs }: { undo: readonly string[]; forMs: number },
  ): Promise<void> {
    const { checkout } = this.place;
    if (checkout === null) return;
    for (const each of [args, undo]) {
      for (let tries = 1; ; tries += 1) {
        const ended = await tryGit(checkout, each);
        if (ended.exitCode === 0) break;
        if (tries === mostTries) throw new Error(`git ${each.join(' ')}: ${ended.stderr}`);
        await delay(pauseMs);
      }
      if (each === args) await delay(forMs);
    }
  }

  private async putInTheWay(forMs: number): Promise<void> {
    const { checkout } = this.place;
    const work = this.works.find(({ kind }) => kind === 'clean' || kind === 'bad');
    if (checkout === null || work === undefined) return;
    const at = path.join(checkout, 'out', `${work.key}.txt`);
    if (existsSync(at)) return;
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, 'mine\n');
    await delay(forMs);
    if (!existsSync(at) || readFileSync(at, 'utf8') !== 'mine\n') {
      this.problems.push('a file that git does not track was overwritten');
      return;
    }
    rmSync(at);
  }
}
