import { expect, test } from 'vitest';
import {
  agentMachine,
  cognitiveMachine,
  taskMachine,
  toMarkdownTable,
  toMermaid,
  turnMachine,
} from './index.ts';

test('toMermaid draws the initial and terminal states and every edge', () => {
  expect(toMermaid(agentMachine)).toBe(
    [
      'stateDiagram-v2',
      '    [*] --> starting',
      '    starting --> working : ready',
      '    starting --> dead : spawn_failed',
      '    working --> idle : task_finished',
      '    working --> dead : terminate',
      '    idle --> working : task_assigned',
      '    idle --> dead : recycle',
      '    dead --> [*]',
    ].join('\n'),
  );
});

test('toMermaid marks overrides, dynamic edges and aliases', () => {
  expect(toMermaid(taskMachine)).toContain('DONE --> PENDING_APPROVAL : request_approval (override)');
  expect(toMermaid(cognitiveMachine)).toContain('suspended --> acting : TASK_RESUMED (dynamic)');
  expect(toMermaid(turnMachine)).toContain('COMPACTING --> RUNNING : verify_requested / compact_completed');
});

test('toMarkdownTable prints one padded row a cell and then the overrides', () => {
  const lines = toMarkdownTable(taskMachine).split('\n');
  expect(lines).toHaveLength(2 + 30 + 2);
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  expect(lines[2]).toMatch(/^\| PLANNED +\| approve +\| OPEN +\| Human approves the planned task +\|$/);
  expect(lines.at(-1)).toMatch(
    /^\| PENDING_APPROVAL +\| resolve_approval +\| DONE +\| override; A human decided, by name +\|$/,
  );
  expect(toMarkdownTable(cognitiveMachine)).toMatch(/\| acting or reasoning or completed +\|/);
});
