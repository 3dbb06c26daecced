import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { migrate } from '@baton/task-store';
import { tempDir } from '@baton/testkit';
import { mustRun } from '../../run-program.ts';
import { makeBenchRepo } from '../bench-repo.ts';
import { startBenchServer, type BenchServer } from '../store-bench/server.ts';
import { cpuBelow } from './process-tree.ts';
import { readProcesses } from './processes.ts';
import { countingSettings } from './statements.ts';

/** What all cells use: one server, one repository of each size to copy from, one folder. */
export interface Scene extends AsyncDisposable {
  server: BenchServer;
  /** A database in which the bench looks around; none of its statements counts. */
  observer: string;
  say(line: string): void;
  /**
   * An empty folder, which is removed at the end of all: for a minute after many files were removed ext4 takes a millisecond for each
   * new one, which would be added to whatever is measured next.
   */
  folder(): string;
  /** Puts a copy of the repository with so many files into `at`. */
  copyRepo(at: string, options: { files: number; isBare?: boolean }): Promise<void>;
  /** CPU time in ms that the server has used so far; not a number where there is no /proc. */
  serverCpuMs(): number;
}

/** Starts the packaged server with the settings it ships with, but for the library that counts; in the short form it waits for no disk. */
export async function openScene({
  short,
  seed,
  say,
}: {
  short: boolean;
  seed: number;
  say: (line: string) => void;
}): Promise<Scene> {
  const place = await tempDir();
  const server = await startBenchServer({ settings: countingSettings, makeStore: migrate, forgets: short });
  const observer = await server.database('observer');
  const postmaster = await postmasterOf(server, observer);
  const made = new Map<number, Promise<string>>();
  let folders = 0;
  const template = async (files: number): Promise<string> => {
    say(`making a repository of ${files} files`);
    const repo = path.join(place.path, `files-${files}`);
    mkdirSync(repo);
    await makeBenchRepo(repo, { files, seed });
    return repo;
  };
  return {
    ...{ server, observer, say },
    folder() {
      const own = path.join(place.path, String((folders += 1)));
      mkdirSync(own);
      return own;
    },
    async copyRepo(at, { files, isBare = false }) {
      const from = made.get(files) ?? template(files);
      made.set(files, from);
      const how = isBare ? ['--bare'] : [];
      await mustRun(['git', 'clone', '--quiet', ...how, await from, at], { cwd: place.path });
    },
    serverCpuMs: () => cpuBelow(postmaster, readProcesses()),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Number of the server's first process; 0 where there is no /proc. */
async function postmasterOf(server: BenchServer, url: string): Promise<number> {
  const [row] = await server.sql(url, 'SELECT pg_backend_pid() AS pid');
  return readProcesses().find(({ pid }) => pid === Number(row?.['pid']))?.parent ?? 0;
}
