import { isActive, isTerminal } from '../inspect.ts';
import { cognitiveMachine } from '../machines/cognitive.ts';
import type { CognitiveTask } from './task.ts';

/** No such task in the registry. */
export class TaskNotFoundError extends Error {
  override readonly name: string = 'TaskNotFoundError';
  readonly taskId: string;
  /** The way out. */
  readonly fix: string = 'Register the task first, or use getOrNull.';

  constructor(taskId: string) {
    super(`no cognitive task ${taskId} is registered. Register it first, or use getOrNull.`);
    this.taskId = taskId;
  }
}

/** What a registry needs. */
export interface RegistryOptions {
  /** Number of active tasks from which on registering warns. */
  readonly maxActive: number;
  /** Called with a sentence for people; the task is registered all the same. */
  readonly warn: (message: string) => void;
}

/** The tasks of one process by id. Source: docs/spec/kernel.md#task-registry. */
export interface TaskRegistry {
  /** Adds a task, or puts a newer value of it in place of the older. Warns at `maxActive`, never refuses. */
  register(task: CognitiveTask): void;
  /** @throws TaskNotFoundError */
  get(taskId: string): CognitiveTask;
  getOrNull(taskId: string): CognitiveTask | null;
  remove(taskId: string): CognitiveTask | null;
  /** Tasks that are reasoning or acting. */
  listActive(): CognitiveTask[];
  listAll(): CognitiveTask[];
  /** Removes completed and failed tasks and returns them. */
  cleanupTerminal(): CognitiveTask[];
  activeCount(): number;
}

/** Makes an empty registry. It blocks nothing: whether to queue is the scheduler's to decide. */
export function createTaskRegistry({ maxActive, warn }: RegistryOptions): TaskRegistry {
  const tasks = new Map<string, CognitiveTask>();
  const listActive = () =>
    [...tasks.values()].filter((task) => isActive(cognitiveMachine, task.snapshot.state));
  const take = (taskId: string): CognitiveTask | null => {
    const task = tasks.get(taskId) ?? null;
    tasks.delete(taskId);
    return task;
  };
  return {
    register(task) {
      const active = listActive().length;
      if (!tasks.has(task.taskId) && active >= maxActive) {
        warn(
          `${active} cognitive tasks are active (limit ${maxActive}); ${task.taskId} is registered all the same`,
        );
      }
      tasks.set(task.taskId, task);
    },
    get(taskId) {
      const task = tasks.get(taskId);
      if (task === undefined) throw new TaskNotFoundError(taskId);
      return task;
    },
    getOrNull: (taskId) => tasks.get(taskId) ?? null,
    remove: take,
    listActive,
    listAll: () => [...tasks.values()],
    cleanupTerminal() {
      const over = [...tasks.values()].filter((task) => isTerminal(cognitiveMachine, task.snapshot.state));
      for (const task of over) take(task.taskId);
      return over;
    },
    activeCount: () => listActive().length,
  };
}
