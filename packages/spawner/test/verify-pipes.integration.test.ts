import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { workspaceSetup } from '@baton/contracts';
import { describe, expect, it } from 'vitest';
import { sh, verifying, ways } from './support/verifying.ts';

const files = { 'src/a.txt': 'a\n', '.gitignore': 'node_modules\ncache\n', 'run.sh': 'exit 0\n' };

describe.each(ways)('a place to verify in, by %s', (isolation) => {
  it('waits at no pipe that a command put in place of what git reads', async () => {
    await using w = await verifying({ ...files, '.gitattributes': '*.txt text\n' }, { isolation });
    await w.verifyPool.use({ head: w.head, onto: w.head }, async (place) => {
      const pipes = '.gitattributes src/.gitattributes .gitignore src/.gitignore src/a.txt';
      const ended = await sh(place, `rm .gitattributes .gitignore src/a.txt; mkfifo ${pipes}`);
      expect(ended).toMatchObject({ exitCode: 0, changed: ['.gitattributes', '.gitignore', 'src/a.txt'] });
    });
  });

  it('waits at no pipe that set-up made, or that somebody put where trees and set-ups lie', async () => {
    const pipes = '.gitattributes src/.gitattributes .gitignore .gitmodules';
    const setup = workspaceSetup.parse({
      setup: ['sh', '-c', `mkdir made; touch made/f; mkfifo pipe; rm -f ${pipes}; mkfifo ${pipes}`],
    });
    await using w = await verifying(files, { isolation, setup });
    const at = { head: w.head, onto: w.head };
    const judged = () => w.verifyPool.use(at, (place) => sh(place, 'cat src/a.txt; ls -d made'));
    expect(await judged()).toMatchObject({ exitCode: 0, stdout: 'a\nmade\n', changed: [] });
    const verify = path.join(w.dir, 'verify');
    const places = readdirSync(verify, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(^|\/)(lower|setups\/[0-9a-f]+\/files)$/.test(file),
    );
    expect(places).not.toEqual([]);
    for (const place of places)
      await promisify(execFile)('sh', ['-c', `rm -f ${pipes}; mkdir -p src; mkfifo ${pipes}`], {
        cwd: path.join(verify, place),
      });
    expect(await judged()).toMatchObject({ exitCode: 0, stdout: 'a\nmade\n', changed: [] });
  });
});
