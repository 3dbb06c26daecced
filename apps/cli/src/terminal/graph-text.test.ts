import type { RunGraph } from '@baton/task-store';
import { expect, it } from 'vitest';

import { graphText } from './graph-text.ts';

const node = { title: 't', role: 'backend', settled: false, parentId: null };
const graph: RunGraph = {
  runId: 'r',
  slug: 'tidy-"1"',
  nodes: [
    { ...node, id: 'a', key: 'say-"hi"', status: 'CLOSED' },
    { ...node, id: 'b', key: 'b', status: 'OPEN' },
    { ...node, id: 'c', key: 'c', status: 'FAILED', parentId: 'b' },
  ],
  edges: [{ taskId: 'b', dependsOnId: 'a', satisfied: true }],
};

it('draws tasks, what they wait for, and parts, for Mermaid', () => {
  const lines = graphText(graph, 'mermaid').split('\n');
  expect(lines[0]).toBe('flowchart LR');
  expect(lines).toContain('  t1["say-#34;hi#34;<br/>CLOSED"]:::landed');
  expect(lines).toContain('  t1 --> t2');
  expect(lines).toContain('  t2 -.- t3');
});

it('draws the same for Graphviz', () => {
  const lines = graphText(graph, 'dot').split('\n');
  expect(lines[0]).toBe('digraph "tidy-\\"1\\"" {');
  expect(lines).toContain('  t1 -> t2;');
  expect(lines).toContain('  t2 -> t3 [style=dotted, arrowhead=none];');
  expect(lines).toContain('  t3 [label="c\\nFAILED", color="#c92a2a"];');
});
