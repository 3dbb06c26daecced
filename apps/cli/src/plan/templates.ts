import type { Gate } from '@baton/contracts';
import { setupLine, yamlList, type DetectedProject } from '@baton/janitor';

/** A `baton.yaml` with the set-up and the gates that were found in the repository. */
export function configTemplate({ workspace, reasons, gates, warnings }: DetectedProject): string {
  const sections = [
    '# What all plans of this repository share. Reference: `baton plan schema --config`.',
    [
      '# Checks on the exact tree that would land. A required gate that is red stops the landing.',
      gates.length === 0 ? 'gates: []' : 'gates:',
      ...gates.map(({ gate }) => gateLine(gate)),
    ].join('\n'),
    workspace === null
      ? ''
      : [
          '# How a fresh worktree becomes usable: what is installed in a checkout is not in git.',
          ...reasons.map((reason) => `# ${oneLine(reason)}`),
          setupLine(workspace),
        ].join('\n'),
    warnings.map((warning) => `# Note: ${oneLine(warning)}`).join('\n'),
    '# Agent of steps that name none: an installed one (claude-code, codex, gemini, opencode) or a command of your own.\n# agent: claude-code',
    '# Another agent that reads each finished change before it lands, and can refuse it.\n# routing: { reviewer: { agent: codex } }',
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function gateLine({ name, command, required, paths }: Gate): string {
  const asked = paths === undefined ? '' : `, paths: ${yamlList(paths)}`;
  return `  - { name: ${name}, command: ${yamlList(command)}, required: ${String(required)}${asked} }`;
}

/** Names of files may hold anything, and a comment ends with its line. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** A small plan that runs anywhere: its agents are commands of the shell. */
export function planTemplate(file = 'plan.yaml'): string {
  return `# An example plan. Check it with \`baton plan check ${file}\`, run it with \`baton run ${file}\`.
name: example
# budget: { usd: 5 }             # the run never spends more
# target: main                   # default: an integration branch baton/<run>

agents:
  # Any program is an agent: it works in a worktree of its own, with the prompt on stdin.
  note-taker: { command: [sh, -c, "echo '# Notes' > NOTES.md"] }
  list-maker: { command: [sh, -c, "echo '- first note' >> NOTES.md"] }

stages:
  - name: begin
    steps:
      - key: notes
        title: Start a file of notes
        role: docs
        files: [NOTES.md]        # what this step owns: no two steps work on the same files at once
        agent: note-taker
        signals:                 # what must hold on the tree that lands
          - { type: path_exists, path: NOTES.md }
  - name: go-on
    depends_on: [begin]
    steps:
      - key: first-note
        title: Add the first note
        role: docs
        files: [NOTES.md]
        agent: list-maker
        signals:
          - { type: file_contains, path: NOTES.md, text: first note }
`;
}
