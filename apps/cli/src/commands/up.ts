import { access as exists } from 'node:fs/promises';
import path from 'node:path';

import { InvalidArgumentError } from 'commander';

import type { AddCommands } from '../cli.ts';
import { openProjectStore } from '../open-store.ts';
import { openProject } from '../project.ts';
import { loadConfig } from '../plan/load-config.ts';
import { runService, type ServiceOptions } from '../up/service.ts';
import type { RepoOption } from '../with-store.ts';

interface UpOptions extends RepoOption {
  port?: number;
  workers: number;
  capacity?: number;
}

/** `baton up`: server, workers and dashboard on one store, until Ctrl-C. */
export const addUp: AddCommands = (program, define) => {
  const command = program
    .command('up')
    .description('start the server and workers on the same store, until Ctrl-C')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option(
      '--port <port>',
      'port of the server on 127.0.0.1; default: $BATON_PORT, else 7420',
      number({ from: 0, to: 65_535 }),
    )
    .option('--workers <n>', 'worker processes', number({ from: 0, to: 64 }), 1)
    .option('--capacity <n>', 'agents at work at once, in each worker', number({ from: 1, to: 200 }))
    .option('--dry-run', 'say what would be started')
    .addHelpText(
      'after',
      '\nCtrl-C lets agents finish for up to $BATON_DRAIN_SECONDS (30 here), twice stops them; their work is saved either way.\nWith --json, one object a line: { ready, name, pid, url? }.\n\nExamples:\n  $ baton up\n  $ DATABASE_URL=postgresql://… baton up --workers 4 --port 8080',
    );
  define(command, async (call, options: UpOptions & { dryRun?: boolean }) => {
    const project =
      call.env.databaseUrl === undefined || options.repo !== undefined
        ? await openProject(call, options)
        : null;
    const port = options.port ?? call.env.port;
    if (options.dryRun) {
      call.out.result(
        { dryRun: true, port, workers: options.workers },
        () => `Would start a server on 127.0.0.1:${port} and ${options.workers} worker processes.`,
      );
      return 0;
    }
    const repository = project ? await readRepository(project.root) : undefined;
    await using access = await openProjectStore(call, project);
    return await runService(call, access, {
      port,
      workers: options.workers,
      capacity: options.capacity,
      repository,
    });
  });
};

async function readRepository(root: string): Promise<ServiceOptions['repository']> {
  const { plugins } = await loadConfig(root);
  const file = path.join(root, 'triggers.yaml');
  const triggersFile = await exists(file).then(
    () => file,
    () => undefined,
  );
  return { root, plugins, triggersFile };
}

function number({ from, to }: { from: number; to: number }): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= from && value <= to && text.trim() !== '') return value;
    throw new InvalidArgumentError(`Must be a whole number from ${from} to ${to}.`);
  };
}
