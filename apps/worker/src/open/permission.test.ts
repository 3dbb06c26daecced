import { createPluginBus, definePlugin, type PluginBus } from '@baton/plugins';
import { manualClock } from '@baton/testkit';
import { expect, it } from 'vitest';
import { permissionPolicy } from './permission.ts';

const told: unknown[] = [];
const guard = definePlugin({
  name: 'guard',
  version: '1.0.0',
  setup(api) {
    api.intercept('agent:permission', { onError: 'deny' }, (asked) => {
      told.push(asked);
      return asked.kind === 'execute' ? { deny: 'no programs' } : undefined;
    });
  },
});

async function policy(plugin: typeof guard | null, current = { taskId: 't1' }) {
  const warnings: unknown[] = [];
  const log = {
    info: () => undefined,
    error: () => undefined,
    warn: (_: string, fields: unknown) => void warnings.push(fields),
  };
  let plugins: PluginBus | null = null;
  if (plugin !== null) {
    plugins = createPluginBus({ plugins: [{ plugin }], log, clock: manualClock(), directory: '/nowhere' });
    await plugins.setup();
  }
  const claim = { run: { id: 'r1' }, sessionId: 's1' } as Parameters<typeof permissionPolicy>[1]['claim'];
  const decide = permissionPolicy({ plugins, log }, { claim, workspace: { path: '/some/tree' }, current });
  return { decide, warnings };
}

const asks = (kind: string, ...paths: string[]) => ({ title: `${kind} it`, kind, paths });

it('allows what stays in the worktree and denies what leads out of it', async () => {
  const { decide } = await policy(null);
  expect(await decide(asks('execute'))).toBe('allow');
  expect(await decide(asks('edit', 'src/a.ts', '/some/tree/b'))).toBe('allow');
  expect(await decide(asks('edit', 'src/a.ts', '../other'))).toBe('deny');
  expect(await decide(asks('read', '/etc/passwd'))).toBe('deny');
});

it('asks the plugins, who may deny, with the task that the agent is at', async () => {
  const current = { taskId: 't1' };
  const { decide, warnings } = await policy(guard, current);
  expect(await decide(asks('edit', 'a'))).toBe('allow');
  current.taskId = 't2';
  expect(await decide(asks('execute'))).toBe('deny');
  expect(told).toEqual([
    { runId: 'r1', taskId: 't1', sessionId: 's1', title: 'edit it', kind: 'edit' },
    { runId: 'r1', taskId: 't2', sessionId: 's1', title: 'execute it', kind: 'execute' },
  ]);
  expect(warnings).toEqual([expect.objectContaining({ plugin: 'guard', reason: 'no programs' })]);
});
