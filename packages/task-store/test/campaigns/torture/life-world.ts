import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { effectPoint } from '@baton/testkit';

/** One commit on the played target. */
export interface Landed {
  taskId: string;
  commit: string;
}

/** The world outside of the store that a life acts on: a target, and a reader of the feed. Files of one folder. */
export interface LifeWorld {
  /** Path of a file or folder of the life. */
  fileOf(name: string): string;
  landed(): Landed[];
  /** Moves the target, whole or not at all, as a ref does. */
  move(landed: Landed): void;
  /** Positions of the feed that the reader has handled; one may stand there twice. */
  consumed(): number[];
  consume(positions: readonly number[]): void;
  /** Appends one line to the history of claims. */
  note(line: object): void;
}

/** Opens the world in its folder. */
export function lifeWorld(folder: string): LifeWorld {
  const file = (name: string) => path.join(folder, name);
  const lines = (name: string): string[] => {
    try {
      return readFileSync(file(name), 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  };
  const landed = () => lines('target').map((line) => JSON.parse(line) as Landed);
  return {
    fileOf: file,
    landed,
    move(one) {
      const draft = file(`target.${process.pid}`);
      writeFileSync(draft, [...landed(), one].map((each) => `${JSON.stringify(each)}\n`).join(''));
      effectPoint('move target', () => renameSync(draft, file('target')));
    },
    consumed: () => lines('consumed').flatMap((line) => JSON.parse(line) as number[]),
    consume: (positions) =>
      effectPoint('consume feed', () => appendFileSync(file('consumed'), `${JSON.stringify(positions)}\n`)),
    note: (line) => appendFileSync(file('history'), `${JSON.stringify(line)}\n`),
  };
}

/** An id of 40 hexadecimal digits. */
export const commitOf = (...parts: (string | number)[]): string =>
  createHash('sha1').update(parts.join(' ')).digest('hex');
