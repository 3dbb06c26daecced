import { VISUAL_STATES } from '@baton/fsm-core';
import { installedAgents } from '@baton/spawner';

import { offersHere, renderOffers } from '../../doctor/agent-offers.ts';
import type { AddCommands } from '../../terminal/call.ts';
import type { Call } from '../../terminal/call.ts';
import { formatAgo, table } from '../../terminal/format.ts';
import type { Colors } from '../../terminal/colors.ts';
import { sessionsOf, type SessionRow } from '../../look/sessions.ts';
import { systemClock } from '@baton/service/system';
import {
  allTasks,
  pickRun,
  runsOfProject,
  withStore,
  type RepoOption,
  type Stored,
} from '../../project/with-store.ts';

interface AgentsOptions extends RepoOption {
  all?: boolean;
  models?: boolean;
}

/** `baton agents`: who is at work in a run, and which agents this machine has. */
export const addAgents: AddCommands = (program, define) => {
  const command = program
    .command('agents')
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('show the agents at work, and those that this machine has')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--all', 'also agents that ended')
    .option('--models', 'ask the agents of this machine which models they offer; no prompt is sent')
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton agents\n  $ baton agents --models\n  $ baton agents tidy-7k2f --all --json',
    );
  define(command, async (call, reference: string | undefined, options: AgentsOptions) => {
    if (options.models === true) {
      const offers = await offersHere(call, options);
      call.out.result({ offers }, (colors) => renderOffers(offers, colors));
      return;
    }
    const sessions = await withStore(
      call,
      { ...options, whenEmpty: (): SessionRow[] => [] },
      async (stored) => sessionRows(stored, { reference, live: options.all !== true }),
    );
    const known = await knownHere(call);
    call.out.result({ sessions, agents: known }, (colors) => render(sessions, { colors, known }));
  });
};

async function sessionRows(
  stored: Stored,
  { reference, live }: { reference: string | undefined; live: boolean },
): Promise<SessionRow[]> {
  const [newest] = reference === undefined ? await runsOfProject(stored, { limit: 1 }) : [];
  if (reference === undefined && newest === undefined) return [];
  const run = newest ?? (await pickRun(stored, reference));
  return sessionsOf(stored, { runId: run.id, tasks: await allTasks(stored.store, run.id), live });
}

interface Known {
  name: string;
  ready: boolean;
  fix: string | null;
}

async function knownHere({ env }: Pick<Call, 'env'>): Promise<Known[]> {
  const found = await installedAgents({ env: env.all });
  return found.map(({ name, ready, fix }) => ({ name, ready, fix }));
}

const paints = {
  SPAWNING: 'yellow',
  RUNNING: 'green',
  STALLED: 'yellow',
  MERGING: 'blue',
  DEAD: 'red',
  IDLE: 'dim',
  UNKNOWN: 'dim',
} as const;

function render(
  sessions: readonly SessionRow[],
  { colors, known }: { colors: Colors; known: readonly Known[] },
): string {
  const now = systemClock.now();
  const rows = sessions.map((session) => [
    colors[paints[session.visual]](
      `${VISUAL_STATES[session.visual].indicator} ${session.visual.toLowerCase()}`,
    ),
    `${session.status}, ${session.activity}`,
    session.adapter === '' ? '–' : session.adapter,
    session.model ?? '–',
    session.tasks.join(' ') || '–',
    session.lastSignAt === null ? '–' : formatAgo(session.lastSignAt, now),
  ]);
  const atWork =
    rows.length === 0
      ? 'No agent is at work.'
      : table(colors, ['agent', 'status', 'adapter', 'model', 'tasks', 'last sign'], rows);
  const here = table(
    colors,
    ['on this machine', 'ready', ''],
    known.map(({ name, ready, fix }) => [name, ready ? colors.green('✔') : colors.dim('–'), fix ?? '']),
  );
  return `${atWork}\n\n${here}`;
}
