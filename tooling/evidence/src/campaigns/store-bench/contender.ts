import type { BenchServer } from './server.ts';

/** Work in progress: something takes jobs and finishes them until it is stopped. */
export interface Work {
  /** Jobs finished up to now. */
  done(): number | Promise<number>;
  /** A process besides this one whose CPU time is the client's. */
  clientPid?: number;
  stop(): Promise<void>;
}

/** One of those that are compared, on a database of its own. */
export interface Contender {
  readonly name: string;
  readonly url: string;
  /** Adds ready jobs. */
  fill(jobs: number): Promise<void>;
  /** Asks the database how many jobs are not finished, as column "left". */
  readonly leftSql: string;
  /** It makes its jobs itself: none have to be filled in, none run out. */
  readonly endless?: boolean;
  /** Jobs that it may take for finished, at each stop, without the database knowing: it doesn't wait for its own writes. */
  readonly lateAtStop?: number;
  /** Jobs that were ready when it was opened; none when left out. */
  readonly ready?: number;
  /** Jobs that can't be taken and never will be; none when left out. */
  readonly stuck?: number;
  start(): Promise<Work>;
  close(): Promise<void>;
}

/** Makes a contender's tables in a database of its own and opens it. */
export interface ContenderKind {
  readonly name: string;
  /** Its tables are the store's, and may be there already. */
  readonly usesStore?: true;
  /** Ready jobs at the start of each window, where that is this contender's own matter. */
  readonly backlog?: number;
  open(url: string, server: BenchServer): Promise<Contender>;
}

/** Runs `take` in so many loops at once until stopped. `take` returns the number of jobs that it finished, 0 for none there. */
export function inLoops(loops: number, take: (loop: number) => Promise<number>): Work {
  let done = 0;
  let stopped = false;
  const failures: unknown[] = [];
  const each = async (loop: number) => {
    while (!stopped) {
      const finished = await take(loop);
      done += finished;
      if (finished === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const running = Promise.all(
    Array.from({ length: loops }, (_, loop) =>
      each(loop).catch((error: unknown) => {
        stopped = true;
        failures.push(error);
      }),
    ),
  );
  return {
    done() {
      if (failures.length > 0) throw failures[0];
      return done;
    },
    async stop() {
      stopped = true;
      await running;
      if (failures.length > 0) throw failures[0];
    },
  };
}
