import type { Gate } from '@baton/contracts';

/** A `baton.yaml` with the gates that were found in the repository. */
export function configTemplate(gates: readonly Gate[]): string {
  const lines = gates.map(
    (gate) =>
      `  - { name: ${gate.name}, command: ${JSON.stringify(gate.command)}, required: ${String(gate.required)} }`,
  );
  return `# What all plans of this repository share. Reference: \`baton plan schema --config\`.

# Checks on the exact tree that would land. A required gate that is red stops the landing.
gates:${lines.length === 0 ? ' []\n  # - { name: tests, command: [npm, test], required: true }' : `\n${lines.join('\n')}`}

# How a fresh worktree becomes usable. Dependencies of a checkout are not in git.
# workspace:
#   setup: [npm, ci]
#   symlink: [node_modules]

# Agent of steps that name none: an installed one (claude-code, codex, gemini, opencode) or a command of your own.
# agent: claude-code
`;
}

/** A small plan that runs anywhere: its agents are commands of node. */
export function planTemplate(): string {
  return `# An example plan. Check it with \`baton plan check plan.yaml\`, run it with \`baton run plan.yaml\`.
name: example
# budget: { usd: 5 }             # the run never spends more
# target: main                   # default: an integration branch baton/<run>

agents:
  # Any program is an agent: it works in a worktree of its own, with the prompt on stdin.
  note-taker: { command: [node, -e, "require('node:fs').writeFileSync('NOTES.md', '# Notes\\\\n')"] }
  list-maker: { command: [node, -e, "require('node:fs').appendFileSync('NOTES.md', '- first note\\\\n')"] }

stages:
  - name: begin
    steps:
      - key: notes
        title: Start a file of notes
        files: [NOTES.md]        # what this step owns: no two steps work on the same files at once
        agent: note-taker
        signals:                 # what must hold on the tree that lands
          - { type: path_exists, path: NOTES.md }
  - name: go-on
    depends_on: [begin]
    steps:
      - key: first-note
        title: Add the first note
        files: [NOTES.md]
        agent: list-maker
        signals:
          - { type: file_contains, path: NOTES.md, text: first note }
`;
}
