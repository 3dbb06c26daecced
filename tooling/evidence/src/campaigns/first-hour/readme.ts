import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Step } from './repository.ts';

const readme = path.resolve(import.meta.dirname, '../../../../../README.md');

/** The commands that the README shows for a repository of one's own, in their order. */
export async function readmeSteps(): Promise<Step[]> {
  const [, section = ''] = (await readFile(readme, 'utf8')).split('\n## Your own repository\n');
  const block = /in a repository of yours:\n+```sh\n([^`]*)```/.exec(section)?.[1] ?? '';
  const commands = [...block.matchAll(/^baton +([^#\n]+?) *(?:#.*)?$/gm)].map(([, args = '']) => args);
  if (!commands.some((args) => args.startsWith('run '))) throw new Error('README.md shows no first run.');
  return commands.map((args) => {
    const type = args.split(' ') as [string, ...string[]];
    return { type, ...(type[0] === 'run' && { lands: true }), ...(type[0] === 'merge' && { moves: true }) };
  });
}
