import { stringify } from 'yaml';

/** An agent that writes one file, as `node -e`. */
export function writes(file: string, text: string): { command: string[] } {
  const program = `const fs = require('node:fs'); const path = require('node:path');
fs.mkdirSync(path.dirname(${JSON.stringify(file)}), { recursive: true });
fs.writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(text)});`;
  return { command: ['node', '-e', program] };
}

/**
 * An agent that writes a file, says that it is at work by creating `<gate>.started` with its pid, and ends when the
 * file `gate` exists.
 */
export function waits(
  file: string,
  { gate, ignoreSigterm = false }: { gate: string; ignoreSigterm?: boolean },
): { command: string[] } {
  const program = `const fs = require('node:fs');
${ignoreSigterm ? "process.on('SIGTERM', () => undefined);" : ''}
fs.writeFileSync(${JSON.stringify(file)}, 'written by ' + JSON.parse(fs.readFileSync(process.env.BATON_TASK_FILE, 'utf8')).key + '\\n');
fs.writeFileSync(${JSON.stringify(`${gate}.started`)}, String(process.pid));
const timer = setInterval(() => { if (fs.existsSync(${JSON.stringify(gate)})) clearInterval(timer); }, 20);`;
  return { command: ['node', '-e', program] };
}

/** A step of a plan. */
export interface Step {
  key: string;
  title?: string;
  agent?: unknown;
  [key: string]: unknown;
}

/** A plan of one stage as YAML. */
export function planOf(name: string, steps: readonly Step[], more: Record<string, unknown> = {}): string {
  return stringify({
    name,
    ...more,
    stages: [{ name: 'all', steps: steps.map((step) => ({ title: step.key, ...step })) }],
  });
}
