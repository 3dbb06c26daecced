import type { KeyScope } from '@baton/server';
import { systemIds } from '@baton/worker';
import { Option } from 'commander';

import type { AddCommands } from '../cli.ts';
import { formatAgo, table } from '../format.ts';
import { systemClock } from '../system.ts';
import { withStore, type RepoOption } from '../with-store.ts';

/** All scopes there are; the type says so. Named here, since help should not wait for the code of the server. */
const scopes: Record<KeyScope, true> = {
  admin: true,
  operator: true,
  viewer: true,
  trigger: true,
  worker: true,
};

/** `baton keys create|list|revoke`: keys for the server's API. Only their hashes are stored. */
export const addKeys: AddCommands = (program, define) => {
  const family = program
    .command('keys')
    .description('create, list and revoke keys for the API of the server');

  const create = family
    .command('create')
    .argument('<name>', 'who or what will use it')
    .description('create a key; it is shown once and never again')
    .addOption(
      new Option('--scope <scope...>', 'what it may do').choices(Object.keys(scopes)).default(['operator']),
    )
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addHelpText('after', '\nExamples:\n  $ baton keys create ci --scope viewer trigger');
  define(create, async (call, name: string, options: RepoOption & { scope: string[] }) => {
    const { makeApiKey } = await import('@baton/server');
    const { key, hash, prefix } = makeApiKey();
    const id = systemIds.uuid();
    await withStore(call, { ...options, create: true }, ({ store }) =>
      store.createApiKey({ id, name, hash, prefix, scopes: options.scope }),
    );
    call.out.result({ id, name, scopes: options.scope, key }, (colors) =>
      [
        `${colors.bold(key)}`,
        colors.dim(
          `Scopes: ${options.scope.join(', ')}. Keep it safe: it is not stored and not shown again.`,
        ),
      ].join('\n'),
    );
  });

  const list = family
    .command('list')
    .description('list the keys')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addHelpText('after', '\nExamples:\n  $ baton keys list --json');
  define(list, async (call, options: RepoOption) => {
    const keys = await withStore(call, { ...options, whenEmpty: () => [] }, ({ store }) =>
      store.listApiKeys(),
    );
    const now = systemClock.now();
    call.out.result({ keys }, (colors) =>
      keys.length === 0
        ? 'No keys yet.'
        : table(
            colors,
            ['id', 'name', 'key', 'scopes', 'created', 'state'],
            keys.map((key) => [
              key.id,
              key.name,
              `${key.prefix}…`,
              key.scopes.join(' '),
              formatAgo(key.createdAt, now),
              key.revokedAt ? 'revoked' : 'valid',
            ]),
          ),
    );
  });

  const revoke = family
    .command('revoke')
    .argument('<id>', 'as `baton keys list` shows it')
    .description('make a key useless, at once and for good')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addHelpText('after', '\nExamples:\n  $ baton keys revoke 0199c2d4-…');
  define(revoke, async (call, id: string, options: RepoOption) => {
    await withStore(call, options, ({ store }) => store.revokeApiKey(id));
    call.out.result({ id, revoked: true }, () => `Revoked ${id}.`);
  });
};
