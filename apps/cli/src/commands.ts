import type { AddCommands } from './cli.ts';

interface Entry {
  /** Words that call it. */
  names: readonly string[];
  /** Where it stands in the help. */
  group: string;
  load: () => Promise<AddCommands>;
}

const [work, look, decide, setUp] = ['Carry out:', 'Look:', 'Decide and repair:', 'Set up:'] as const;

/** All commands, in the order of the help. */
const entries: readonly Entry[] = [
  { names: ['run'], group: work, load: async () => (await import('./commands/run.ts')).addRun },
  { names: ['plan'], group: work, load: async () => (await import('./commands/plan.ts')).addPlan },
  { names: ['up'], group: work, load: async () => (await import('./commands/up.ts')).addUp },
  { names: ['demo'], group: work, load: async () => (await import('./commands/demo.ts')).addDemo },
  { names: ['status'], group: look, load: async () => (await import('./commands/status.ts')).addStatus },
  { names: ['runs'], group: look, load: async () => (await import('./commands/runs.ts')).addRuns },
  { names: ['tasks'], group: look, load: async () => (await import('./commands/tasks.ts')).addTasks },
  { names: ['task'], group: look, load: async () => (await import('./commands/task.ts')).addTask },
  { names: ['graph'], group: look, load: async () => (await import('./commands/graph.ts')).addGraph },
  { names: ['explain'], group: look, load: async () => (await import('./commands/explain.ts')).addExplain },
  { names: ['logs'], group: look, load: async () => (await import('./commands/logs.ts')).addLogs },
  { names: ['diff'], group: look, load: async () => (await import('./commands/diff.ts')).addDiff },
  { names: ['cost'], group: look, load: async () => (await import('./commands/cost.ts')).addCost },
  { names: ['trust'], group: look, load: async () => (await import('./commands/trust.ts')).addTrust },
  { names: ['agents'], group: look, load: async () => (await import('./commands/agents.ts')).addAgents },
  { names: ['workers'], group: look, load: async () => (await import('./commands/workers.ts')).addWorkers },
  {
    names: ['verify-audit'],
    group: look,
    load: async () => (await import('./commands/verify-audit.ts')).addVerifyAudit,
  },
  { names: ['merge'], group: decide, load: async () => (await import('./commands/merge.ts')).addMerge },
  {
    names: ['approve', 'reject'],
    group: decide,
    load: async () => (await import('./commands/approve.ts')).addApprove,
  },
  {
    names: ['pause', 'resume'],
    group: decide,
    load: async () => (await import('./commands/pause.ts')).addPauseAndResume,
  },
  { names: ['budget'], group: decide, load: async () => (await import('./commands/budget.ts')).addBudget },
  { names: ['stop'], group: decide, load: async () => (await import('./commands/stop.ts')).addStop },
  { names: ['cancel'], group: decide, load: async () => (await import('./commands/cancel.ts')).addCancel },
  { names: ['retry'], group: decide, load: async () => (await import('./commands/retry.ts')).addRetry },
  { names: ['rescue'], group: decide, load: async () => (await import('./commands/rescue.ts')).addRescue },
  { names: ['clean'], group: decide, load: async () => (await import('./commands/clean.ts')).addClean },
  {
    names: ['projects'],
    group: decide,
    load: async () => (await import('./commands/projects.ts')).addProjects,
  },
  {
    names: ['archive', 'prune'],
    group: decide,
    load: async () => (await import('./commands/archive.ts')).addArchiveAndPrune,
  },
  {
    names: ['export', 'import'],
    group: setUp,
    load: async () => (await import('./commands/export.ts')).addExportAndImport,
  },
  { names: ['init'], group: setUp, load: async () => (await import('./commands/init.ts')).addInit },
  { names: ['doctor'], group: setUp, load: async () => (await import('./commands/doctor.ts')).addDoctor },
  {
    names: ['triggers'],
    group: setUp,
    load: async () => (await import('./commands/triggers.ts')).addTriggers,
  },
  { names: ['plugins'], group: setUp, load: async () => (await import('./commands/plugins.ts')).addPlugins },
  { names: ['keys'], group: setUp, load: async () => (await import('./commands/keys.ts')).addKeys },
];

/** Loads the command that is called; all of them for help and for typos. A command should not wait for the code of others. */
export async function loadCommands(argv: readonly string[]): Promise<AddCommands[]> {
  const called = entries.filter(({ names }) => names.includes(argv[0] ?? ''));
  return Promise.all((called.length > 0 ? called : entries).map(loadInGroup));
}

async function loadInGroup({ group, load }: Entry): Promise<AddCommands> {
  const add = await load();
  return (program, define) => {
    program.commandsGroup(group);
    add(program, define);
  };
}
