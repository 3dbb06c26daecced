import { stringify } from 'yaml';

/** What one task writes: `tee` puts the prompt into the file, so the agent is the cheapest real process. */
export interface BenchTask {
  key: string;
  /** The file it owns and writes. */
  file: string;
  command: [string, ...string[]];
}

/** The check that every candidate must pass. */
export const benchGate = { name: 'files', command: ['test', '-d', 'src/d000'] as [string, ...string[]] };

/** So many independent tasks, each of which writes one file. */
export function benchTasks(count: number): BenchTask[] {
  return Array.from({ length: count }, (_, index) => {
    const key = `task-${String(index + 1).padStart(4, '0')}`;
    const file = `out/${key}.txt`;
    return { key, file, command: ['tee', file] };
  });
}

/** The plan file of these tasks, for so many agents at once. */
export function benchPlan(tasks: readonly BenchTask[], { agents }: { agents: number }): string {
  return stringify({
    name: 'whole-bench',
    max_agents: agents,
    gates: [benchGate],
    stages: [
      {
        name: 'write',
        steps: tasks.map(({ key, file, command }) => ({
          key,
          title: `Write ${file}`,
          scope: 'small',
          complexity: 'low',
          files: [file],
          agent: { command },
          signals: [{ type: 'path_exists', path: file }],
        })),
      },
    ],
  });
}
