import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** Does some work and prints what it answers and which modules it loaded. */
const program = (work: string): string => `
import { registerHooks } from 'node:module';
const names = new Set();
const sources = new Set();
registerHooks({
  load(url, context, next) {
    const found = url.match(/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*node_modules)/);
    if (found) names.add(found[1]);
    const source = url.match(/\\/((?:apps|packages)\\/[^/]+)\\/(src|dist)\\/index\\.[jt]s$/);
    if (source) sources.add(source[1]);
    return next(url, context);
  },
});
const answer = await (async () => { ${work} })();
console.log(JSON.stringify({ answer, names: [...names], sources: [...sources] }));
`;

const here = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);

async function loadedBy(work: string) {
  const { stdout } = await run(process.execPath, [
    ...['--conditions=@baton/source', '--input-type=module'],
    ...['--eval', program(work)],
  ]);
  return JSON.parse(stdout) as { answer: unknown; names: string[]; sources: string[] };
}

test('the general help is what it is with the code of all commands, and does not wait for it', async () => {
  const help = (load: string) =>
    loadedBy(`
      const { ${load} } = await import(${here('./commands.ts')});
      const { createProgram } = await import(${here('./program.ts')});
      const streams = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
      const addCommands = await ${load}(['--help']);
      return createProgram({ addCommands, version: '0.0.0', streams }, (command) => command.option('--json')).helpInformation();`);
  const [quick, whole] = [await help('loadCommands'), await help('loadAllCommands')];
  expect(quick.answer).toBe(whole.answer);
  expect(quick.answer).toContain('verify-audit [options]');
  expect(quick.sources, 'no package').toEqual([]);
  expect(whole.sources.length).toBeGreaterThan(3);
});

test('the command that is called is loaded, wherever it is named', async () => {
  const { answer } = await loadedBy(`
    const { loadCommands } = await import(${here('./commands.ts')});
    const counts = [];
    for (const words of [['status'], ['--', 'status'], ['help', 'status'], ['reject', 'x'], ['stauts'], ['help', 'plans'], []])
      counts.push((await loadCommands(words)).length === 1);
    return counts;`);
  expect(answer).toEqual([true, true, true, true, false, false, false]);
});

test('no command, and no help, waits for the code of models, agents or the server before it needs it', async () => {
  const { answer: commands, names } = await loadedBy(
    `const { loadAllCommands } = await import(${here('./commands.ts')}); return (await loadAllCommands()).length;`,
  );
  expect(commands).toSatisfy((count) => Number(count) > 20);
  expect(names).toContain('commander');
  const slow = /^(?:ai|@ai-sdk\/.*|@agentclientprotocol\/sdk|@trpc\/.*|fastify|@prisma\/client)$/;
  expect(names.filter((name) => slow.test(name))).toEqual([]);
});

test.each(['status', 'tasks', 'explain', 'logs'])(
  '`baton %s` waits for no code of those who work',
  async (word) => {
    const { answer, sources, names } = await loadedBy(`
      const { loadCommands } = await import(${here('./commands.ts')});
      await import(${here('./project/open-store.ts')});
      await import(${here('./project/project.ts')});
      return (await loadCommands(['${word}'])).length;`);
    expect(answer).toBe(1);
    expect(sources).toContain('packages/task-store');
    const working =
      /^(?:apps\/(?:worker|server)|packages\/(?:spawner|janitor|router-cost|plugins|triggers))$/;
    expect(sources.filter((source) => working.test(source))).toEqual([]);
    expect(names.filter((name) => /^(?:yaml|pino|log-update|@pydantic\/.*)$/.test(name))).toEqual([]);
  },
);
