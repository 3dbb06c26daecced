import type { AddCommands } from './terminal/call.ts';
import { addLines, loadInGroup, nameOf, type Entry } from './terminal/command-entry.ts';

const [work, look, decide, setUp] = ['Carry out:', 'Look:', 'Decide and repair:', 'Set up:'] as const;

/** All commands, in the order of the help. */
const entries: readonly Entry[] = [
  {
    lines: [
      [
        'run [options] [plan-or-goal]',
        'run a plan or a goal: agents work in worktrees, proven work lands on the target branch',
      ],
    ],
    group: work,
    load: async () => (await import('./commands/carry-out/run.ts')).addRun,
  },
  {
    lines: [
      ['plan', 'let an agent write a plan for a goal, check a plan file, or decide on a plan that waits'],
    ],
    group: work,
    load: async () => (await import('./commands/carry-out/plan.ts')).addPlan,
  },
  {
    lines: [['up [options]', 'start the server and workers on the same store, until Ctrl-C']],
    group: work,
    load: async () => (await import('./commands/carry-out/up.ts')).addUp,
  },
  {
    lines: [
      [
        'demo [options]',
        'show it all on a real package: eleven tasks, a conflict, a rejection, and its own tests at the end',
      ],
    ],
    group: work,
    load: async () => (await import('./commands/carry-out/demo.ts')).addDemo,
  },
  {
    lines: [['status [options] [run]', 'show a run at a glance, and why anything in it does not move']],
    group: look,
    load: async () => (await import('./commands/look/status.ts')).addStatus,
  },
  {
    lines: [['runs [options]', 'list the runs of this repository, newest first']],
    group: look,
    load: async () => (await import('./commands/look/runs.ts')).addRuns,
  },
  {
    lines: [['tasks [options] [run]', 'list the tasks of a run']],
    group: look,
    load: async () => (await import('./commands/look/tasks.ts')).addTasks,
  },
  {
    lines: [['task [options] <task>', 'show one task with its attempts and verdicts']],
    group: look,
    load: async () => (await import('./commands/look/task.ts')).addTask,
  },
  {
    lines: [['graph [options] [run]', 'print what waits for what in a run, to be drawn elsewhere']],
    group: look,
    load: async () => (await import('./commands/look/graph.ts')).addGraph,
  },
  {
    lines: [['explain [options] <task>', 'say why a task does not move, and who or what moves it next']],
    group: look,
    load: async () => (await import('./commands/look/explain.ts')).addExplain,
  },
  {
    lines: [['logs [options] [task]', 'show what the agents of a task or run said and did']],
    group: look,
    load: async () => (await import('./commands/look/logs.ts')).addLogs,
  },
  {
    lines: [
      [
        'diff [options] [task]',
        'show the work of a task, landed or not, or what a run changed since its base',
      ],
    ],
    group: look,
    load: async () => (await import('./commands/look/diff.ts')).addDiff,
  },
  {
    lines: [['cost [options] [run]', 'show tokens and money of a run, by task, role, model, agent or day']],
    group: look,
    load: async () => (await import('./commands/look/cost.ts')).addCost,
  },
  {
    lines: [['trust [options]', 'show what agents have shown here, and how far they are trusted']],
    group: look,
    load: async () => (await import('./commands/look/trust.ts')).addTrust,
  },
  {
    lines: [
      ['gates [options]', 'show how steady the gates are: how often each refused a tree and then passed it'],
    ],
    group: look,
    load: async () => (await import('./commands/look/gates.ts')).addGates,
  },
  {
    lines: [['agents [options] [run]', 'show the agents at work, and those that this machine has']],
    group: look,
    load: async () => (await import('./commands/look/agents.ts')).addAgents,
  },
  {
    lines: [['workers [options]', 'list the workers of this store']],
    group: look,
    load: async () => (await import('./commands/look/workers.ts')).addWorkers,
  },
  {
    lines: [
      [
        'verify-audit [options]',
        'check that the record of all moves is complete and unchanged; exit 1 when it is not',
      ],
    ],
    group: look,
    load: async () => (await import('./commands/look/verify-audit.ts')).addVerifyAudit,
  },
  {
    lines: [
      ['merge [options] [run]', 'take the landed work of a run into the branch that you have checked out'],
    ],
    group: decide,
    load: async () => (await import('./commands/decide/merge.ts')).addMerge,
  },
  {
    lines: [['pr [options] [run]', 'open a pull request with what a run landed, or show its pull requests']],
    group: decide,
    load: async () => (await import('./commands/decide/pr.ts')).addPr,
  },
  {
    lines: [
      ['approve [options] [task]', 'approve finished work that waits for a person'],
      ['reject [options] [task]', 'say no to finished work that waits for a person'],
    ],
    group: decide,
    load: async () => (await import('./commands/decide/approve.ts')).addApprove,
  },
  {
    lines: [
      ['pause [options] [run]', 'let no further task of a run start; running agents finish'],
      ['resume [options] [run]', 'let the tasks of a paused run start again'],
    ],
    group: decide,
    load: async () => (await import('./commands/decide/pause.ts')).addPauseAndResume,
  },
  {
    lines: [['budget [options] <usd> [run]', 'raise, lower or lift what a run may spend']],
    group: decide,
    load: async () => (await import('./commands/decide/budget.ts')).addBudget,
  },
  {
    lines: [
      [
        'stop [options] [run]',
        'end the process that carries a run out; work is saved and the run can be resumed',
      ],
    ],
    group: decide,
    load: async () => (await import('./commands/decide/stop.ts')).addStop,
  },
  {
    lines: [
      [
        'cancel [options] <task-or-run>',
        'end a task, or everything of a run that is not settled; agents are stopped, their work is kept',
      ],
    ],
    group: decide,
    load: async () => (await import('./commands/decide/cancel.ts')).addCancel,
  },
  {
    lines: [
      [
        'retry [options] <task>',
        'grant a failed task one more try (reopens its run), or unblock a blocked one',
      ],
    ],
    group: decide,
    load: async () => (await import('./commands/decide/retry.ts')).addRetry,
  },
  {
    lines: [
      [
        'rescue [options] [task]',
        'list work that was saved when an agent ended early, or write it into a folder',
      ],
    ],
    group: decide,
    load: async () => (await import('./commands/decide/rescue.ts')).addRescue,
  },
  {
    lines: [
      [
        'clean [options]',
        'remove refs whose commits are all in another branch, and state that outlived its retention',
      ],
    ],
    group: decide,
    load: async () => (await import('./commands/decide/clean.ts')).addClean,
  },
  {
    lines: [
      ['projects [options]', 'list the repositories that Baton keeps state of, or drop the state of one'],
    ],
    group: decide,
    load: async () => (await import('./commands/decide/projects.ts')).addProjects,
  },
  {
    lines: [
      ['archive [options]', 'move the history of settled work into files; the state of everything stays'],
      [
        'prune [options]',
        'delete what agents streamed in sessions that are over, and the checkpoints of settled tasks; nothing of the record',
      ],
    ],
    group: decide,
    load: async () => (await import('./commands/decide/archive.ts')).addArchiveAndPrune,
  },
  {
    lines: [
      ['export [options] <to>', 'write the whole store to files: a backup, or the way to another database'],
      [
        'import [options] <from>',
        'put an exported store into an empty one; or make a plan of a .sdd backlog',
      ],
    ],
    group: setUp,
    load: async () => (await import('./commands/set-up/export.ts')).addExportAndImport,
  },
  {
    lines: [
      [
        'init [options]',
        'write baton.yaml with the set-up and the checks that this repository has, and an example plan; then run the checks once in a worktree',
      ],
    ],
    group: setUp,
    load: async () => (await import('./commands/set-up/init.ts')).addInit,
  },
  {
    lines: [
      ['doctor [options]', 'say what this machine has and lacks; exit 1 when there is a problem to fix'],
    ],
    group: setUp,
    load: async () => (await import('./commands/set-up/doctor.ts')).addDoctor,
  },
  {
    lines: [
      ['triggers', 'see what the rules of triggers.yaml make of an event, send one, and see which came'],
    ],
    group: setUp,
    load: async () => (await import('./commands/set-up/triggers.ts')).addTriggers,
  },
  {
    lines: [['plugins', 'see the plugins that baton.yaml names, and the built-in ones']],
    group: setUp,
    load: async () => (await import('./commands/set-up/plugins.ts')).addPlugins,
  },
  {
    lines: [['keys', 'create, list and revoke keys for the API of the server']],
    group: setUp,
    load: async () => (await import('./commands/set-up/keys.ts')).addKeys,
  },
];

/** Loads the command that is called. For general help and typos their lines are enough, without the code. */
export async function loadCommands(argv: readonly string[]): Promise<AddCommands[]> {
  const words = argv.filter((each) => !each.startsWith('-'));
  const named = (word: string | undefined): Entry[] =>
    entries.filter(({ lines }) => lines.some(([usage]) => nameOf(usage) === word));
  // Before an option's value it is the first that is a command; which option takes one is known to the command alone.
  const first = argv[0]?.startsWith('-') ? words.find((word) => named(word).length > 0) : words[0];
  const called = named(first === 'help' ? words[1] : first);
  return called.length > 0 ? Promise.all(called.map(loadInGroup)) : entries.map(addLines);
}

/** Loads all commands. */
export function loadAllCommands(): Promise<AddCommands[]> {
  return Promise.all(entries.map(loadInGroup));
}
