import type { RunGraph } from '@baton/task-store';

/** Forms in which a graph can be drawn elsewhere. */
export const graphForms = ['mermaid', 'dot'] as const;
export type GraphForm = (typeof graphForms)[number];

/** A graph as the text of a drawing program. */
export function graphText(graph: RunGraph, form: GraphForm): string {
  return form === 'dot' ? dot(graph) : mermaid(graph);
}

const look = (node: RunGraph['nodes'][number]) =>
  node.status === 'CLOSED'
    ? 'landed'
    : node.status === 'FAILED' || node.status === 'CANCELLED'
      ? 'lost'
      : ['PLANNED', 'OPEN', 'BLOCKED'].includes(node.status)
        ? 'waits'
        : 'works';

function mermaid({ nodes, edges }: RunGraph): string {
  const names = named(nodes);
  const label = (text: string) => text.replace(/["#&<>\\\n\r`]/g, (sign) => `#${sign.codePointAt(0) ?? 32};`);
  return [
    'flowchart LR',
    ...nodes.map(
      (node) => `  ${names.get(node.id) ?? ''}["${label(node.key)}<br/>${node.status}"]:::${look(node)}`,
    ),
    ...edges.map(
      ({ taskId, dependsOnId }) => `  ${names.get(dependsOnId) ?? ''} --> ${names.get(taskId) ?? ''}`,
    ),
    ...nodes.flatMap(({ id, parentId }) =>
      parentId === null ? [] : [`  ${names.get(parentId) ?? ''} -.- ${names.get(id) ?? ''}`],
    ),
    '  classDef landed fill:#d3f9d8,stroke:#2b8a3e',
    '  classDef lost fill:#ffe3e3,stroke:#c92a2a',
    '  classDef works fill:#d0ebff,stroke:#1864ab',
    '  classDef waits fill:#f1f3f5,stroke:#868e96',
  ].join('\n');
}

const colours = { landed: '#2b8a3e', lost: '#c92a2a', works: '#1864ab', waits: '#868e96' };

function dot({ slug, nodes, edges }: RunGraph): string {
  const names = named(nodes);
  const label = (text: string) => text.replace(/["\\]/g, (sign) => `\\${sign}`).replace(/[\n\r]/g, ' ');
  return [
    `digraph "${label(slug)}" {`,
    '  rankdir=LR; node [shape=box, fontname="sans-serif"];',
    ...nodes.map(
      (node) =>
        `  ${names.get(node.id) ?? ''} [label="${label(node.key)}\\n${node.status}", color="${colours[look(node)]}"];`,
    ),
    ...edges.map(
      ({ taskId, dependsOnId }) => `  ${names.get(dependsOnId) ?? ''} -> ${names.get(taskId) ?? ''};`,
    ),
    ...nodes.flatMap(({ id, parentId }) =>
      parentId === null
        ? []
        : [`  ${names.get(parentId) ?? ''} -> ${names.get(id) ?? ''} [style=dotted, arrowhead=none];`],
    ),
    '}',
  ].join('\n');
}

/** Short names that every drawing program takes. */
const named = (nodes: RunGraph['nodes']) => new Map(nodes.map(({ id }, at) => [id, `t${at + 1}`]));
