import { expect, test } from 'vitest';
import {
  agentMachine,
  cognitiveMachine,
  defineMachine,
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

const odd = defineMachine({
  id: 'odd',
  states: ['in "review"; now', 'end', 's0', 'two\nlines', 'größer: a#b'],
  terminal: ['größer: a#b'],
  rules: [
    { from: 'in "review"; now', on: 'go: "on"', to: 'end' },
    { from: 'end', on: 'a|b\nc', to: 's0' },
    { from: 's0', on: 'state', to: 'two\nlines' },
    { from: 'two\nlines', on: 'x;y#1', to: 'größer: a#b' },
  ],
});

test('toMermaid gives states that Mermaid cannot name another name, and shows any text', () => {
  expect(toMermaid(odd)).toBe(
    [
      'stateDiagram-v2',
      '    state "in #34;review#34;#59; now" as _s0',
      '    state "end" as s1',
      '    state "two#10;lines" as s3',
      '    state "größer#58; a#35;b" as s4',
      '    [*] --> _s0',
      '    _s0 --> s1 : go#58; #34;on#34;',
      '    s1 --> s0 : a#124;b#10;c',
      '    s0 --> s3 : state',
      '    s3 --> s4 : x#59;y#35;1',
      '    s4 --> [*]',
    ].join('\n'),
  );
});

test('toMarkdownTable keeps a row in its line, whatever the names hold', () => {
  const lines = toMarkdownTable(odd).split('\n');
  expect(lines).toHaveLength(2 + 4);
  expect(lines[3]).toContain('| a\\|b c ');
});
