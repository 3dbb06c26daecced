import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { processStart } from '@baton/spawner';
import { openStore } from '@baton/task-store';
import { storeDatabase } from '../../../../../packages/task-store/test/support/database.ts';
import { authorLabel } from './author.ts';
import { git } from './plain-git.ts';
import type { Stage } from './play.ts';
import { openTeamHere, openTeamOfProcesses } from './team.ts';
import { gateScript } from './tree.ts';

/** A stage that is open until the end of its `await using` block. */
export type OpenStage = Stage & AsyncDisposable;

/** The gate as holders ask it: counted, and red for nothing at the numbers that its third argument lists. */
const askedScript = `n=0
read -r n < "$1" || n=0
echo $((n + 1)) > "$1"
case "$3" in *" $n "*) echo "$n" >> "$2"; echo 'red for nothing'; exit 1 ;; esac
${gateScript}`;

const author = 'author-of-histories';

/** Opens a database of its own and those who land there: in this process, or in others. */
export async function openStage(
  who: 'here' | 'processes',
  { folder }: { folder: string },
): Promise<OpenStage> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await storeDatabase());
  const template = path.join(folder, 'template.git');
  mkdirSync(template, { recursive: true });
  await git(folder, ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', template]);
  const gate = { asked: path.join(folder, 'asked.sh'), plain: path.join(folder, 'gate.sh') };
  writeFileSync(gate.plain, gateScript);
  writeFileSync(gate.asked, askedScript);
  const store = await openStore({ url: database.url, poolSize: 4 });
  opened.defer(() => store.close());
  await store.workers.register({
    ...{ id: author, name: author, host: hostname(), version: '0.0.0', runId: null },
    ...{ pid: process.pid, pidStarted: processStart(process.pid) ?? '', bootId: 'here' },
    ...{ capacity: 8, labels: [authorLabel] },
  });
  const open = who === 'here' ? openTeamHere : openTeamOfProcesses;
  const team = await open({ url: database.url, folder: path.join(folder, 'state') });
  opened.defer(() => team.close());
  const all = opened.move();
  return {
    ...{ store, team, template, gate, workerId: author, folder: path.join(folder, 'histories') },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
