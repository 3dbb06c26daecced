import { readFileSync } from 'node:fs';
import path from 'node:path';
import { personName } from './plain-git.ts';
import type { Played } from './play.ts';

/** A value that the target had. */
export interface Stand {
  /** Where it was before; null: where it began. */
  from: string | null;
  commit: string;
  /** A person moved it there. */
  byPerson: boolean;
  /** It cannot have been there before, in ms. */
  earliestMs: number;
  /** It was there at the latest, in ms. */
  latestMs: number;
}

/** A commit that a target got. */
export interface LandedCommit {
  id: string;
  parents: string[];
  tree: string;
  taskId: string | null;
  attempt: number | null;
}

/** Every value that the target had, oldest first, from its log. */
export function standsOf(played: Played): Stand[] {
  const { place, person } = played;
  const log = path.join(place.target, 'logs/refs/heads', place.branch);
  const moves = readFileSync(log, 'utf8')
    .split('\n')
    .map((line) => /^(\w+) (\w+) (\S+) </.exec(line) ?? [])
    .flatMap(([, from = '', to = '', who = '']) =>
      /^0*$/.test(from) || from === to ? [] : [{ from, to, who }],
    );
  const left = [...person.moves];
  const stands: Stand[] = [{ from: null, commit: place.base, byPerson: true, earliestMs: 0, latestMs: 0 }];
  for (const { from, to, who } of moves) {
    const byPerson = who === personName;
    const at = byPerson ? left.findIndex((move) => move.from === from && move.to === to) : -1;
    const [own] = at === -1 ? [] : left.splice(at, 1);
    const times = own === undefined ? timesOf(to, played) : { earliestMs: own.startMs, latestMs: own.endMs };
    stands.push({ from, commit: to, byPerson, ...times });
  }
  return stands;
}

/** When a commit of ours can have landed: after its verdict, and before it was confirmed. */
function timesOf(commit: string, { landings, verdicts }: Played): Pick<Stand, 'earliestMs' | 'latestMs'> {
  const landing = landings.find((each) => each.commit === commit);
  const own = verdicts.filter(({ attemptId, passed }) => passed && attemptId === landing?.attemptId);
  return {
    earliestMs: Math.min(
      ...own.map(({ createdAt }) => createdAt.getTime()),
      landing === undefined ? 0 : Infinity,
    ),
    latestMs: landing?.confirmedAt.getTime() ?? Infinity,
  };
}

const format =
  '%H%x09%T%x09%P%x09%(trailers:key=Task-Id,valueonly,separator=%x2C)%x09%(trailers:key=Attempt,valueonly,separator=%x2C)';

/** Arguments of `git log` for all commits that lead to some of these and not to the base. */
export const logArguments = (heads: readonly string[], base: string): string[] => [
  ...['log', '--topo-order', `--format=${format}`, ...new Set(heads), `^${base}`],
];

/** Reads what `git log` printed. */
export function readLog(text: string): Map<string, LandedCommit> {
  const commits = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): LandedCommit => {
      const [id = '', tree = '', parents = '', taskId = '', attempt = ''] = line.split('\t');
      return {
        ...{ id, tree, parents: parents === '' ? [] : parents.split(' ') },
        taskId: taskId === '' ? null : taskId,
        attempt: attempt === '' ? null : Number(attempt),
      };
    });
  return new Map(commits.map((commit) => [commit.id, commit]));
}

/** Values that the target may have had at some moment between two. */
export function standsBetween(
  stands: readonly Stand[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Stand[] {
  return stands.filter((stand, at) => {
    const until = stands[at + 1]?.latestMs ?? Infinity;
    return stand.earliestMs <= toMs && until >= fromMs;
  });
}
