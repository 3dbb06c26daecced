import { BatonError } from '@baton/contracts';
import type { KeyScope } from '@baton/server';
import { systemClock, systemIds } from '@baton/service/system';
import { Option, type Command } from 'commander';

import type { AddCommands, Define } from '../../terminal/call.ts';
import { formatAgo, table } from '../../terminal/format.ts';
import { withStore, type RepoOption } from '../../project/with-store.ts';

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
  addCreate(family, define);
  addList(family, define);
  addRevoke(family, define);
};

function addCreate(family: Command, define: Define): void {
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
    const { apiKeyName, makeApiKey } = await import('@baton/server');
    if (!apiKeyName.safeParse(name).success)
      throw new BatonError('INVALID_INPUT', 'The name of a key is one line of up to 100 characters.', {
        fix: 'Say who or what will use it, as in `baton keys create ci`.',
      });
    const { key, hash, prefix } = makeApiKey();
    const id = systemIds.uuid();
    await withStore(call, { ...options, create: true }, ({ store }) =>
      store.keys.create({ id, name, hash, prefix, scopes: options.scope }),
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
}

function addList(family: Command, define: Define): void {
  const list = family
    .command('list')
    .description('list the keys')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addHelpText('after', '\nExamples:\n  $ baton keys list --json');
  define(list, async (call, options: RepoOption) => {
    const keys = await withStore(call, { ...options, whenEmpty: () => [] }, ({ store }) => store.keys.list());
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
}

function addRevoke(family: Command, define: Define): void {
  const revoke = family
    .command('revoke')
    .argument('<key>', 'its id as `baton keys list` shows it, the start of that, or its name')
    .description('make a key useless, at once and for good')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addHelpText('after', '\nExamples:\n  $ baton keys revoke ci\n  $ baton keys revoke 0199c2d4');
  define(revoke, async (call, said: string, options: RepoOption) => {
    const key = await withStore(call, options, async ({ store }) => {
      const found = keyOf(said, await store.keys.list());
      await store.keys.revoke(found.id);
      return found;
    });
    call.out.result(revokedView(key), () => revokedText(key));
  });
}

const revokedView = ({ id, name, revokedAt }: ListedKey) => {
  const already = revokedAt !== null;
  return { id, name, revoked: true, already };
};

function revokedText({ id, name, revokedAt }: ListedKey): string {
  if (revokedAt === null) return `Revoked ${name} (${id}).`;
  return `${name} (${id}) was revoked already, ${formatAgo(revokedAt, systemClock.now())}.`;
}

/** Fewer letters of an id name nothing. */
const shortestStart = 6;

interface ListedKey {
  id: string;
  name: string;
  revokedAt: Date | null;
}

/** The key that somebody means: of one name, the valid one. @throws NOT_FOUND, INVALID_INPUT when it can be several */
function keyOf(said: string, keys: readonly ListedKey[]): ListedKey {
  const start = said.replace(/…$/, '');
  const isMeant = ({ id, name }: ListedKey) =>
    name === said || (start.length >= shortestStart && id.startsWith(start));
  const exact = keys.filter(({ id }) => id === said);
  const meant = exact.length > 0 ? exact : keys.filter(isMeant);
  const valid = meant.filter(({ revokedAt }) => revokedAt === null);
  const [key, another] = valid.length > 0 ? valid : meant;
  if (key === undefined)
    throw new BatonError('NOT_FOUND', `There is no key "${said}".`, {
      fix: '`baton keys list` shows them with their ids.',
    });
  if (valid.length > 1 && another !== undefined)
    throw new BatonError('INVALID_INPUT', `${valid.length} keys can be meant by "${said}".`, {
      at: said,
      fix: `Give the id of one: ${valid.map(({ id }) => id).join(', ')}.`,
    });
  return key;
}
