import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  ABORT_REASONS,
  edges,
  EXECUTION_TRIGGERS,
  machines,
  TRANSITION_REASONS,
  VISUAL_STATES,
} from '@baton/fsm-core';
import { describe, expect, it } from 'vitest';
import { root } from '../src/index.ts';

const page = readFileSync(path.join(root, 'docs/spec/kernel.md'), 'utf8');

/** The rows of the first table below a heading of the page, cell by cell. */
function rowsBelow(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section ?? '') ?? [];
  const rows = table.split('\n').filter((line) => line !== '');
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const columnBelow = (heading: string): string[] => rowsBelow(heading).map(([first = '']) => first);

const titleOf = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1);

describe('the binding tables of the kernel page', () => {
  it.each(Object.values(machines))('name the states of the $id machine, all and no others', (machine) => {
    expect(columnBelow(`${titleOf(machine.id)} states (binding)`).sort()).toEqual([...machine.states].sort());
  });

  it.each(['task', 'agent', 'execution'] as const)('name the moves of the %s machine', (id) => {
    const rows = rowsBelow(`${titleOf(id)} transitions (binding)`);
    expect(rows.map(([from, to, event]) => [from, event, to]).sort()).toEqual(legal(id));
  });

  it.each(['turn', 'cognitive'] as const)('name the moves of the %s machine', (id) => {
    const written = rowsBelow(`${titleOf(id)} transitions (binding)`).flatMap(([from, event, to = '']) =>
      to.split(' or ').map((target) => [from, event, target]),
    );
    expect(written.sort()).toEqual(legal(id));
  });

  it.each([
    ['Transition reasons (binding)', TRANSITION_REASONS],
    ['Abort reasons (binding)', ABORT_REASONS],
    ['Execution triggers (binding)', EXECUTION_TRIGGERS],
    ['Visual states (binding)', Object.keys(VISUAL_STATES)],
  ] as const)('%s are those of the code', (heading, values) => {
    expect(columnBelow(heading).sort()).toEqual([...values].sort());
  });
});

function legal(id: keyof typeof machines): string[][] {
  return edges(machines[id])
    .map(({ from, event, to }): string[] => [from, event, to])
    .sort();
}
