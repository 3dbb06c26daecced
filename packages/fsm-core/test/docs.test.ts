import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { edges, machines, toMarkdownTable, toMermaid } from '../src/index.ts';

test.each(Object.values(machines))(
  'docs/machines/$id.md shows the definition and nothing else',
  (machine) => {
    const page = readFileSync(new URL(`../../../docs/machines/${machine.id}.md`, import.meta.url), 'utf8');
    const fix = 'renew it with `pnpm check machines --fix`';
    expect(/```mermaid\n([\s\S]*?)\n```/.exec(page)?.[1], fix).toBe(toMermaid(machine));
    expect(/\n(\| From [\s\S]*\|)\n/.exec(page)?.[1], fix).toBe(toMarkdownTable(machine));
    for (const { from, event, to } of edges(machine)) expect(page).toContain(`${from} --> ${to} : ${event}`);
  },
);
