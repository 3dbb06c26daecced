import { expect, test } from 'vitest';
import { advanced, taskAfter } from '../../test/cognitive-support.ts';
import { createTaskRegistry, TaskNotFoundError, type CognitiveTask } from '../index.ts';

const named = (taskId: string, task: CognitiveTask): CognitiveTask => ({ ...task, taskId });
const active = taskAfter(['TASK_CREATED']);

function registryWith(maxActive: number, ...tasks: CognitiveTask[]) {
  const warnings: string[] = [];
  const registry = createTaskRegistry({ maxActive, warn: (message) => warnings.push(message) });
  for (const task of tasks) registry.register(task);
  return { registry, warnings };
}

test('finds registered tasks by id, throws or returns null for others', () => {
  const { registry } = registryWith(5, named('a', active));
  expect(registry.get('a').taskId).toBe('a');
  expect(registry.getOrNull('b')).toBeNull();
  expect(() => registry.get('b')).toThrow(TaskNotFoundError);
});

test('lists all tasks, and as active those that are reasoning or acting', () => {
  const suspended = advanced(active, 'TASK_SUSPENDED').task;
  const { registry } = registryWith(5, named('a', active), named('i', taskAfter([])), named('s', suspended));
  expect(registry.listAll().map((task) => task.taskId)).toEqual(['a', 'i', 's']);
  expect(registry.listActive().map((task) => task.taskId)).toEqual(['a']);
  expect(registry.activeCount()).toBe(1);
});

test('warns when as many as maxActive are active, and registers all the same', () => {
  const { registry, warnings } = registryWith(2, named('a', active), named('b', active));
  expect(warnings).toEqual([]);
  registry.register(named('c', active));
  expect(warnings).toEqual(['2 cognitive tasks are active (limit 2); c is registered all the same']);
  expect(registry.activeCount()).toBe(3);
});

test('takes a newer value of a task without warning', () => {
  const { registry, warnings } = registryWith(1, named('a', active));
  registry.register(named('a', advanced(active, 'REASON_DONE').task));
  expect(registry.get('a').snapshot.state).toBe('acting');
  expect(warnings).toEqual([]);
});

test('removes one task, or all that are over', () => {
  const failed = advanced(active, 'TASK_FAILED').task;
  const { registry } = registryWith(5, named('a', active), named('f', failed), named('b', active));
  expect(registry.remove('b')?.taskId).toBe('b');
  expect(registry.remove('b')).toBeNull();
  expect(registry.cleanupTerminal().map((task) => task.taskId)).toEqual(['f']);
  expect(registry.listAll().map((task) => task.taskId)).toEqual(['a']);
});
