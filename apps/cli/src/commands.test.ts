import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** Loads all commands, as help does, and prints which packages that took. */
const program = `
import { registerHooks } from 'node:module';
const names = new Set();
registerHooks({
  load(url, context, next) {
    const found = url.match(/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*node_modules)/);
    if (found) names.add(found[1]);
    return next(url, context);
  },
});
const { loadCommands } = await import(${JSON.stringify(new URL('./commands.ts', import.meta.url).href)});
const commands = await loadCommands([]);
console.log(JSON.stringify({ commands: commands.length, names: [...names] }));
`;

test('no command, and no help, waits for the code of models, agents or the server before it needs it', async () => {
  const { stdout } = await run(process.execPath, [
    ...['--conditions=@baton/source', '--input-type=module'],
    ...['--eval', program],
  ]);
  const { commands, names } = JSON.parse(stdout) as { commands: number; names: string[] };
  expect(commands).toBeGreaterThan(20);
  expect(names).toContain('commander');
  const slow = /^(?:ai|@ai-sdk\/.*|@agentclientprotocol\/sdk|@trpc\/.*|fastify|@prisma\/client)$/;
  expect(names.filter((name) => slow.test(name))).toEqual([]);
});
