import { existsSync } from 'node:fs';
import path from 'node:path';

import { retention } from '@baton/contracts';
import { applySweep, landingRefs, sweepRefs, type SweepAct } from '@baton/janitor';
import { placeOf, recordActs } from '@baton/spawner';
import type { Run, RunStatus, Store } from '@baton/task-store';
import { systemClock, systemIds } from '@baton/service/system';
import { keepRules, keepState } from '@baton/worker';

import type { AddCommands } from '../../terminal/call.ts';
import type { Call } from '../../terminal/call.ts';
import { count, table } from '../../terminal/format.ts';
import { loadConfig } from '../../plan/load-config.ts';
import { requireProject, type Place } from '../../project/project.ts';
import { runsOfProject, withStore, type RepoOption, type Stored } from '../../project/with-store.ts';

const allRuns = 1_000_000;
const liveStates: RunStatus[] = ['running', 'paused', 'waiting', 'stuck'];

/** `baton clean`: removes what is over of the repository's refs and of Baton's own state. */
export const addClean: AddCommands = (program, define) => {
  const command = program
    .command('clean')
    .description('remove refs whose commits are all in another branch, and state that outlived its retention')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--dry-run', 'say what would be removed')
    .addHelpText(
      'after',
      '\nOf your repository only refs are removed that the runs of this store made, as they left them, and nothing that is\nreachable from nowhere else; of its own state Baton keeps what\n`retention` in baton.yaml says. Each act is recorded before it is done, in the folder "cleaning" of the state folder.\n\nExamples:\n  $ baton clean --dry-run\n  $ baton clean',
    );
  define(command, async (call, options: RepoOption & { dryRun?: boolean }) => {
    const none: Cleaned = { removed: [], kept: [] };
    const cleaned = await withStore(call, { ...options, whenEmpty: () => none }, async (stored) => {
      const project = requireProject(stored.project);
      const dryRun = options.dryRun === true;
      const refs = await cleanRepository({ store: stored.store, stored }, { project, dryRun });
      const { removed, kept } = await cleanState(call, stored.store, { project, dryRun });
      return { removed: [...refs, ...removed], kept };
    });
    const dryRun = options.dryRun === true;
    call.out.result({ dryRun, ...cleaned }, (colors) => text(cleaned, { colors, dryRun }));
  });
};

/** Something that is, or would be, removed. */
interface Removed {
  kind: string;
  place: string;
  reason: string;
  /** Of refs: name and commit. */
  ref?: string;
  id?: string;
}

/** Work that outlived its retention and is not removed yet. */
interface Kept extends Removed {
  /** A round of cleaning after this time removes it; ISO 8601. */
  until: string;
}

interface Cleaned {
  removed: Removed[];
  kept: Kept[];
}

function text(
  { removed, kept }: Cleaned,
  { colors, dryRun }: { colors: Parameters<typeof table>[0]; dryRun: boolean },
): string {
  const rows = (some: readonly Removed[]) => some.map((one) => [one.place, one.reason]);
  const lines: string[] = [];
  if (removed.length > 0)
    lines.push(
      table(colors, ['what', 'why nothing is lost, or how old it is'], rows(removed)),
      `${dryRun ? 'Would remove' : 'Removed'} ${count(removed.length, 'thing')}.`,
    );
  if (kept.length > 0)
    lines.push(
      table(colors, ['kept', 'why it will go'], rows(kept)),
      `Kept ${count(kept.length, 'thing')}: nothing was cleaned here for more than a week, so the clock of this machine may be wrong.`,
      `Work goes a day later: run \`baton clean\` again after ${
        kept
          .map(({ until }) => until)
          .sort()
          .at(-1) ?? ''
      }.`,
    );
  return lines.length === 0 ? 'Nothing to clean.' : lines.join('\n');
}

async function cleanRepository(
  { store, stored }: { store: Store; stored: Stored },
  { project, dryRun }: { project: Place; dryRun: boolean },
): Promise<Removed[]> {
  const { git, root } = project;
  const live = await runsOfProject({ store, project: null }, { status: liveStates, limit: allRuns });
  const settled = await runsOfProject(stored, { status: ['done', 'failed', 'cancelled'], limit: allRuns });
  const planned = await sweepRefs({
    git,
    repo: root,
    storeId: store.storeId,
    liveTargets: live.map((run) => run.target),
    settledTargets: await settledTargets(store, settled),
    settledLandings: await settledLandings(store, { project, runs: [...live, ...settled] }),
  });
  const tell = (acts: readonly SweepAct[]) =>
    acts.map(({ ref, id, reason }) => ({ kind: 'ref', place: ref, reason, ref, id }));
  if (dryRun || planned.length === 0) return tell(planned);
  const place = { stateDir: project.state.dir, clock: systemClock, ids: systemIds };
  const record = recordActs(
    place,
    planned.map((act) => ({ kind: 'ref', repo: root, ...act })),
  );
  const done = await applySweep({ git, repo: root }, planned);
  record.close(done);
  return tell(done);
}

/** Each target with the last commit that each of its runs landed there, or began on. */
async function settledTargets(
  store: Store,
  runs: readonly Run[],
): Promise<{ target: string; heads: string[] }[]> {
  const found: { target: string; heads: string[] }[] = [];
  for (const { id, target, baseCommit } of runs) {
    const [newest] = await store.tasks.landings({ runId: id, newest: true });
    const head = newest?.commit ?? baseCommit;
    if (head !== null) found.push({ target, heads: [head] });
  }
  return found;
}

/** Ids of the attempts of these runs that are over, where the repository holds refs of landings at all. */
async function settledLandings(
  store: Store,
  { project, runs }: { project: Place; runs: readonly Run[] },
): Promise<string[]> {
  if ((await landingRefs({ git: project.git, repo: project.root })).length === 0) return [];
  const ids: string[] = [];
  for (const { id } of runs)
    for (const attempt of await store.tasks.listAttempts({ runId: id }))
      if (attempt.endedAt !== null) ids.push(attempt.id);
  return ids;
}

/** State of the project's own runs, and of the workers of `baton up`, which share one folder. */
async function cleanState(
  call: Call,
  store: Store,
  { project, dryRun }: { project: Place; dryRun: boolean },
): Promise<Cleaned> {
  const config = await loadConfig(project.root);
  const rules = keepRules(config.retention ?? retention.parse({}));
  const { dir, logsDir } = project.state;
  const worker = path.join(call.env.home, 'worker');
  const folders = [
    { stateDir: dir, logsDir },
    { stateDir: worker, logsDir: path.join(worker, 'logs') },
  ].filter(({ stateDir }) => existsSync(stateDir));
  const removed: Removed[] = [];
  const kept: Kept[] = [];
  for (const folder of folders) {
    const tools = { git: project.git, exec: project.exec, clock: systemClock, ids: systemIds };
    const tidied = await keepState(store, { ...tools, ...folder, rules, dryRun });
    for (const act of tidied.acts) removed.push({ ...act, place: placeOf(act) });
    const until = tidied.doubted?.until.toISOString() ?? '';
    for (const act of tidied.doubted?.kept ?? []) kept.push({ ...act, place: placeOf(act), until });
    if (tidied.skipped)
      call.out.warn(`Another process is cleaning ${folder.stateDir}; run \`baton clean\` again.`);
    if (tidied.full !== null) call.out.warn(`${tidied.full}: no new work starts.`);
  }
  return { removed, kept };
}
