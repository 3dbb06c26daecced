import { BatonError } from '@baton/contracts';
import { InvalidArgumentError } from 'commander';

import type { AddCommands } from '../../terminal/call.ts';
import type { Call } from '../../terminal/call.ts';
import { count } from '../../terminal/format.ts';
import { openProjectStore } from '../../project/open-store.ts';
import { openProject, type Project } from '../../project/project.ts';
import { makeStateFolder } from '@baton/service/state-folder';
import { archiveDir } from '../../record/archive-dir.ts';
import { retentionOf } from '../../record/retention.ts';
import { runService } from '../../up/service.ts';
import { readSecretFile, readSettings, type RepositorySettings } from '../../up/settings.ts';
import type { RepoOption } from '../../project/with-store.ts';

interface UpOptions extends RepoOption {
  port?: number;
  workers: number;
  capacity?: number;
  webhookSecretFile?: string;
  dryRun?: boolean;
}

/** `baton up`: server and workers on one store, until Ctrl-C. */
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
    .option(
      '--webhook-secret-file <file>',
      'one or two secrets of the webhook, in place of $BATON_WEBHOOK_SECRETS',
    )
    .option('--dry-run', 'say what would be started')
    .addHelpText(
      'after',
      '\nOf the repository around, triggers.yaml (read again when it changes) and baton.yaml hold: plugins, and for triggered\nwork also target, gates, agents and workspace. Signed webhooks go to POST /webhooks/webhook.\n\nCtrl-C lets agents finish for up to $BATON_DRAIN_SECONDS (30 here), twice stops them; their work is saved either way.\nWith --json, one object a line: { ready, name, pid, url? } on stdout; the logs of the processes on stderr are JSON, too.\n\nExamples:\n  $ baton up\n  $ DATABASE_URL=postgresql://… baton up --workers 4 --port 8080',
    );
  define(command, async (call, options: UpOptions) => {
    const project = await findProject(call, options);
    const repository = project ? await readSettings(project.root) : null;
    const webhookSecrets =
      options.webhookSecretFile === undefined
        ? undefined
        : await readSecretFile(options.webhookSecretFile, call);
    const port = options.port ?? call.env.port;
    const { workers, capacity } = options;
    const { line, ...used } = describe(repository);
    if (options.dryRun) {
      call.out.result(
        { dryRun: true, port, workers, ...used },
        () => `Would start a server on 127.0.0.1:${port} and ${count(workers, 'worker')}, ${line}.`,
      );
      return 0;
    }
    if (used.webhooks && (webhookSecrets ?? call.env.all['BATON_WEBHOOK_SECRETS'] ?? '') === '')
      call.out.warn(
        'triggers.yaml waits for webhooks, but there is no secret: each is refused. Give --webhook-secret-file or $BATON_WEBHOOK_SECRETS.',
      );
    await makeStateFolder(call.env.home);
    await using access = await openProjectStore(call, project);
    const retention = project &&
      repository && {
        kept: retentionOf(repository.config),
        dir: archiveDir(call, { given: undefined, project }),
      };
    return await runService(call, access, { port, workers, capacity, repository, webhookSecrets, retention });
  });
};

/** With a Postgres of one's own, a server needs no repository around it. */
async function findProject(call: Call, options: RepoOption): Promise<Project | null> {
  const needed = call.env.databaseUrl === undefined || options.repo !== undefined;
  return openProject(call, options).catch((cause: unknown) => {
    if (needed || !BatonError.is(cause)) throw cause;
    return null;
  });
}

function describe(repository: RepositorySettings | null) {
  const rules = repository?.triggers?.rules ?? [];
  const plugins = repository?.config.plugins.map(({ name }) => name) ?? [];
  const webhooks = rules.some((rule) => rule.enabled && rule.source === 'webhook');
  const line = `with ${count(rules.length, 'trigger rule')} and ${plugins.length === 0 ? 'no plugins' : `the plugins ${plugins.join(', ')}`}`;
  return { line, webhooks, triggers: rules.map(({ name }) => name), plugins };
}

function number({ from, to }: { from: number; to: number }): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= from && value <= to && text.trim() !== '') return value;
    throw new InvalidArgumentError(`Must be a whole number from ${from} to ${to}.`);
  };
}
